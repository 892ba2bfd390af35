"""Permission rules in files of the repository apply from the next tool call on, and can never loosen other rules by
themselves."""

import json
from collections.abc import Sequence
from typing import Any

import pytest

from agentsite.base.background import background
from sandbox.ports import Runtime
from sessions_app.models import Session, Workspace
from sessions_app.policy import judge_needs
from sessions_app.workers.sandbox import deployment, project_files
from sessions_app.workers.sandbox.project_files import refresh_project_files
from sessions_app.workers.sandbox.setup_state import finder_of
from sessions_app.workers.sandbox.workspace_setup import prepare
from tests.support.asking import set_policy
from tests.support.builders import browser_of
from tests.support.model_server import calls, text, tool_call
from tests.support.session_site import SessionSite
from tests.support.threads import race
from tools_app.spec import PermissionNeed

pytestmark = pytest.mark.one_database

LIST = tool_call("list")
DENY_LIST = {"permission": {"list": "deny"}}


@pytest.fixture(autouse=True)
def _forgetful() -> None:
    project_files._seen.clear()


def put(site: SessionSite, path: str, content: Any) -> None:
    target = site.files / path
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())


def refresh(site: SessionSite) -> list[dict[str, Any]]:
    """Refresh the project's files; return their present rules. Check that the refreshed workspace object and its row
    have the same rules."""
    workspace = Workspace.objects.select_related("project").get(pk=site.workspace.pk)
    refresh_project_files(workspace, deployment.runtime_of(workspace))
    kept: list[dict[str, Any]] = Workspace.objects.get(pk=workspace.pk).project_files
    assert workspace.project_files == kept
    return kept


@pytest.fixture
def opened(site: SessionSite) -> SessionSite:
    """Return the site after starting its workspace."""
    deployment.runtime_of(site.workspace)
    return site


def test_a_file_that_is_added_counts_from_the_next_call_on(site: SessionSite) -> None:
    session = site.open_session(allow=("edit", "bash", "doom_loop"))
    write = tool_call("write", filePath="agentsite.json", content=json.dumps(DENY_LIST))
    site.script(calls(LIST), calls(write), calls(LIST), text("Done."))
    turn = site.run_prompt(session=session)
    assert [(call.tool, call.state) for call in site.calls(turn)] == [
        ("list", "completed"),
        ("write", "completed"),
        ("list", "error"),
    ]
    assert (site.calls(turn)[-1].decision or {})["layer"] == "project file"


def test_a_file_is_read_when_the_workspace_is_made_ready(opened: SessionSite) -> None:
    put(opened, "opencode.jsonc", b'{"permission": {"bash": "deny",}} // ours')
    prepare(opened.workspace.pk, node=opened.settings.NODE_NAME)
    (said,) = Workspace.objects.get(pk=opened.workspace.pk).project_files
    assert said["rules"] == [{"permission": "bash", "pattern": "*", "action": "deny"}]


def test_files_of_all_places_are_read_and_later_places_win(opened: SessionSite) -> None:
    for path in ("opencode.json", "agentsite.jsonc", ".opencode/opencode.json", ".agentsite/agentsite.json"):
        put(opened, path, DENY_LIST)
    assert [said["path"] for said in refresh(opened)] == [
        "opencode.json",
        "agentsite.jsonc",
        ".opencode/opencode.json",
        ".agentsite/agentsite.json",
    ]


@pytest.mark.parametrize("path", ["agentsite.json", ".agentsite/opencode.jsonc"])
def test_every_change_is_seen_at_the_next_look(opened: SessionSite, path: str) -> None:
    assert refresh(opened) == []
    put(opened, path, DENY_LIST)
    assert [said["rules"][0]["action"] for said in refresh(opened)] == ["deny"]
    put(opened, path, {"permission": {"list": "ask", "x": "ask"}})
    assert [said["rules"][0]["action"] for said in refresh(opened)] == ["ask"]
    (opened.files / path).unlink()
    assert refresh(opened) == []


def test_without_a_change_nothing_is_read_or_written(opened: SessionSite, django_assert_num_queries: Any) -> None:
    put(opened, "agentsite.json", DENY_LIST)
    refresh(opened)
    workspace = Workspace.objects.select_related("project").get(pk=opened.workspace.pk)
    counting = Counting(deployment.runtime_of(workspace))
    with django_assert_num_queries(0):
        refresh_project_files(workspace, counting)  # type: ignore[arg-type]  # as much of a runtime as is used
    assert (counting.requests, counting.reads) == (1, 0)


class Counting:
    """A runtime that counts its requests and reads."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self.requests = 0
        self.reads = 0

    async def stats(self, paths: Sequence[str]) -> Any:
        self.requests += 1
        return await self._runtime.stats(paths)

    async def read(self, path: str, *, limit: int) -> Any:
        self.reads += 1
        return await self._runtime.read(path, limit=limit)


def test_what_another_process_wrote_meanwhile_is_put_right(opened: SessionSite) -> None:
    put(opened, "agentsite.json", DENY_LIST)
    kept = refresh(opened)
    Workspace.objects.update(project_files=[])
    assert refresh(opened) == kept


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"{", "cannot be parsed"),
        (b'{"permission": {"list": "perhaps"}}', "perhaps"),
        (b'{"permission": {"list": {"\\u0000": "deny"}}}', "NUL"),
        (b'{"permission": {"\\u0000": {}}}', "NUL"),
        (b'{"permission": {"\\ud800": {}}}', "incomplete character"),
        (b" " * 65_537, "65,536 bytes"),
    ],
)
def test_a_broken_file_is_shown_and_loosens_nothing(opened: SessionSite, content: bytes, problem: str) -> None:
    put(opened, "agentsite.json", content)
    (said,) = refresh(opened)
    assert problem in said["problem"]
    assert said["rules"] == []
    session = opened.open_session()
    view = browser_of(opened.user).get(f"/api/v1/sessions/{session.public_id}/rules").json()
    assert view["project_files"] == [said]
    assert "project file" not in [layer["name"] for layer in view["preferences"]]


def test_links_are_not_followed(opened: SessionSite, tmp_path: Any) -> None:
    outside = tmp_path / "rules.json"
    outside.write_text(json.dumps({"permission": "allow", "secret": "s3cret"}))
    (opened.files / "agentsite.json").symlink_to(outside)
    (opened.files / "elsewhere").mkdir()
    put(opened, "elsewhere/opencode.json", {"permission": "allow"})
    (opened.files / ".opencode").symlink_to("elsewhere")
    said = refresh(opened)
    assert [(item["path"], item["rules"], "link" in item["problem"]) for item in said] == [
        ("agentsite.json", [], True),
        (".opencode/opencode.json", [], True),
    ]
    assert "s3cret" not in json.dumps(said)


def test_what_is_no_file_is_a_problem_and_no_failure(opened: SessionSite) -> None:
    (opened.files / "agentsite.json").mkdir()
    (opened.files / ".agentsite").write_text("not a folder")
    assert [(item["path"], item["problem"]) for item in refresh(opened)] == [("agentsite.json", "It is not a file.")]


def test_looking_at_the_same_time_from_several_workers_is_harmless(opened: SessionSite) -> None:
    put(opened, "agentsite.json", DENY_LIST)
    outcomes = race(*[lambda: refresh(opened)] * 4)
    assert outcomes == [refresh(opened)] * 4


def test_a_file_tightens_and_does_not_loosen(opened: SessionSite) -> None:
    put(opened, "agentsite.json", {"permission": {"webfetch": "allow", "list": "ask"}})
    refresh(opened)
    assert (action(opened, "list", "."), action(opened, "webfetch", "https://example.org")) == ("ask", "ask")


def test_a_file_loosens_what_the_team_lets_it(opened: SessionSite) -> None:
    loosenable = [{"permission": "webfetch", "pattern": "https://example.org/*"}]
    set_policy(opened.team, options={"loosenable": loosenable})
    put(opened, "agentsite.json", {"permission": {"webfetch": "allow"}})
    refresh(opened)
    assert action(opened, "webfetch", "https://example.org/a") == "allow"
    assert action(opened, "webfetch", "https://example.com/a") == "ask"


def action(site: SessionSite, permission: str, pattern: str) -> str:
    session = Session.objects.select_related("project", "workspace").get(pk=site.open_session().pk)
    return judge_needs(session, [PermissionNeed(permission, (pattern,))]).action


class Counted:
    """A runtime that records the names of its used attributes."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self.asked: list[str] = []

    def __getattr__(self, name: str) -> Any:
        self.asked.append(name)
        return getattr(self._runtime, name)


def test_a_look_at_what_has_not_changed_is_one_request(opened: SessionSite) -> None:
    put(opened, "agentsite.json", DENY_LIST)
    refresh(opened)
    workspace = Workspace.objects.select_related("project").get(pk=opened.workspace.pk)
    runtime: Any = Counted(deployment.runtime_of(workspace))
    seen, may_read = project_files._seen[workspace.pk], project_files._reader_of(workspace)

    look = project_files._check(runtime, seen, may_read, finder_of(workspace), starting=False)

    assert background.run(look) is seen
    assert runtime.asked == ["stats"]
