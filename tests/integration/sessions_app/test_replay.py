"""A snapshot of any moment with the later events applied equals the present snapshot."""

import random
import uuid
from typing import Any

import pytest

from sessions_app.actions.prompts import abort_turn
from sessions_app.actions.questions import answer_question
from sessions_app.actions.sessions import update_session
from sessions_app.events.reducer import apply_event
from sessions_app.events.snapshot import REPLAY_LIMIT, read_events
from sessions_app.models import Part, PermissionRequest, Question, Session, SessionEvent
from tests.support.deadline import wait_until
from tests.support.lanes import sampled
from tests.support.model_server import calls, text, tool_call
from tests.support.session_site import SessionSite, find_log_gaps, snapshot_of, verify_events
from tests.support.threads import at_work

STEPS = (
    text("A thought.", reasoning="Hm."),
    calls(tool_call("todowrite", todos=[{"content": "tea", "status": "pending"}])),
    calls(tool_call("bash", command="echo hi"), tool_call("bash", command="echo ho")),
    calls(tool_call("edit", filePath="a.txt", oldString="o", newString="0"), tool_call("fly")),
    calls(tool_call("question", questions=[{"question": "Tea?", "header": "Tea", "options": []}])),
    text("", fault="status", status=500),
    text("", fault="status", status=401),
    text("half of", chunk_size=2, fault="cut", fault_after=2),
    calls(tool_call("read", filePath="a.txt")),
)


class Life:
    """A session with random actions, and a snapshot after each of them."""

    def __init__(self, site: SessionSite, seed: int) -> None:
        self.site = site
        self.random = random.Random(seed)
        self.session = site.open_session()
        site.script(*(self.random.choice(STEPS) for _ in range(60)))
        self.snapshots: list[dict[str, Any]] = []

    def live(self, moments: int) -> None:
        for _ in range(moments):
            self.random.choice((self.prompt, self.work, self.work, self.work, self.reply, self.answer, self.rename,
                                self.stop, self.die, self.recover))()  # fmt: skip
            self.snapshots.append(snapshot_of(self.session.id))

    def prompt(self) -> None:
        self.site.prompt(self.session, "Go on.")

    def work(self) -> None:
        if self.site.pump.waiting:
            self.site.pump.step(times=self.random.choice((1, 1, 2)))

    def reply(self) -> None:
        request = PermissionRequest.objects.filter(state="open").select_related("session__project").first()
        if request:
            reply = self.random.choice(("once", "once", "always", "reject"))
            self.site.reply(reply, request=request, message=self.random.choice(("", "no")))

    def answer(self) -> None:
        question = Question.objects.filter(state="open").select_related("session__project").first()
        if question:
            answer_question(actor=self.site.user, question=question, answers=[["yes"]])

    def rename(self) -> None:
        update_session(actor=self.site.user, session=self.session, title=f"title {self.random.random()}")

    def stop(self) -> None:
        if self.random.random() < 0.3:
            abort_turn(actor=self.site.user, session=self.session)

    def die(self) -> None:
        self.site.pump.lose()
        self.site.abandon()

    def recover(self) -> None:
        self.site.skip_waits()
        self.site.recover()


@pytest.mark.parametrize("seed", sampled(range(6), every=3))
def test_every_snapshot_and_the_events_since_give_the_present(site: SessionSite, seed: int) -> None:
    site.write("a.txt", "one\n")
    life = Life(site, seed)
    life.live(40)
    assert life.snapshots[-1]["seq"] > 10
    assert find_log_gaps(Session.objects.get(pk=life.session.pk)) == []
    for snapshot in life.snapshots:
        verify_events(life.session.id, snapshot)


def test_the_first_event_tells_the_whole_new_session(site: SessionSite) -> None:
    session = site.open_session()
    (event,) = SessionEvent.objects.filter(session=session)
    assert (event.seq, event.type) == (1, "session.created")
    assert event.data == snapshot_of(session.id)["session"]


def _texts_of(session: Session) -> list[str]:
    rows = Part.objects.filter(message__session=session, message__role="assistant").order_by("message_id", "index")
    return list(rows.values_list("text", flat=True))


def test_while_an_answer_streams_every_snapshot_agrees_with_the_log(site: SessionSite) -> None:
    holds = [uuid.uuid4().hex for _ in range(2)]
    script = site.script(
        text("First part", reasoning="Hm.", chunk_size=3, hold=holds[0], hold_after=3),
        text("Again", chunk_size=1, hold=holds[1], hold_after=2),
    )
    session = site.open_session()
    before = snapshot_of(session.id)
    with at_work(lambda: site.run_prompt(session=session)):
        script.requests(at_least=1, state="held")
        wait_until(lambda: _texts_of(session) == ["Hm.", "First "], "what was streamed is saved")
        verify_events(session.id, before | snapshot_of(session.id))
        script.release(holds[0])
    verify_events(session.id, before)


def test_replaying_twice_gives_the_same(site: SessionSite) -> None:
    session = site.open_session()
    before = snapshot_of(session.id)
    site.script(calls(tool_call("todoread")), text("Done."))
    site.run_prompt(session=session)
    events = read_events(session.id, after=0)
    assert events
    for event in events:
        apply_event(before, seq=event.seq, event_type=event.type, data=event.data)
    verify_events(session.id, before)


@pytest.mark.parametrize("cursor", [-1, 10**6, 10**30])
def test_an_unknown_cursor_wants_a_snapshot(site: SessionSite, cursor: int) -> None:
    assert read_events(site.open_session().id, after=cursor) is None


def test_a_cursor_that_is_too_old_wants_a_snapshot(site: SessionSite) -> None:
    session = site.open_session()
    Session.objects.filter(pk=session.pk).update(last_seq=REPLAY_LIMIT + 2)
    assert read_events(session.id, after=1) is None
    assert read_events(session.id, after=2) is not None


def test_at_the_end_of_the_log_there_is_nothing_more(site: SessionSite) -> None:
    session = site.open_session()
    assert read_events(session.id, after=1) == []
