"""A question waits for one answer, and occupies no worker meanwhile."""

import pytest

from agentsite.base.errors import BadInput, Missing, NotAllowed, Stale
from agentsite.tenancy.roles import Role
from sessions_app.actions.questions import answer_question, dismiss_question
from sessions_app.models import Question, ToolCall, Turn
from tests.support.builders import make_member, make_team
from tests.support.model_server import calls, text, tool_call
from tests.support.session_site import SessionSite, snapshot_of, verify_events
from tests.support.threads import of_kind, race

pytestmark = pytest.mark.one_database

OPTIONS = [{"label": "Green", "description": "Sencha"}, {"label": "Black", "description": "Assam"}]
ASK = tool_call(
    "question",
    questions=[
        {"question": "Which tea?", "header": "Tea", "options": OPTIONS},
        {"question": "How many cups?", "header": "Cups", "options": []},
    ],
)


@pytest.fixture
def asked(site: SessionSite) -> Question:
    site.script(calls(ASK), text("Thank you."))
    turn = site.run_prompt()
    assert turn.state == Turn.State.WAITING
    assert site.pump.names() == []
    return site.open_question()


def end_of(site: SessionSite, question: Question) -> Turn:
    site.pump.run()
    return Turn.objects.get(pk=question.turn_id)


def test_the_answers_go_back_to_the_model(site: SessionSite) -> None:
    script = site.script(calls(ASK), text("Thank you."))
    turn = site.run_prompt()
    before = snapshot_of(turn.session_id)
    answer_question(actor=site.user, question=site.open_question(), answers=[["Green"], ["two", "or three"]])
    site.pump.run()
    turn.refresh_from_db()
    assert turn.state == Turn.State.COMPLETED
    read = script.requests(at_least=2)[1]["body"]["messages"][-1]["content"]
    assert read == "Which tea?\n-> Green\nHow many cups?\n-> two, or three"
    verify_events(turn.session_id, before)


def test_the_call_keeps_questions_and_answers_for_people(site: SessionSite, asked: Question) -> None:
    answer_question(actor=site.user, question=asked, answers=[["Black"], []])
    call = ToolCall.objects.get(pk=asked.call_id)
    assert call.state == ToolCall.State.COMPLETED
    assert call.metadata["answers"] == [["Black"], []]
    assert [each["header"] for each in call.metadata["questions"]] == ["Tea", "Cups"]


def test_a_dismissed_question_stops_the_turn(site: SessionSite, asked: Question) -> None:
    before = snapshot_of(asked.session_id)
    dismiss_question(actor=site.user, question=asked)
    turn = end_of(site, asked)
    assert turn.state == Turn.State.ABORTED
    assert turn.error is not None
    assert turn.error["code"] == "dismissed"
    verify_events(asked.session_id, before)


def test_a_second_answer_is_stale(site: SessionSite, asked: Question) -> None:
    answer_question(actor=site.user, question=asked, answers=[["Green"], ["1"]])
    with pytest.raises(Stale):
        answer_question(actor=site.user, question=asked, answers=[["Black"], ["2"]])
    with pytest.raises(Stale):
        dismiss_question(actor=site.user, question=asked)
    asked.refresh_from_db()
    assert (asked.state, asked.answers) == ("answered", [["Green"], ["1"]])


def test_of_answers_at_the_same_moment_exactly_one_counts(site: SessionSite, asked: Question) -> None:
    outcomes = race(
        *(lambda n=n: answer_question(actor=site.user, question=asked, answers=[[str(n)], []]) for n in range(4))
    )
    (winner,) = of_kind(outcomes, Question)
    assert len(of_kind(outcomes, Stale)) == 3
    asked.refresh_from_db()
    assert asked.answers == winner.answers


@pytest.mark.parametrize("answers", [[], [["Green"]], [["Green"], ["1"], ["2"]], [["x" * 10_001], []]])
def test_answers_that_do_not_fit_the_questions_are_refused(
    site: SessionSite, asked: Question, answers: list[list[str]]
) -> None:
    with pytest.raises(BadInput):
        answer_question(actor=site.user, question=asked, answers=answers)
    assert site.open_question().answers == []


def test_a_viewer_may_not_answer(site: SessionSite, asked: Question) -> None:
    viewer = site.member(Role.VIEWER)
    with pytest.raises(NotAllowed):
        answer_question(actor=viewer, question=asked, answers=[["Green"], []])
    with pytest.raises(NotAllowed):
        dismiss_question(actor=viewer, question=asked)
    assert site.open_question().answered_by is None


def test_for_somebody_of_another_team_there_is_no_such_question(site: SessionSite, asked: Question) -> None:
    with pytest.raises(Missing):
        answer_question(actor=make_member(make_team()), question=asked, answers=[["Green"], []])


def test_a_question_that_nobody_answers_is_closed_after_a_day_and_the_agent_goes_on(site: SessionSite) -> None:
    script = site.script(calls(ASK), text("Then green."))
    turn = site.run_prompt()
    before = snapshot_of(turn.session_id)
    assert site.recover(later=24 * 3600 - 60)["questions"] == 0
    assert site.recover(later=24 * 3600 + 60)["questions"] == 1
    site.pump.run()
    turn.refresh_from_db()
    assert turn.state == Turn.State.COMPLETED
    assert "Nobody answered" in script.requests(at_least=2)[1]["body"]["messages"][-1]["content"]
    verify_events(turn.session_id, before)
