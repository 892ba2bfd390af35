"""GitLab: gitlab.com and self-managed. A pull request is called a merge request there."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import httpx

from sessions_app.repositories.forges.access import Access
from sessions_app.repositories.forges.client import ForgeClient, in_path
from sessions_app.repositories.forges.port import (
    MAX_FOUND,
    CheckInfo,
    CheckState,
    CommentInfo,
    PullRequestInfo,
    PullRequestText,
    RepositoryInfo,
)

DRAFT: Final = "Draft: "
MAX_LOG_CHARS: Final = 20_000  # the end of a job's log
_STATES: Final[Mapping[str, CheckState]] = {"success": "success", "skipped": "success", "failed": "failure"}


class GitLab:
    """Client for the API of GitLab, with a personal, group or project access token."""

    def __init__(self, access: Access, transport: httpx.AsyncBaseTransport) -> None:
        headers = {"Authorization": f"Bearer {access.token}"}
        self._client = ForgeClient(f"{access.base_url}/api/v4", headers, transport)

    async def account(self) -> str:
        return str((await self._client.get("/user"))["username"])

    async def repositories(self, search: str) -> Sequence[RepositoryInfo]:
        query: dict[str, str | int] = {"search": search, "search_namespaces": "true"} if search else {}
        rows = await self._client.get(
            "/projects", membership="true", order_by="last_activity_at", per_page=MAX_FOUND, archived="false", **query
        )
        return [_info(row) for row in rows]

    async def repository(self, repository: str) -> RepositoryInfo:
        return _info(await self._client.get(_path(repository)))

    async def file(self, repository: str, path: str, ref: str) -> str | None:
        return await self._client.text(f"{_path(repository)}/repository/files/{in_path(path)}/raw", ref=ref)

    async def find_pull_request(self, repository: str, head: str) -> PullRequestInfo | None:
        found = await self._client.get(f"{_path(repository)}/merge_requests", state="opened", source_branch=head)
        own = (each for each in found if each.get("source_project_id") == each.get("target_project_id"))
        return next(map(_pull, own), None)

    async def pull_request(self, repository: str, number: int) -> PullRequestInfo:
        return _pull(await self._client.get(f"{_path(repository)}/merge_requests/{number}"))

    async def open_pull_request(
        self, repository: str, *, head: str, base: str, text: PullRequestText
    ) -> PullRequestInfo:
        title = f"{DRAFT}{text.title}" if text.draft else text.title
        content = {"source_branch": head, "target_branch": base, "title": title, "description": text.body}
        return _pull(await self._client.post(f"{_path(repository)}/merge_requests", content))

    async def update_pull_request(self, repository: str, number: int, text: PullRequestText) -> PullRequestInfo:
        path = f"{_path(repository)}/merge_requests/{number}"
        draft = (await self.pull_request(repository, number)).draft
        content = {"title": f"{DRAFT}{text.title}" if draft else text.title, "description": text.body}
        return _pull(await self._client.change(path, content, method="PUT"))

    async def checks(self, repository: str, found: PullRequestInfo) -> Sequence[CheckInfo]:
        """Return the jobs of the newest pipeline as the checks of a pull request."""
        pipelines = await self._client.get(f"{_path(repository)}/merge_requests/{found.number}/pipelines", per_page=1)
        if not pipelines:
            return []
        jobs = await self._client.get(f"{_path(repository)}/pipelines/{pipelines[0]['id']}/jobs", per_page=100)
        return [await self._check(repository, job) for job in jobs if job["status"] != "manual"]

    async def _check(self, repository: str, job: Mapping[str, Any]) -> CheckInfo:
        state = _STATES.get(job["status"], "failure" if job["status"] == "canceled" else "pending")
        log = ""
        if state == "failure":
            log = (await self._client.text(f"{_path(repository)}/jobs/{job['id']}/trace") or "")[-MAX_LOG_CHARS:]
        return CheckInfo(str(job["id"]), job["name"], state, job.get("web_url") or "", log)

    async def comments(self, repository: str, number: int) -> Sequence[CommentInfo]:
        notes = await self._client.get(
            f"{_path(repository)}/merge_requests/{number}/notes", sort="asc", order_by="created_at", per_page=100
        )
        return [_comment(note) for note in notes if not note.get("system")]


def _path(repository: str) -> str:
    return f"/projects/{in_path(repository)}"


def _info(row: Mapping[str, Any]) -> RepositoryInfo:
    return RepositoryInfo(
        full_name=row["path_with_namespace"],
        clone_url=row["http_url_to_repo"],
        default_branch=row.get("default_branch") or "",
        private=row.get("visibility") != "public",
        description=row.get("description") or "",
        updated_at=row.get("last_activity_at") or "",
    )


def _pull(row: Mapping[str, Any]) -> PullRequestInfo:
    return PullRequestInfo(
        number=row["iid"],
        url=row["web_url"],
        title=row["title"].removeprefix(DRAFT),
        state="merged" if row["state"] == "merged" else "open" if row["state"] == "opened" else "closed",
        draft=bool(row.get("draft")),
        head=row["source_branch"],
        base=row["target_branch"],
        commit=row.get("sha") or "",
    )


def _comment(note: Mapping[str, Any]) -> CommentInfo:
    position = note.get("position") or {}
    return CommentInfo(
        id=str(note["id"]),
        author=(note.get("author") or {}).get("username", ""),
        body=note["body"],
        path=position.get("new_path") or "",
        line=position.get("new_line") or position.get("old_line") or 0,
    )
