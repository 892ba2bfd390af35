"""The forge's API in the format of Bitbucket Cloud, below the path /2.0."""

import re
from typing import Any

from starlette.responses import JSONResponse, PlainTextResponse, Response

from deploy.demo_forge.api import Answer, Call, Refusal
from deploy.demo_forge.model import ForgeRepository, PullRequest

STATES = {"success": "SUCCESSFUL", "failure": "FAILED", "pending": "INPROGRESS"}
PULL_STATES = {"open": "OPEN", "merged": "MERGED", "closed": "DECLINED"}
CLAUSE = re.compile(r'([a-z_.]+) ?(=|~) ?"([^"]*)"')


class BitbucketApi:
    prefix = "/2.0"

    def error(self, message: str) -> dict[str, Any]:
        return {"type": "error", "error": {"message": message}}

    def routes(self) -> list[tuple[str, str, Answer]]:
        repository = "/repositories/{name:path}"
        pulls = f"{repository}/pullrequests"
        return [
            ("GET", "/user", lambda call: {"nickname": call.login, "display_name": call.login.title()}),
            ("GET", "/user/workspaces", _workspaces),
            ("GET", "/repositories", _all_repositories),
            ("GET", "/repositories/{workspace}", lambda call: _found(call, call.path["workspace"])),
            ("GET", f"{repository}/src/{{commit}}/{{path:path}}", _src),
            ("GET", f"{repository}/refs/branches/{{branch:path}}", _branch),
            ("GET", f"{repository}/commit/{{commit}}/statuses", _statuses),
            ("GET", pulls, _list_pulls),
            ("POST", pulls, _open_pull),
            ("GET", f"{pulls}/{{number:int}}", lambda call: _pull(*call.pull())),
            ("PUT", f"{pulls}/{{number:int}}", _change_pull),
            ("GET", f"{pulls}/{{number:int}}/comments", lambda call: _values(map(_comment, call.pull()[1].comments))),
            ("GET", repository, lambda call: _shown(call.repository())),
        ]


def _values(rows: Any) -> dict[str, Any]:
    return {"values": list(rows), "pagelen": 100}


def _asked(call: Call) -> dict[str, str]:
    """Return the values of a query such as `source.branch.name="x" AND state="OPEN"`, by their fields."""
    return {name: value for name, _, value in CLAUSE.findall(call.query.get("q", ""))}


def _workspaces(call: Call) -> dict[str, Any]:
    names = dict.fromkeys(each.full_name.partition("/")[0] for each in call.visible())
    return _values({"workspace": {"slug": name}} for name in names)


def _all_repositories(call: Call) -> dict[str, Any]:
    if call.forge.bitbucket_lists_by_workspace:
        raise Refusal(410, "This endpoint was removed")
    return _found(call, "")


def _found(call: Call, workspace: str) -> dict[str, Any]:
    wanted = _asked(call).get("name", "").lower()
    rows = [each for each in call.visible() if not workspace or each.full_name.startswith(f"{workspace}/")]
    return _values(_shown(each) for each in rows if wanted in each.full_name.partition("/")[2].lower())


def _shown(repository: ForgeRepository) -> dict[str, Any]:
    with_user = repository.clone_url.replace("://", "://kim@")
    return {
        "full_name": repository.full_name,
        "is_private": repository.private,
        "mainbranch": {"name": repository.default_branch},
        "links": {"clone": [{"name": "https", "href": with_user}, {"name": "ssh", "href": "git@forge:x.git"}]},
        "updated_on": "2026-01-01T00:00:00Z",
        "description": "",
    }


def _src(call: Call) -> Response:
    return PlainTextResponse(call.file(call.repository(), call.path["path"], call.path["commit"]))


def _branch(call: Call) -> dict[str, Any]:
    commit = call.repository().heads().get(call.path["branch"])
    if commit is None:
        raise Refusal(404, "No such branch")
    return {"name": call.path["branch"], "target": {"hash": commit}}


def _statuses(call: Call) -> dict[str, Any]:
    checks = call.repository().checks
    found = next((each for commit, each in checks.items() if commit.startswith(call.path["commit"])), [])
    return _values(
        {"key": f"{each['id']}", "name": each["name"], "state": STATES[each["state"]], "description": each["log"]}
        for each in found
    )


def _list_pulls(call: Call) -> dict[str, Any]:
    repository, asked = call.repository(), _asked(call)
    head, of = asked.get("source.branch.name", ""), asked.get("source.repository.full_name", "")
    return _values(
        _pull(repository, each)
        for each in repository.pulls
        if PULL_STATES[each.state] == asked.get("state", "OPEN")
        and head in ("", each.head)
        and of in ("", each.fork or repository.full_name)
    )


def _open_pull(call: Call) -> Response:
    given = call.body
    try:
        made = call.open_pull(
            head=given["source"]["branch"]["name"], base=given["destination"]["branch"]["name"],
            title=given["title"], body=given.get("description", ""), draft=given.get("draft", False),
        )  # fmt: skip
    except Refusal as refusal:
        raise Refusal(400 if refusal.status == 422 else refusal.status, refusal.message) from None
    return JSONResponse(_pull(call.repository(), made), 201)


def _change_pull(call: Call) -> dict[str, Any]:
    repository, pull = call.pull()
    call.repository(writing=True)
    pull.title, pull.body = call.body.get("title", pull.title), call.body.get("description", pull.body)
    return _pull(repository, pull)


def _pull(repository: ForgeRepository, pull: PullRequest) -> dict[str, Any]:
    return {
        "id": pull.number,
        "title": pull.title,
        "description": pull.body,
        "state": PULL_STATES[pull.state],
        "draft": pull.draft,
        "links": {"html": {"href": f"{repository.site_url}/{repository.full_name}/pull-requests/{pull.number}"}},
        "source": {
            "branch": {"name": pull.head},
            "commit": {"hash": repository.heads().get(pull.head, "")[:12]},
            "repository": {"full_name": pull.fork or repository.full_name},
        },
        "destination": {"branch": {"name": pull.base}},
    }


def _comment(comment: dict[str, Any]) -> dict[str, Any]:
    return {
        "id": comment["id"],
        "user": {"nickname": comment["author"]},
        "content": {"raw": comment["body"]},
        "inline": {"path": comment["path"], "to": comment["line"], "from": None},
        "deleted": False,
    }
