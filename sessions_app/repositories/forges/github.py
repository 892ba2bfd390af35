"""GitHub: github.com, and GitHub Enterprise Server."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import httpx

from sessions_app.repositories.forges.access import GITHUB_HEADERS, Access, github_api
from sessions_app.repositories.forges.client import ForgeClient, in_paths
from sessions_app.repositories.forges.port import (
    MAX_FOUND,
    CheckInfo,
    CheckState,
    CommentInfo,
    ForgeError,
    PullRequestInfo,
    PullRequestText,
    RepositoryInfo,
)

MAX_PAGES: Final = 5  # of 100 repositories, in which names are searched
_SUCCESS: Final = ("success", "neutral", "skipped")


class GitHub:
    """GitHub with a personal token, or with the token of an app's installation."""

    def __init__(self, access: Access, transport: httpx.AsyncBaseTransport, *, is_app: bool) -> None:
        headers = {**GITHUB_HEADERS, "Authorization": f"Bearer {access.token}"}
        self._client = ForgeClient(github_api(access.base_url), headers, transport)
        self._is_app = is_app

    async def account(self) -> str:
        if self._is_app:
            found = await self._client.get("/installation/repositories", per_page=1)
            return f"app, {found['total_count']} repositories"
        return str((await self._client.get("/user"))["login"])

    async def repositories(self, search: str) -> Sequence[RepositoryInfo]:
        found: list[RepositoryInfo] = []
        for page in range(1, MAX_PAGES + 1):
            rows = await self._page(page)
            found += [info for info in map(_info, rows) if search.lower() in info.full_name.lower()]
            if len(rows) < 100 or len(found) >= MAX_FOUND:
                break
        return found[:MAX_FOUND]

    async def _page(self, page: int) -> Sequence[Mapping[str, Any]]:
        if self._is_app:
            listed = await self._client.get("/installation/repositories", per_page=100, page=page)
            return list(listed["repositories"])
        return list(await self._client.get("/user/repos", sort="pushed", per_page=100, page=page))

    async def repository(self, repository: str) -> RepositoryInfo:
        return _info(await self._client.get(_path(repository)))

    async def file(self, repository: str, path: str, ref: str) -> str | None:
        raw = {"Accept": "application/vnd.github.raw+json"}
        return await self._client.text(f"{_path(repository)}/contents/{in_paths(path)}", headers=raw, ref=ref)

    async def find_pull_request(self, repository: str, head: str) -> PullRequestInfo | None:
        owner = repository.partition("/")[0]
        found = await self._client.get(f"{_path(repository)}/pulls", state="open", head=f"{owner}:{head}")
        return _pull(found[0]) if found else None

    async def pull_request(self, repository: str, number: int) -> PullRequestInfo:
        return _pull(await self._client.get(f"{_path(repository)}/pulls/{number}"))

    async def open_pull_request(
        self, repository: str, *, head: str, base: str, text: PullRequestText
    ) -> PullRequestInfo:
        content = {"head": head, "base": base, "title": text.title, "body": text.body, "draft": text.draft}
        return _pull(await self._client.post(f"{_path(repository)}/pulls", content))

    async def update_pull_request(self, repository: str, number: int, text: PullRequestText) -> PullRequestInfo:
        content = {"title": text.title, "body": text.body}
        return _pull(await self._client.change(f"{_path(repository)}/pulls/{number}", content))

    async def checks(self, repository: str, found: PullRequestInfo) -> Sequence[CheckInfo]:
        """Return the checks of a pull request: check runs, which apps such as Actions report, and commit statuses,
        which other services report."""
        commit = f"{_path(repository)}/commits/{found.commit}"
        runs = (await self._client.get(f"{commit}/check-runs", per_page=100))["check_runs"]
        statuses = (await self._client.get(f"{commit}/status", per_page=100))["statuses"]
        return [*[await self._check(repository, run) for run in runs], *map(_status, statuses)]

    async def _check(self, repository: str, run: Mapping[str, Any]) -> CheckInfo:
        output = run.get("output") or {}
        text = "\n\n".join(filter(None, (output.get("title"), output.get("summary"), output.get("text"))))
        state = _run_state(run)
        if state == "failure" and not text:
            text = await self._log(repository, run)
        return CheckInfo(str(run["id"]), run["name"], state, run.get("html_url") or "", text)

    async def _log(self, repository: str, run: Mapping[str, Any]) -> str:
        """Return the annotations of a check run as lines, in place of its log: GitHub redirects requests for logs of
        Actions to another host."""
        try:
            notes = await self._client.find(f"{_path(repository)}/check-runs/{run['id']}/annotations", per_page=50)
        except ForgeError:
            return ""
        return "\n".join(f"{each['path']}:{each['start_line']}: {each['message']}" for each in notes or ())

    async def comments(self, repository: str, number: int) -> Sequence[CommentInfo]:
        pull = f"{_path(repository)}/pulls/{number}"
        lines = await self._client.get(f"{pull}/comments", per_page=100)
        reviews = await self._client.get(f"{pull}/reviews", per_page=100)
        return [*(_comment(each) for each in reviews if each.get("body")), *map(_comment, lines)]


def _path(repository: str) -> str:
    return f"/repos/{in_paths(repository)}"


def _info(row: Mapping[str, Any]) -> RepositoryInfo:
    return RepositoryInfo(
        full_name=row["full_name"],
        clone_url=row["clone_url"],
        default_branch=row.get("default_branch") or "",
        private=bool(row.get("private")),
        description=row.get("description") or "",
        updated_at=row.get("pushed_at") or "",
    )


def _pull(row: Mapping[str, Any]) -> PullRequestInfo:
    return PullRequestInfo(
        number=row["number"],
        url=row["html_url"],
        title=row["title"],
        state="merged" if row.get("merged_at") else "open" if row["state"] == "open" else "closed",
        draft=bool(row.get("draft")),
        head=row["head"]["ref"],
        base=row["base"]["ref"],
        commit=row["head"]["sha"],
    )


def _run_state(run: Mapping[str, Any]) -> CheckState:
    if run.get("status") != "completed":
        return "pending"
    return "success" if run.get("conclusion") in _SUCCESS else "failure"


def _status(row: Mapping[str, Any]) -> CheckInfo:
    states: dict[str, CheckState] = {"pending": "pending", "success": "success"}
    state = states.get(row["state"], "failure")
    return CheckInfo(f"s{row['id']}", row["context"], state, row.get("target_url") or "", row.get("description") or "")


def _comment(row: Mapping[str, Any]) -> CommentInfo:
    return CommentInfo(
        id=str(row["id"]),
        author=(row.get("user") or {}).get("login", ""),
        body=row["body"],
        url=row.get("html_url") or "",
        path=row.get("path") or "",
        line=row.get("line") or row.get("original_line") or 0,
    )
