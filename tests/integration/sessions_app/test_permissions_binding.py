"""A person's approval allows one call as it was shown to the person; rules that changed meanwhile are applied before
the call runs."""

import pytest

from sessions_app.models import Grant, PermissionRequest, Turn
from tests.support.asking import DEPLOY, approved_by, deployed, go_on, set_policy, waiting_turn
from tests.support.model_server import calls, text, tool_call
from tests.support.session_site import SessionSite

DENY = [{"permission": "bash", "pattern": "make *", "action": "deny"}]


@pytest.fixture
def waiting(site: SessionSite) -> Turn:
    return waiting_turn(site)


@pytest.mark.parametrize(("reply", "place"), [("once", "rules"), ("once", "enforced"), ("always", "enforced")])
def test_a_deny_that_came_meanwhile_wins_over_the_answer(
    site: SessionSite, waiting: Turn, reply: str, place: str
) -> None:
    """A deny rule that is saved after the answer "once" overrides this answer. After the answer "always", only a deny
    limit overrides the grant; other rules of the team cannot."""
    site.reply(reply)
    set_policy(site.team, **{place: DENY})
    assert go_on(site, waiting).state == Turn.State.COMPLETED
    (call,) = site.calls(waiting)
    assert (call.state, deployed(site)) == ("error", 0)
    assert "the permission rules deny it" in call.output


def test_a_deny_that_came_before_the_answer_wins_as_well(site: SessionSite, waiting: Turn) -> None:
    set_policy(site.team, enforced=DENY)
    site.reply("always", scope="project")
    assert go_on(site, waiting).state == Turn.State.COMPLETED
    assert deployed(site) == 0


def test_an_answer_holds_although_its_grant_was_taken_back_before_the_call_ran(
    site: SessionSite, waiting: Turn
) -> None:
    """An answer "always" allows its own call even if the grant is revoked before the call runs; revoking only affects
    later calls."""
    site.reply("always")
    Grant.objects.all().delete()
    assert go_on(site, waiting).state == Turn.State.COMPLETED
    assert deployed(site) == 1


def test_stricter_approvers_after_the_answer_do_not_undo_it(site: SessionSite, waiting: Turn) -> None:
    site.reply("once")
    approved_by(site.team, "two_people")
    assert go_on(site, waiting).state == Turn.State.COMPLETED
    assert deployed(site) == 1


def test_an_answer_in_one_workspace_does_not_speak_for_another(site: SessionSite, waiting: Turn) -> None:
    site.reply("once")
    PermissionRequest.objects.update(call_hash="0" * 64)
    assert go_on(site, waiting).state == Turn.State.WAITING
    assert site.open_request().needs[0]["patterns"] == [DEPLOY]


def test_a_limit_on_a_folder_holds_for_tools_and_commands_that_read_all_of_it(site: SessionSite) -> None:
    set_policy(site.team, enforced=[{"permission": "read", "pattern": "internal/*", "action": "deny"}])
    site.write("internal/plan.txt", "the plan\n")
    site.write("notes.txt", "no plan\n")
    searches = [tool_call("grep", pattern="plan"), tool_call("bash", command="grep -rn plan .")]
    site.script(calls(*searches), text("Done."))
    turn = site.run_prompt()
    outputs = {call.tool: call.output for call in site.calls(turn)}
    assert "no plan" in outputs["grep"]
    assert "`deny read internal/*` of team limits" in outputs["grep"]
    assert "the plan" not in "".join(outputs.values())
    assert "the permission rules deny it" in outputs["bash"]
