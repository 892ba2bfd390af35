"""The API of the demo forge in the format of GitHub Enterprise Server, below the path /api/v3."""

import time
from typing import Any

import jwt
from starlette.responses import JSONResponse, PlainTextResponse, Response

from deploy.demo_forge.api import Answer, Call, Refusal
from deploy.demo_forge.model import ForgeRepository, PullRequest

CONCLUSIONS = {"success": "success", "failure": "failure", "pending": None}


class GitHubApi:
    prefix = "/api/v3"

    def error(self, message: str) -> dict[str, Any]:
        return {"message": message}

    def routes(self) -> list[tuple[str, str, Answer]]:
        repository = "/repos/{name:path}"
        return [
            ("GET", "/user", lambda call: {"login": call.login}),
            ("GET", "/user/repos", lambda call: [shown(each) for each in _page(call, call.visible())]),
            ("GET", "/installation/repositories", _installation_repositories),
            ("GET", f"{repository}/contents/{{path:path}}", _contents),
            ("GET", f"{repository}/pulls", _list_pulls),
            ("POST", f"{repository}/pulls", _open_pull),
            ("GET", f"{repository}/pulls/{{number:int}}", lambda call: _pull(*call.pull())),
            ("PATCH", f"{repository}/pulls/{{number:int}}", _change_pull),
            ("GET", f"{repository}/pulls/{{number:int}}/comments", _comments),
            ("GET", f"{repository}/pulls/{{number:int}}/reviews", lambda _call: []),
            ("GET", f"{repository}/commits/{{commit}}/check-runs", _check_runs),
            ("GET", f"{repository}/commits/{{commit}}/status", lambda _call: {"statuses": []}),
            ("GET", f"{repository}/check-runs/{{number:int}}/annotations", lambda _call: []),
            ("GET", repository, lambda call: shown(call.repository())),
        ]  # fmt: skip


def _page(call: Call, rows: list[ForgeRepository]) -> list[ForgeRepository]:
    size, page = int(call.query.get("per_page", "30")), int(call.query.get("page", "1"))
    return rows[(page - 1) * size : page * size]


def shown(repository: ForgeRepository) -> dict[str, Any]:
    return {
        "id": repository.number,
        "full_name": repository.full_name,
        "clone_url": repository.clone_url,
        "default_branch": repository.default_branch,
        "private": repository.private,
        "description": None,
        "pushed_at": "2026-01-01T00:00:00Z",
    }


def _installation_repositories(call: Call) -> dict[str, Any]:
    rows = call.visible()
    return {"total_count": len(rows), "repositories": [shown(each) for each in _page(call, rows)]}


def _contents(call: Call) -> Response:
    return PlainTextResponse(call.file(call.repository(), call.path["path"]))


def _list_pulls(call: Call) -> list[dict[str, Any]]:
    repository = call.repository()
    owner, head = repository.full_name.partition("/")[0], call.query.get("head", "")
    return [
        _pull(repository, each)
        for each in repository.pulls
        if each.state == call.query.get("state", "open")
        and head in ("", f"{each.fork.partition('/')[0] or owner}:{each.head}")
    ]


def _open_pull(call: Call) -> Response:
    given = call.body
    made = call.open_pull(
        head=given["head"], base=given["base"], title=given["title"], body=given.get("body", ""),
        draft=given.get("draft", False),
    )  # fmt: skip
    return JSONResponse(_pull(call.repository(), made), 201)


def _change_pull(call: Call) -> dict[str, Any]:
    repository, pull = call.pull()
    call.repository(writing=True)
    pull.title, pull.body = call.body.get("title", pull.title), call.body.get("body", pull.body)
    return _pull(repository, pull)


def _pull(repository: ForgeRepository, pull: PullRequest) -> dict[str, Any]:
    heads = repository.heads()
    return {
        "number": pull.number,
        "html_url": f"{repository.site_url}/{repository.full_name}/pull/{pull.number}",
        "title": pull.title,
        "body": pull.body,
        "state": "open" if pull.state == "open" else "closed",
        "merged_at": "2026-01-01T00:00:00Z" if pull.state == "merged" else None,
        "draft": pull.draft,
        "head": {"ref": pull.head, "sha": heads.get(pull.head, "")},
        "base": {"ref": pull.base, "sha": heads.get(pull.base, "")},
    }


def _comments(call: Call) -> list[dict[str, Any]]:
    return list(map(_comment, call.pull()[1].comments))


def _comment(comment: dict[str, Any]) -> dict[str, Any]:
    place = {"path": comment["path"], "line": comment["line"]}
    return {"id": comment["id"], "user": {"login": comment["author"]}, "body": comment["body"], **place}


def _check_runs(call: Call) -> dict[str, Any]:
    found = call.repository().checks.get(call.path["commit"], [])
    return {"total_count": len(found), "check_runs": [_run(check) for check in found]}


def _run(check: dict[str, Any]) -> dict[str, Any]:
    return {
        "id": check["id"],
        "name": check["name"],
        "status": "in_progress" if check["state"] == "pending" else "completed",
        "conclusion": CONCLUSIONS[check["state"]],
        "html_url": None,
        "output": {"title": None, "summary": None, "text": check["log"] or None},
    }


class GitHubApps:
    """The part of the API that apps use before they have a token. They sign these requests with their private key."""

    prefix = "/api/v3"

    def error(self, message: str) -> dict[str, Any]:
        return {"message": message}

    def routes(self) -> list[tuple[str, str, Answer]]:
        return [
            ("GET", "/app/installations", self._installations),
            ("POST", "/app/installations/{number:int}/access_tokens", self._token),
        ]

    def _installations(self, call: Call) -> list[dict[str, Any]]:
        return [{"id": each.installation, "account": {"login": each.login}} for each in self._apps(call)]

    def _token(self, call: Call) -> Response:
        for app in self._apps(call):
            if app.installation == call.number:
                ends = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + app.seconds))
                return JSONResponse({"token": app.renew(), "expires_at": ends}, 201)
        raise Refusal(404, "Not Found")

    @staticmethod
    def _apps(call: Call) -> list[Any]:
        token = call.request.headers.get("authorization", "").removeprefix("Bearer ")
        for app in call.forge.apps:
            try:
                jwt.decode(token, app.public_key, algorithms=["RS256"], issuer=app.app_id)
            except jwt.PyJWTError:
                continue
            return [app]
        raise Refusal(401, "A JSON web token could not be decoded")
