"""The forge's API in the format of Gitea and Forgejo, below the path /api/v1."""

from typing import Any

from starlette.responses import JSONResponse, PlainTextResponse, Response

from deploy.demo_forge.api import Answer, Call, Refusal
from deploy.demo_forge.model import ForgeRepository, PullRequest

DRAFT = "WIP: "
MAX_PAGE = 50


class GiteaApi:
    prefix = "/api/v1"

    def error(self, message: str) -> dict[str, Any]:
        return {"message": message, "url": "https://forge.example/api/swagger"}

    def routes(self) -> list[tuple[str, str, Answer]]:
        repository = "/repos/{name:path}"
        pulls = f"{repository}/pulls"
        return [
            ("GET", "/user", lambda call: {"login": call.login}),
            ("GET", "/user/repos", lambda call: _page(call, list(map(_shown, call.visible())))),
            ("GET", f"{repository}/raw/{{path:path}}", _raw),
            ("GET", f"{repository}/commits/{{commit}}/statuses", _statuses),
            ("GET", pulls, _list_pulls),
            ("POST", pulls, _open_pull),
            ("GET", f"{pulls}/{{number:int}}", lambda call: _pull(*call.pull())),
            ("PATCH", f"{pulls}/{{number:int}}", _change_pull),
            ("GET", f"{pulls}/{{number:int}}/reviews", _reviews),
            ("GET", f"{pulls}/{{number:int}}/reviews/{{review:int}}/comments", _comments),
            ("GET", repository, lambda call: _shown(call.repository())),
        ]


def _page(call: Call, rows: list[Any]) -> list[Any]:
    size = min(int(call.query.get("limit", "30")), MAX_PAGE)
    page = int(call.query.get("page", "1"))
    return rows[(page - 1) * size : page * size]


def _shown(repository: ForgeRepository) -> dict[str, Any]:
    return {
        "id": repository.number,
        "full_name": repository.full_name,
        "clone_url": repository.clone_url,
        "default_branch": repository.default_branch,
        "private": repository.private,
        "description": "",
        "updated_at": "2026-01-01T00:00:00Z",
    }


def _raw(call: Call) -> Response:
    return PlainTextResponse(call.file(call.repository(), call.path["path"]))


def _statuses(call: Call) -> list[dict[str, Any]]:
    found = call.repository().checks.get(call.path["commit"], [])
    states = ({"id": each["id"], "context": each["name"], "status": each["state"], **_words(each)} for each in found)
    return _page(call, list(states))


def _words(check: dict[str, Any]) -> dict[str, str]:
    return {"description": check["log"], "target_url": ""}


def _list_pulls(call: Call) -> list[dict[str, Any]]:
    repository = call.repository()
    wanted = call.query.get("state", "open")
    found = [each for each in reversed(repository.pulls) if (each.state == "open") == (wanted == "open")]
    return _page(call, [_pull(repository, each) for each in found])


def _open_pull(call: Call) -> Response:
    given = call.body
    draft = given["title"].startswith(DRAFT)
    try:
        made = call.open_pull(
            head=given["head"], base=given["base"], title=given["title"], body=given.get("body", ""), draft=draft
        )
    except Refusal as refusal:
        exists = "already exists" in refusal.message
        raise Refusal(409 if exists else refusal.status, refusal.message) from None
    return JSONResponse(_pull(call.repository(), made), 201)


def _change_pull(call: Call) -> dict[str, Any]:
    repository, pull = call.pull()
    call.repository(writing=True)
    pull.title, pull.body = call.body.get("title", pull.title), call.body.get("body", pull.body)
    return _pull(repository, pull)


def _pull(repository: ForgeRepository, pull: PullRequest) -> dict[str, Any]:
    heads = repository.heads()
    of_head = {"full_name": pull.fork or repository.full_name}
    return {
        "number": pull.number,
        "html_url": f"{repository.site_url}/{repository.full_name}/pulls/{pull.number}",
        "title": pull.title,
        "body": pull.body,
        "state": "open" if pull.state == "open" else "closed",
        "merged": pull.state == "merged",
        "draft": pull.title.startswith(DRAFT),
        "head": {"ref": pull.head, "sha": heads.get(pull.head, ""), "repo": of_head},
        "base": {"ref": pull.base, "sha": heads.get(pull.base, ""), "repo": {"full_name": repository.full_name}},
    }


def _reviews(call: Call) -> list[dict[str, Any]]:
    comments = call.pull()[1].comments
    user = {"login": comments[0]["author"]} if comments else None
    return [{"id": 1, "user": user, "body": "", "comments_count": len(comments)}] if comments else []


def _comments(call: Call) -> list[dict[str, Any]]:
    return [
        {"id": each["id"], "user": {"login": each["author"]}, "body": each["body"], "path": each["path"],
         "position": each["line"], "original_position": 0, "html_url": ""}
        for each in call.pull()[1].comments
    ]  # fmt: skip
