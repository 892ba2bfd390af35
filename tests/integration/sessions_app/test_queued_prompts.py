"""A prompt that waits while the agent works can be changed or withdrawn until a step uses it, but not afterwards."""

from decimal import Decimal
from typing import Any

import pytest

from agentsite.base.ids import new_id
from agentsite.tenancy.roles import Role
from sessions_app.actions.attachments import upload_attachment
from sessions_app.actions.commands import run_shell
from sessions_app.actions.prompts import submit_prompt
from sessions_app.actions.turns import begin_step, finish_step
from sessions_app.agent.answer import ModelAnswer
from sessions_app.models import Attachment, Message, SearchText, Session, Turn
from sessions_app.spending.reservations import StepUsage
from tests.support.model_server import calls, text, tool_call
from tests.support.rest_api import RestApi
from tests.support.session_site import SessionSite, find_log_gaps, snapshot_of, verify_events


@pytest.fixture
def api(site: SessionSite) -> RestApi:
    return RestApi(site.user)


@pytest.fixture
def session(site: SessionSite) -> Session:
    """Return a session in which a step runs."""
    row = site.open_session()
    turn = site.prompt(row, "Begin.")
    assert begin_step(turn.pk, token="a", model="demo") is not None
    return row


def queue(site: SessionSite, session: Session, words: str, **more: Any) -> Message:
    return submit_prompt(actor=site.user, session=session, text=words, **more)[1]


def finish(site: SessionSite, session: Session) -> list[str]:
    """Run the turn to its end; return the texts of its last model call."""
    site.abandon()
    script = site.script(text("Done."))
    site.recover()
    site.pump.run()
    return [message["content"] for message in script.requests()[-1]["body"]["messages"][1:]]


def texts(session: Session) -> list[str]:
    return [part["text"] for part in snapshot_of(session.pk)["parts"]]


def test_a_changed_prompt_is_what_the_agent_reads(site: SessionSite, api: RestApi, session: Session) -> None:
    before = snapshot_of(session.pk)
    message = queue(site, session, "Then tea.")
    api("patch", f"/messages/{message.public_id}", {"text": "Then coffee."})
    assert texts(session) == ["Begin.", "Then coffee."]
    assert SearchText.objects.get(text="Then coffee.").person_id == site.user.pk
    verify_events(session.pk, before)
    assert finish(site, session) == ["Begin.", "Then coffee."]


def test_a_prompt_that_was_taken_back_is_nowhere(site: SessionSite, api: RestApi, session: Session) -> None:
    before = snapshot_of(session.pk)
    file = upload_attachment(actor=site.user, session=session, name="a.txt", content=b"words")
    message = queue(site, session, "Read @a.py", attachments=[file.public_id], paths=["a.py"])
    given = api("delete", f"/messages/{message.public_id}")
    assert given["text"] == "Read @a.py"
    assert given["paths"] == ["a.py"]
    assert [each["id"] for each in given["attachments"]] == [file.public_id]
    assert Turn.objects.get(session=session).opening == []
    assert not SearchText.objects.filter(text="Read @a.py").exists()
    verify_events(session.pk, before)
    session.refresh_from_db()
    assert find_log_gaps(session) == []
    queue(site, session, "Again.", attachments=[file.public_id])
    assert Attachment.objects.get().used
    assert [each for each in finish(site, session) if "Read" in str(each)] == []


def test_what_the_agent_has_is_not_changed(site: SessionSite, api: RestApi, session: Session) -> None:
    message = queue(site, session, "Then tea.")
    site.abandon()
    assert begin_step(message.turn_id, token="b", model="demo") is not None
    for method, body in (("patch", {"text": "Coffee."}), ("delete", None)):
        error = api.error(method, f"/messages/{message.public_id}", body, expect=409)
        assert error["code"] == "prompt_taken"
        assert error["message"] == "The agent has this prompt already."
    assert texts(session) == ["Begin.", "Then tea."]


def test_the_prompt_that_began_the_turn_is_not_taken_back(site: SessionSite, api: RestApi) -> None:
    opened = site.open_session()
    first = queue(site, opened, "Begin.")
    error = api.error("delete", f"/messages/{first.public_id}", expect=409)
    assert (error["code"], error["hint"]) == ("prompt_taken", "Stop the turn, then edit the prompt.")
    api("post", f"/sessions/{opened.public_id}/abort", expect=202)
    error = api.error("patch", f"/messages/{first.public_id}", {"text": "x"}, expect=409)
    assert error["code"] == "prompt_taken"


def test_only_the_author_changes_a_prompt_but_colleagues_may_take_it_back(site: SessionSite, session: Session) -> None:
    message = queue(site, session, "Then tea.")
    viewer, member = RestApi(site.member(Role.VIEWER)), RestApi(site.member())
    path = f"/messages/{message.public_id}"
    viewer.error("delete", path, expect=403)
    assert member.error("patch", path, {"text": "x"}, expect=403)["hint"] == "You can take it back."
    assert member("delete", path)["text"] == "Then tea."
    assert member.error("delete", path, expect=404)["code"] == "not_found"


def test_a_turn_that_only_this_prompt_kept_going_ends(site: SessionSite, api: RestApi) -> None:
    """A turn ends when the last prompt that kept it going is withdrawn: the agent has answered, and its next step would
    only have used that prompt."""
    opened = site.open_session()
    turn = site.prompt(opened, "Begin.")
    step = begin_step(turn.pk, token="a", model="demo")
    assert step is not None
    message = queue(site, opened, "And this.")
    finish_step(step, ModelAnswer(new_id, finish="stop"), StepUsage({}, Decimal()), opened=False)
    turn.refresh_from_db()
    assert turn.state == Turn.State.RUNNING
    api("delete", f"/messages/{message.public_id}")
    turn.refresh_from_db()
    assert turn.state == Turn.State.COMPLETED
    site.pump.run()
    assert len(site.answers(turn)) == 1


def test_the_person_billed_is_the_one_whose_prompt_is_left(site: SessionSite, session: Session) -> None:
    other = site.member()
    message = submit_prompt(actor=other, session=session, text="Mine.")[1]
    assert Turn.objects.get(session=session).payer_id == other.pk
    RestApi(other)("delete", f"/messages/{message.public_id}")
    assert Turn.objects.get(session=session).payer_id == site.user.pk


def test_a_shell_command_that_waits_is_taken_back_but_not_changed(
    site: SessionSite, api: RestApi, session: Session
) -> None:
    message = run_shell(actor=site.user, session=session, command="ls").message
    assert message is not None
    error = api.error("patch", f"/messages/{message.public_id}", {"text": "!rm x"}, expect=400)
    assert error["hint"] == "Take the prompt back, then send it again."
    api("delete", f"/messages/{message.public_id}")
    assert Turn.objects.get(session=session).opening == []


def test_agents_that_the_new_text_does_not_mention_are_not_called(
    site: SessionSite, api: RestApi, session: Session
) -> None:
    before = snapshot_of(session.pk)
    message = queue(site, session, "Ask @explore about @a.py", paths=["a.py"])
    assert message.parts.filter(type="agent").count() == 1
    api("patch", f"/messages/{message.public_id}", {"text": "Ask @general"})
    assert [part.data["agent"] for part in message.parts.filter(type="agent")] == ["general"]
    assert Turn.objects.get(session=session).opening == []
    verify_events(session.pk, before)


def test_a_prompt_is_taken_back_while_calls_wait(site: SessionSite, api: RestApi) -> None:
    """A prompt can be withdrawn while its turn waits for a decision about a call. Afterwards, the agent continues as if
    there had been no prompt."""
    script = site.script(calls(tool_call("bash", command="make hi")), text("Done."))
    opened = site.open_session()
    turn = site.run_prompt("Begin.", session=opened)
    message = queue(site, opened, "And this.")
    api("delete", f"/messages/{message.public_id}")
    site.reply("once")
    site.pump.run()
    turn.refresh_from_db()
    assert turn.state == Turn.State.COMPLETED
    sent = script.requests(at_least=2)[-1]["body"]["messages"]
    assert [each["content"] for each in sent if each["role"] == "user"] == ["Begin."]


def test_a_prompt_that_waited_when_the_turn_was_stopped_is_taken_back_until_the_next_turn(
    site: SessionSite, api: RestApi, session: Session
) -> None:
    before = snapshot_of(session.pk)
    first, second = queue(site, session, "Then tea."), queue(site, session, "Then milk.")
    api("post", f"/sessions/{session.public_id}/abort", expect=202)
    assert api.error("patch", f"/messages/{first.public_id}", {"text": "x"}, expect=409)["code"] == "prompt_taken"
    assert api("delete", f"/messages/{first.public_id}")["text"] == "Then tea."
    assert texts(session) == ["Begin.", "Then milk."]
    verify_events(session.pk, before)
    queue(site, session, "Go on.")
    assert api.error("delete", f"/messages/{second.public_id}", expect=409)["code"] == "prompt_taken"
    assert finish(site, session) == ["Begin.", "Then milk.", "Go on."]


def test_a_prompt_that_the_stopped_step_had_read_is_not_taken_back(
    site: SessionSite, api: RestApi, session: Session
) -> None:
    message = queue(site, session, "Then tea.")
    site.abandon()
    assert begin_step(message.turn_id, token="b", model="demo") is not None
    api("post", f"/sessions/{session.public_id}/abort", expect=202)
    assert api.error("delete", f"/messages/{message.public_id}", expect=409)["code"] == "prompt_taken"
