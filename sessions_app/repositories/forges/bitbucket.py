"""Client for Bitbucket Cloud's API."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import httpx

from sessions_app.repositories.forges.access import Access, basic
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

CLOUD: Final = "https://bitbucket.org"
MAX_PULLS: Final = 50  # the most that Bitbucket returns
MAX_WORKSPACES: Final = 10
_STATES: Final[Mapping[str, CheckState]] = {"SUCCESSFUL": "success", "INPROGRESS": "pending"}
_PULL_STATES: Final = {"OPEN": "open", "MERGED": "merged"}


class Bitbucket:
    """Client for Bitbucket Cloud, with an access token, or an account's API token and its e-mail as the user name."""

    def __init__(self, access: Access, transport: httpx.AsyncBaseTransport) -> None:
        given = basic(access.username, access.token) if access.username else f"Bearer {access.token}"
        api = "https://api.bitbucket.org" if access.base_url == CLOUD else access.base_url
        self._client = ForgeClient(f"{api}/2.0", {"Authorization": given}, transport)

    async def account(self) -> str:
        """Return the name of the account that the credential belongs to. Access tokens of a repository or workspace
        have no account; they are checked by listing repositories."""
        found = await self._client.find("/user")
        if found is None:
            await self.repositories("")
            return "access token"
        return str(found.get("nickname") or found.get("display_name") or "")

    async def repositories(self, search: str) -> Sequence[RepositoryInfo]:
        name = _quoted(search.rpartition("/")[2])
        query: dict[str, str | int] = {"role": "member", "sort": "-updated_on", "pagelen": MAX_FOUND}
        if name:
            query["q"] = f'name ~ "{name}"'
        rows = await self._client.find("/repositories", **query)
        values = await self._of_workspaces(query) if rows is None else rows["values"]
        found = [info for info in map(_info, values) if search.lower() in info.full_name.lower()]
        return sorted(found, key=lambda each: each.updated_at, reverse=True)[:MAX_FOUND]

    async def _of_workspaces(self, query: Mapping[str, str | int]) -> Sequence[Mapping[str, Any]]:
        """Query the repositories of each Bitbucket workspace separately, for when Bitbucket no longer serves the list
        of all repositories."""
        spaces = await self._client.get("/user/workspaces", pagelen=MAX_FOUND)
        found: list[Mapping[str, Any]] = []
        for each in spaces["values"][:MAX_WORKSPACES]:
            slug = in_path((each.get("workspace") or each)["slug"])
            found += (await self._client.get(f"/repositories/{slug}", **query))["values"]
        return found

    async def repository(self, repository: str) -> RepositoryInfo:
        return _info(await self._client.get(_path(repository)))

    async def file(self, repository: str, path: str, ref: str) -> str | None:
        commit = ref
        if "/" in ref:  # which the path of a file cannot contain
            found = await self._client.find(f"{_path(repository)}/refs/branches/{in_paths(ref)}")
            if found is None:
                return None
            commit = found["target"]["hash"]
        return await self._client.text(f"{_path(repository)}/src/{in_path(commit)}/{in_paths(path)}")

    async def find_pull_request(self, repository: str, head: str) -> PullRequestInfo | None:
        wanted = f'source.branch.name = "{_quoted(head)}" AND state = "OPEN"'
        found = await self._client.get(f"{_path(repository)}/pullrequests", q=wanted, pagelen=MAX_PULLS)
        return next((_pull(row) for row in found["values"] if _is_own(row, repository)), None)

    async def pull_request(self, repository: str, number: int) -> PullRequestInfo:
        return _pull(await self._client.get(f"{_path(repository)}/pullrequests/{number}"))

    async def open_pull_request(
        self, repository: str, *, head: str, base: str, text: PullRequestText
    ) -> PullRequestInfo:
        content = {
            "title": text.title,
            "description": text.body,
            "draft": text.draft,
            "source": {"branch": {"name": head}},
            "destination": {"branch": {"name": base}},
        }
        return _pull(await self._client.post(f"{_path(repository)}/pullrequests", content))

    async def update_pull_request(self, repository: str, number: int, text: PullRequestText) -> PullRequestInfo:
        content = {"title": text.title, "description": text.body}
        path = f"{_path(repository)}/pullrequests/{number}"
        return _pull(await self._client.change(path, content, method="PUT"))

    async def checks(self, repository: str, found: PullRequestInfo) -> Sequence[CheckInfo]:
        rows = await self._client.get(f"{_path(repository)}/commit/{in_path(found.commit)}/statuses", pagelen=MAX_FOUND)
        return [_check(row) for row in rows["values"]]

    async def comments(self, repository: str, number: int) -> Sequence[CommentInfo]:
        rows = await self._client.get(f"{_path(repository)}/pullrequests/{number}/comments", pagelen=MAX_FOUND)
        return [_comment(row) for row in rows["values"] if not row.get("deleted")]


def _path(repository: str) -> str:
    return f"/repositories/{in_paths(repository)}"


def _quoted(text: str) -> str:
    """Remove backslashes and quotes from a text, so that it can stand between quotes in a query."""
    return text.replace("\\", "").replace('"', "")


def _is_own(row: Mapping[str, Any], repository: str) -> bool:
    """Return whether the source of a pull request is in the repository itself, and not in a fork."""
    source = row["source"].get("repository") or {}
    return bool(source.get("full_name", "").lower() == repository.lower())


def _info(row: Mapping[str, Any]) -> RepositoryInfo:
    clone = next((each["href"] for each in row["links"]["clone"] if each["name"] in ("https", "http")), "")
    scheme, _, rest = clone.partition("://")
    return RepositoryInfo(
        full_name=row["full_name"],
        clone_url=f"{scheme}://{rest.rpartition('@')[2]}",
        default_branch=(row.get("mainbranch") or {}).get("name", ""),
        private=bool(row.get("is_private")),
        description=row.get("description") or "",
        updated_at=row.get("updated_on") or "",
    )


def _pull(row: Mapping[str, Any]) -> PullRequestInfo:
    return PullRequestInfo(
        number=row["id"],
        url=row["links"]["html"]["href"],
        title=row["title"],
        state=_PULL_STATES.get(row["state"], "closed"),  # type: ignore[arg-type]
        draft=bool(row.get("draft")),
        head=row["source"]["branch"]["name"],
        base=row["destination"]["branch"]["name"],
        commit=((row["source"].get("commit")) or {}).get("hash", ""),
    )


def _check(row: Mapping[str, Any]) -> CheckInfo:
    state = _STATES.get(row["state"], "failure")
    return CheckInfo(
        row["key"], row.get("name") or row["key"], state, row.get("url") or "", row.get("description") or ""
    )


def _comment(row: Mapping[str, Any]) -> CommentInfo:
    place = row.get("inline") or {}
    return CommentInfo(
        id=str(row["id"]),
        author=(row.get("user") or {}).get("nickname", ""),
        body=(row.get("content") or {}).get("raw", ""),
        path=place.get("path") or "",
        line=place.get("to") or place.get("from") or 0,
    )
