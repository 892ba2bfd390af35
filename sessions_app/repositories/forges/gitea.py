"""Client for the API of Gitea and Forgejo."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import httpx

from sessions_app.repositories.forges.access import Access
from sessions_app.repositories.forges.client import ForgeClient, in_path, in_paths
from sessions_app.repositories.forges.port import (
    MAX_FOUND,
    CheckInfo,
    CheckState,
    CommentInfo,
    PullRequestInfo,
    PullRequestText,
    RepositoryInfo,
)

DRAFT: Final = "WIP: "
PAGE: Final = 50  # the most that Gitea returns
MAX_PAGES: Final = 4
_STATES: Final[Mapping[str, CheckState]] = {"success": "success", "warning": "success", "pending": "pending"}


class Gitea:
    """Client for the API of Gitea or Forgejo, with an access token."""

    def __init__(self, access: Access, transport: httpx.AsyncBaseTransport) -> None:
        headers = {"Authorization": f"token {access.token}"}
        self._client = ForgeClient(f"{access.base_url}/api/v1", headers, transport)

    async def account(self) -> str:
        return str((await self._client.get("/user"))["login"])

    async def repositories(self, search: str) -> Sequence[RepositoryInfo]:
        found: list[RepositoryInfo] = []
        for page in range(1, MAX_PAGES + 1):
            rows = await self._client.get("/user/repos", limit=PAGE, page=page)
            found += [info for info in map(_info, rows) if search.lower() in info.full_name.lower()]
            if len(rows) < PAGE:
                break
        return found[:MAX_FOUND]

    async def repository(self, repository: str) -> RepositoryInfo:
        return _info(await self._client.get(_path(repository)))

    async def file(self, repository: str, path: str, ref: str) -> str | None:
        return await self._client.text(f"{_path(repository)}/raw/{in_paths(path)}", ref=ref)

    async def find_pull_request(self, repository: str, head: str) -> PullRequestInfo | None:
        for page in range(1, MAX_PAGES + 1):
            rows = await self._client.get(
                f"{_path(repository)}/pulls", state="open", sort="recentupdate", limit=PAGE, page=page
            )
            if found := next((row for row in rows if row["head"]["ref"] == head and _is_own(row)), None):
                return _pull(found)
            if len(rows) < PAGE:
                break
        return None

    async def pull_request(self, repository: str, number: int) -> PullRequestInfo:
        return _pull(await self._client.get(f"{_path(repository)}/pulls/{number}"))

    async def open_pull_request(
        self, repository: str, *, head: str, base: str, text: PullRequestText
    ) -> PullRequestInfo:
        title = f"{DRAFT}{text.title}" if text.draft else text.title
        content = {"head": head, "base": base, "title": title, "body": text.body}
        return _pull(await self._client.post(f"{_path(repository)}/pulls", content))

    async def update_pull_request(self, repository: str, number: int, text: PullRequestText) -> PullRequestInfo:
        draft = (await self.pull_request(repository, number)).draft
        content = {"title": f"{DRAFT}{text.title}" if draft else text.title, "body": text.body}
        return _pull(await self._client.change(f"{_path(repository)}/pulls/{number}", content))

    async def checks(self, repository: str, found: PullRequestInfo) -> Sequence[CheckInfo]:
        """Return the newest commit status of each context as the checks of a pull request."""
        rows = await self._client.get(f"{_path(repository)}/commits/{in_path(found.commit)}/statuses", limit=PAGE)
        newest: dict[str, CheckInfo] = {}
        for row in sorted(rows, key=lambda each: each["id"]):
            newest[row["context"]] = _check(row)
        return list(newest.values())

    async def comments(self, repository: str, number: int) -> Sequence[CommentInfo]:
        pull = f"{_path(repository)}/pulls/{number}"
        found = []
        for review in await self._client.get(f"{pull}/reviews", limit=PAGE):
            if review.get("body"):
                found.append(_comment(review))
            if review.get("comments_count"):
                found += map(_comment, await self._client.get(f"{pull}/reviews/{review['id']}/comments"))
        return found


def _path(repository: str) -> str:
    return f"/repos/{in_paths(repository)}"


def _info(row: Mapping[str, Any]) -> RepositoryInfo:
    return RepositoryInfo(
        full_name=row["full_name"],
        clone_url=row["clone_url"],
        default_branch=row.get("default_branch") or "",
        private=bool(row.get("private")),
        description=row.get("description") or "",
        updated_at=row.get("updated_at") or "",
    )


def _is_own(row: Mapping[str, Any]) -> bool:
    """Return whether the head of a pull request is in the repository itself, and not in a fork."""
    head, base = (row[side].get("repo") or {} for side in ("head", "base"))
    return bool(head.get("full_name") == base.get("full_name"))


def _pull(row: Mapping[str, Any]) -> PullRequestInfo:
    return PullRequestInfo(
        number=row["number"],
        url=row["html_url"],
        title=row["title"].removeprefix(DRAFT),
        state="merged" if row.get("merged") else "open" if row["state"] == "open" else "closed",
        draft=bool(row.get("draft")) or row["title"].startswith(DRAFT),
        head=row["head"]["ref"],
        base=row["base"]["ref"],
        commit=row["head"]["sha"],
    )


def _check(row: Mapping[str, Any]) -> CheckInfo:
    state = _STATES.get(row["status"], "failure")
    return CheckInfo(str(row["id"]), row["context"], state, row.get("target_url") or "", row.get("description") or "")


def _comment(row: Mapping[str, Any]) -> CommentInfo:
    return CommentInfo(
        id=str(row["id"]),
        author=(row.get("user") or {}).get("login", ""),
        body=row["body"],
        url=row.get("html_url") or "",
        path=row.get("path") or "",
        line=row.get("position") or row.get("original_position") or 0,
    )
