"""A session's branch and its base branch: new commits are reported and merged, and conflicts are resolved."""

import os
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from sessions_app.actions.sessions import create_session
from sessions_app.models import Connection, Part, Session, Workspace, WorkspaceNote
from tests.integration.sessions_app.test_working_copy import Desk, desk, door_at_work, forge_site, running_forge
from tests.support.asking import audited
from tests.support.builders import browser_of
from tests.support.model_server import text
from tests.support.nodes import archives

__all__ = ["archives", "desk", "door_at_work", "forge_site", "running_forge"]

WAYS = ["rebase", pytest.param("merge", marks=pytest.mark.full)]


def update(desk: Desk, how: str) -> Any:
    answer = desk.ask("/update", {"how": how})
    assert answer.status_code == 200, answer.json()
    return answer.json()


@pytest.mark.parametrize("how", WAYS)
def test_new_commits_of_the_base_branch_are_said_and_brought_in(desk: Desk, how: str) -> None:
    desk.commit("mine", "mine.txt")
    assert desk.ask().json()["behind"] == 0
    tip = desk.repo.shop.commit({"theirs.txt": "t\n"})

    shown = update(desk, "fetch")
    assert (shown["base"], shown["behind"], shown["pushed"], shown["operation"]) == ("main", 1, False, "")

    desk.repo.site.write("theirs.txt", "in the way")
    assert desk.refused("/update", {"how": how})[1] == "update_failed"
    desk.repo.shell("rm theirs.txt; echo changed >> mine.txt")
    assert desk.refused("/update", {"how": how})[1] == "not_committed"
    desk.repo.shell("git checkout -q mine.txt")

    after = update(desk, how)
    assert (after["behind"], after["operation"], after["uncommitted"]) == (0, "", [])
    assert desk.repo.shell(f"git merge-base --is-ancestor {tip} HEAD && cat mine.txt theirs.txt") == "minet\n"
    parents = desk.repo.shell("git log -1 --format=%p").split()
    assert len(parents) == {"rebase": 1, "merge": 2}[how]
    assert desk.repo.shell("git log -1 --format=%s").startswith({"rebase": "mine", "merge": "Merge remote"}[how])
    assert "Co-authored-by" not in desk.repo.shell("git log -1 --format=%s")
    assert desk.repo.shell("git log -1 --format='%ae %cn'").split() == [desk.repo.site.user.email, "agentsite"]
    assert audited(desk.repo.site.team, "session.branch_updated")[0].data == {"how": how, "base": ""}


@pytest.mark.parametrize("how", WAYS)
def test_conflicts_are_a_task_for_the_agent_or_undone(desk: Desk, how: str) -> None:
    head = desk.commit("mine\n", "README.md")
    desk.repo.shop.commit({"README.md": "theirs\n"})

    shown = update(desk, how)
    assert (shown["operation"], shown["uncommitted"]) == (how, [{"path": "README.md", "status": "conflict"}])
    status, code, message = desk.refused("/commit", {"message": "Too early"})
    assert (status, code) == (409, "commit_failed")
    assert "Files are in conflict" in message
    assert update(desk, "abort")["operation"] == ""
    assert desk.ask().json()["head"] == head
    assert desk.refused("/resolve", {})[:2] == (409, "no_conflicts")

    update(desk, how)
    desk.repo.site.script(text("Both are kept."))
    answer = desk.ask("/resolve", {})
    assert answer.status_code == 202, answer.json()
    parts = Part.objects.filter(message__session=desk.session, message__role="user")
    prompt = parts.order_by("-id")[0].text
    assert f"A {how} of this branch" in prompt
    assert prompt.endswith("> README.md")


def test_a_session_starts_from_the_pushed_branch_of_another_in_a_workspace_of_its_own(desk: Desk) -> None:
    head = desk.commit("mine", "mine.txt")
    assert desk.refused("/session", {})[1] == "branch_not_pushed"
    assert desk.ask("/push", {"commit": head}).status_code == 200

    made = desk.ask("/session", {"title": "Next"})
    assert made.status_code == 201, made.json()
    row = Session.objects.by_public_id(made.json()["id"])
    assert row.workspace_id != desk.session.workspace_id
    assert row.workspace.ref == desk.branch
    desk.repo.run("true", session=row)
    row.refresh_from_db()
    assert row.branch not in ("", desk.branch)
    workspace = Workspace.objects.get(pk=row.workspace_id)
    assert desk.repo.shell("git rev-parse HEAD; cat mine.txt", workspace=workspace) == f"{head}\nmine"
    shown = browser_of(desk.repo.site.user).get(f"/api/v1/sessions/{row.public_id}/git").json()
    assert (shown["base"], shown["behind"]) == (desk.branch, 0)


def test_the_next_workspace_fetches_only_what_is_new(desk: Desk, archives: Path) -> None:
    desk.repo.shop.git("branch", "gone", "main")
    desk.repo.shop.commit({"large.bin": os.urandom(3 << 20)})
    first = another_workspace(desk)
    kept = list(archives.rglob("clones/*.tar.gz"))
    assert len(kept) == 1
    tip = desk.repo.shop.commit({"new.txt": "new\n"})

    second = another_workspace(desk)

    shell = partial(desk.repo.shell, workspace=second)
    assert facts_of(first).get("kept") is None
    assert facts_of(second)["kept"] == "yes"
    assert shell("git rev-parse HEAD origin/main; git status --porcelain; cat new.txt") == f"{tip}\n{tip}\nnew\n"
    assert (
        shell("git fsck --connectivity-only 2>&1; git for-each-ref refs/heads --format='%(refname:short)'").count(
            "agentsite/"
        )
        == 1
    )
    new_packs = shell("ls -l .git/objects/pack/*.pack | awk '{print $5}' | sort -n").split()
    assert int(new_packs[0]) < 1 << 20 < int(new_packs[-1])

    kept[0].write_bytes(b"damaged")
    third = another_workspace(desk)
    assert facts_of(third).get("kept") is None
    Connection.objects.update(state="revoked", sealed="")
    assert "was revoked" in another_workspace(desk).detail


def another_workspace(desk: Desk) -> Workspace:
    session = create_session(actor=desk.repo.site.user, project=desk.repo.site.project, new_workspace=True)
    desk.repo.run("true", session=session)
    return Workspace.objects.get(pk=session.workspace_id)


def facts_of(workspace: Workspace) -> dict[str, Any]:
    data: dict[str, Any] = WorkspaceNote.objects.get(workspace=workspace, text__startswith="Cloned").data
    return data
