"""The forge's API in the format of GitLab, below the path /api/v4."""

from typing import Any

from starlette.responses import JSONResponse, PlainTextResponse, Response

from deploy.demo_forge.api import Answer, Call
from deploy.demo_forge.model import ForgeRepository, PullRequest

STATES = {"success": "success", "failure": "failed", "pending": "running"}
PULL_STATES = {"open": "opened", "merged": "merged", "closed": "closed"}


class GitLabApi:
    prefix = "/api/v4"

    def error(self, message: str) -> dict[str, Any]:
        return {"message": message}

    def routes(self) -> list[tuple[str, str, Answer]]:
        project = "/projects/{name:path}"
        pulls = f"{project}/merge_requests"
        return [
            ("GET", "/user", lambda call: {"username": call.login}),
            ("GET", "/projects", _projects),
            ("GET", f"{project}/repository/files/{{path:path}}/raw", _raw),
            ("GET", pulls, _list_pulls),
            ("POST", pulls, _open_pull),
            ("GET", f"{pulls}/{{number:int}}", lambda call: _pull(*call.pull())),
            ("PUT", f"{pulls}/{{number:int}}", _change_pull),
            ("GET", f"{pulls}/{{number:int}}/notes", lambda call: list(map(_note, call.pull()[1].comments))),
            ("GET", f"{pulls}/{{number:int}}/pipelines", _pipelines),
            ("GET", f"{project}/pipelines/{{number:int}}/jobs", _jobs),
            ("GET", f"{project}/jobs/{{number:int}}/trace", _trace),
            ("GET", project, lambda call: _project(call.repository())),
        ]


def _projects(call: Call) -> list[dict[str, Any]]:
    search = call.query.get("search", "").lower()
    return [_project(each) for each in call.visible() if search in each.full_name.lower()]


def _project(repository: ForgeRepository) -> dict[str, Any]:
    return {
        "id": repository.number,
        "path_with_namespace": repository.full_name,
        "http_url_to_repo": repository.clone_url,
        "default_branch": repository.default_branch,
        "visibility": "private" if repository.private else "public",
        "description": None,
        "last_activity_at": "2026-01-01T00:00:00Z",
    }


def _raw(call: Call) -> Response:
    return PlainTextResponse(call.file(call.repository(), call.path["path"]))


def _list_pulls(call: Call) -> list[dict[str, Any]]:
    repository, head = call.repository(), call.query.get("source_branch", "")
    return [
        _pull(repository, each)
        for each in repository.pulls
        if PULL_STATES[each.state] == call.query.get("state", "opened") and head in ("", each.head)
    ]


def _open_pull(call: Call) -> Response:
    given = call.body
    made = call.open_pull(
        head=given["source_branch"], base=given["target_branch"], title=given["title"],
        body=given.get("description", ""), draft=given["title"].startswith("Draft: "),
    )  # fmt: skip
    return JSONResponse(_pull(call.repository(), made), 201)


def _change_pull(call: Call) -> dict[str, Any]:
    repository, pull = call.pull()
    call.repository(writing=True)
    pull.title, pull.body = call.body.get("title", pull.title), call.body.get("description", pull.body)
    return _pull(repository, pull)


def _pull(repository: ForgeRepository, pull: PullRequest) -> dict[str, Any]:
    return {
        "iid": pull.number,
        "source_project_id": 0 if pull.fork else repository.number,
        "target_project_id": repository.number,
        "web_url": f"{repository.site_url}/{repository.full_name}/-/merge_requests/{pull.number}",
        "title": pull.title,
        "description": pull.body,
        "state": PULL_STATES[pull.state],
        "draft": pull.title.startswith("Draft: "),
        "source_branch": pull.head,
        "target_branch": pull.base,
        "sha": repository.heads().get(pull.head, ""),
    }


def _note(comment: dict[str, Any]) -> dict[str, Any]:
    position = {"new_path": comment["path"], "new_line": comment["line"]}
    author = {"username": comment["author"]}
    return {"id": comment["id"], "author": author, "body": comment["body"], "system": False, "position": position}


def _pipelines(call: Call) -> list[dict[str, Any]]:
    repository, pull = call.pull()
    return [{"id": pull.number}] if repository.checks.get(repository.heads().get(pull.head, "")) else []


def _jobs(call: Call) -> list[dict[str, Any]]:
    repository, pull = call.pull()
    found = repository.checks.get(repository.heads().get(pull.head, ""), [])
    return [{"id": each["id"], "name": each["name"], "status": STATES[each["state"]], "web_url": ""} for each in found]


def _trace(call: Call) -> Response:
    found = [check for checks in call.repository().checks.values() for check in checks if check["id"] == call.number]
    return PlainTextResponse(found[0]["log"] if found else "", 200 if found else 404)
