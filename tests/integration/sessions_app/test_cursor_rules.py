"""Rules of Cursor in a workspace: in the system prompt, attached to the files that they apply to, and in folders."""

import pytest

from sessions_app.models import Workspace
from sessions_app.workers.sandbox import deployment, project_files
from sessions_app.workers.sandbox.project_files import refresh_project_files
from tests.support.model_server import calls, text, tool_call
from tests.support.session_site import SessionSite

pytestmark = pytest.mark.one_database


@pytest.fixture
def ruled(site: SessionSite) -> SessionSite:
    project_files._seen.clear()
    deployment.runtime_of(site.workspace)
    for path, content in {
        ".cursor/rules/always.mdc": "---\nalwaysApply: true\n---\nSay ALWAYS.",
        ".cursor/rules/python.mdc": "---\nglobs: *.py, tests/**\n---\nSay PYTHON.",
        ".cursor/rules/deep/release.mdc": "---\ndescription: How to release\n---\nSay RELEASE.",
        ".cursor/rules/manual.mdc": "Say MANUAL.",
        ".cursor/rules/broken.mdc": '---\nalwaysApply: "yes"\n---\nSay BROKEN.',
        ".cursorrules": "Say OLD.",
        "pkg/.cursor/rules/pkg.mdc": "---\nglobs: src/*.py\n---\nSay PACKAGE.",
        "app.py": "print(1)\n",
        "notes.txt": "hello\n",
        "pkg/src/x.py": "print(2)\n",
    }.items():
        site.write(path, content)
    return site


def refreshed(site: SessionSite) -> Workspace:
    workspace = Workspace.objects.select_related("project").get(pk=site.workspace.pk)
    refresh_project_files(workspace, deployment.runtime_of(workspace))
    return Workspace.objects.get(pk=workspace.pk)


def test_rules_apply_always_for_matching_files_or_on_request(ruled: SessionSite) -> None:
    refreshed(ruled)
    posted = ruled.script(
        calls(tool_call("read", filePath="notes.txt"), tool_call("read", filePath="app.py")),
        calls(tool_call("read", filePath="app.py"), tool_call("write", filePath="tests/new.txt", content="x")),
        text("ok"),
    )
    turn = ruled.run_prompt(session=ruled.open_session(allow=("edit",)))
    system = posted.requests(at_least=1)[0]["body"]["messages"][0]["content"]
    assert "Say ALWAYS." in system
    assert "Say OLD." in system
    assert "- .cursor/rules/deep/release.mdc: How to release" in system
    assert not any(word in system for word in ("PYTHON", "RELEASE", "MANUAL", "BROKEN", "PACKAGE"))
    notes, first, again, written = (call.output for call in ruled.calls(turn))
    assert "Instructions for files like this one, from .cursor/rules/python.mdc:\nSay PYTHON." in first
    assert "PYTHON" not in notes + again + written


def test_a_new_file_is_told_about_its_rules(ruled: SessionSite) -> None:
    refreshed(ruled)
    ruled.script(calls(tool_call("write", filePath="new.py", content="x = 1\n")), text("ok"))
    (call,) = ruled.calls(ruled.run_prompt(session=ruled.open_session(allow=("edit",))))
    assert "Say PYTHON." in call.output


def test_what_cannot_be_read_is_named(ruled: SessionSite) -> None:
    (ruled.files / ".cursor/rules/link.mdc").symlink_to("/etc/passwd")
    ruled.write(".cursor/rules/large.mdc", "x" * 40_000)
    problems = {each["pattern"]: each["problem"] for each in refreshed(ruled).configuration["instructions"]}
    assert set(problems) == {f".cursor/rules/{name}.mdc" for name in ("broken", "link", "large")}
    assert "`alwaysApply` must be true or false" in problems[".cursor/rules/broken.mdc"]


def test_a_changed_rule_counts_from_the_next_look_on(ruled: SessionSite) -> None:
    refreshed(ruled)
    ruled.write(".cursor/rules/always.mdc", "---\nalwaysApply: true\n---\nSay CHANGED, and more.")
    assert any("CHANGED" in each["text"] for each in refreshed(ruled).instructions)
