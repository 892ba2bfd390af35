"""Several answers to one prompt: the old answer is kept beside the new one, and the conversation continues the chosen
one."""

import random
from typing import Any

import pytest

from sessions_app.actions.alternatives import choose_answer, try_again
from sessions_app.actions.forking import fork_session
from sessions_app.events.snapshot import read_snapshot
from sessions_app.models import Message, Session, Turn
from sessions_app.queries.transcript import transcript
from tests.support.lanes import sampled
from tests.support.model_server import PostedScript, text
from tests.support.rest_api import RestApi
from tests.support.session_site import SessionSite, find_log_gaps, snapshot_of, verify_events


@pytest.fixture
def api(site: SessionSite) -> RestApi:
    return RestApi(site.user)


@pytest.fixture
def session(site: SessionSite) -> Session:
    return site.open_session()


def answered(site: SessionSite, session: Session, prompt: str, answer: str) -> Turn:
    site.script(text(answer))
    return site.run_prompt(prompt, session=session)


def again(site: SessionSite, api: RestApi, turn: Turn, answer: str) -> Turn:
    script: PostedScript = site.script(text(answer))
    made = api("post", f"/turns/{turn.public_id}/retry", {}, expect=202)
    site.pump.run()
    assert len(script.requests()) == 1
    return Turn.objects.select_related("session__project").by_public_id(made["id"])


def shown(session: Session) -> list[str]:
    """Return the texts of the conversation that people see."""
    snapshot = snapshot_of(session.pk)
    hidden = {each["id"] for each in snapshot["alternatives"] if each["hidden_with_id"]}
    turns = {message["id"]: message["turn_id"] for message in snapshot["messages"]}
    return [part["text"] for part in snapshot["parts"] if turns[part["message_id"]] not in hidden]


def sent(site: SessionSite, session: Session) -> list[str]:
    """Run a prompt, return the texts of the conversation that its model request contained, and delete the turn."""
    script = site.script(text("."))
    site.run_prompt("?", session=session)
    *before, _ = script.requests()[-1]["body"]["messages"][1:]
    Turn.objects.filter(session=session).latest("id").delete()  # so that it changes nothing
    return [message["content"] for message in before]


def test_the_old_answer_is_kept_beside_the_new_one(site: SessionSite, api: RestApi, session: Session) -> None:
    before = snapshot_of(session.pk)
    old = answered(site, session, "Tea?", "Green.")
    new = again(site, api, old, "Black.")
    assert shown(session) == ["Tea?", "Black."]
    alternatives = {each["id"]: each for each in snapshot_of(session.pk)["alternatives"]}
    both = [old.public_id, new.public_id]
    assert alternatives == {
        old.public_id: {"id": old.public_id, "turn_ids": both, "hidden_with_id": old.public_id},
        new.public_id: {"id": new.public_id, "turn_ids": both, "hidden_with_id": None},
    }
    verify_events(session.pk, before)
    session.refresh_from_db()
    assert find_log_gaps(session) == []


def test_the_model_does_not_read_the_answer_that_it_replaces(site: SessionSite, api: RestApi, session: Session) -> None:
    answered(site, session, "Hello.", "Hi.")
    old = answered(site, session, "Tea?", "Green.")
    script = site.script(text("Black."))
    api("post", f"/turns/{old.public_id}/retry", {}, expect=202)
    site.pump.run()
    contents = [message["content"] for message in script.requests()[0]["body"]["messages"][1:]]
    assert contents == ["Hello.", "Hi.", "Tea?"]
    assert sent(site, session) == ["Hello.", "Hi.", "Tea?", "Black."]


def test_what_followed_an_answer_comes_back_with_it(site: SessionSite, api: RestApi, session: Session) -> None:
    first = answered(site, session, "Tea?", "Green.")
    answered(site, session, "Sugar?", "No.")
    other = again(site, api, first, "Black.")
    assert shown(session) == ["Tea?", "Black."]
    answered(site, session, "Milk?", "Yes.")
    api("post", f"/turns/{first.public_id}/choose")
    assert shown(session) == sent(site, session) == ["Tea?", "Green.", "Sugar?", "No."]
    api("post", f"/turns/{other.public_id}/choose")
    assert shown(session) == sent(site, session) == ["Tea?", "Black.", "Milk?", "Yes."]


def test_costs_of_all_answers_are_counted(site: SessionSite, api: RestApi, session: Session) -> None:
    usage = {"prompt_tokens": 10, "completion_tokens": 1, "total_tokens": 11}
    site.script(text("Green.", usage=usage), text("Black.", usage=usage))
    old = site.run_prompt(session=session)
    api("post", f"/turns/{old.public_id}/retry", {}, expect=202)
    site.pump.run()
    session.refresh_from_db()
    assert session.tokens["input"] == 20


def test_an_answer_is_not_tried_again_while_the_agent_works(site: SessionSite, api: RestApi, session: Session) -> None:
    old = answered(site, session, "Tea?", "Green.")
    site.prompt(session)
    for verb in ("retry", "choose"):
        error = api.error("post", f"/turns/{old.public_id}/{verb}", {}, expect=409)
        assert error["message"] == "The agent is still working."


def test_a_hidden_answer_is_not_tried_again_or_forked(site: SessionSite, api: RestApi, session: Session) -> None:
    old = answered(site, session, "Tea?", "Green.")
    again(site, api, old, "Black.")
    error = api.error("post", f"/turns/{old.public_id}/retry", {}, expect=409)
    assert error["hint"] == "Choose this answer first."
    message = Message.objects.filter(turn=old).latest("id")
    body = {"message_id": message.public_id}
    error = api.error("post", f"/sessions/{session.public_id}/fork", body, expect=409)
    assert error["message"] == "Another answer is chosen instead of this one."


def test_forks_transcripts_and_lists_have_the_chosen_answer(site: SessionSite, api: RestApi, session: Session) -> None:
    old = answered(site, session, "Tea?", "Green.")
    again(site, api, old, "Black.")
    made = fork_session(actor=site.user, session=session).session
    assert shown(made) == ["Tea?", "Black."]
    assert snapshot_of(made.pk)["alternatives"] == []
    page = transcript(read_snapshot(session.pk, can_act=True))
    assert "Black." in page
    assert "Green." not in page
    path = f"/sessions/{session.public_id}/messages"
    assert len(api("get", path)["items"]) == 2
    assert len(api("get", f"{path}?alternatives=true")["items"]) == 4


def test_a_summary_that_was_written_in_a_hidden_turn_is_not_sent(
    site: SessionSite, api: RestApi, session: Session
) -> None:
    first = answered(site, session, "Tea?", "Green.")
    site.script(text("We spoke of green tea."))
    api("post", f"/sessions/{session.public_id}/compact", {}, expect=202)
    site.pump.run()
    again(site, api, first, "Black.")
    assert sent(site, session) == ["Tea?", "Black."]
    api("post", f"/turns/{first.public_id}/choose")
    (notes,) = sent(site, session)
    assert "We spoke of green tea." in notes


def test_a_prompt_is_edited_in_place(site: SessionSite, api: RestApi, session: Session) -> None:
    old = answered(site, session, "Tea?", "Green.")
    answered(site, session, "Sugar?", "No.")
    prompt = Message.objects.get(turn=old, role="user")
    script = site.script(text("Espresso."))
    taken = api("post", f"/messages/{prompt.public_id}/edit", {"text": "Coffee?"}, expect=202)
    site.pump.run()
    assert [message["content"] for message in script.requests()[0]["body"]["messages"][1:]] == ["Coffee?"]
    assert (taken["session_id"], taken["files"]) == (session.public_id, "shared")
    assert shown(session) == ["Coffee?", "Espresso."]
    api("post", f"/turns/{old.public_id}/choose")
    assert shown(session) == ["Tea?", "Green.", "Sugar?", "No."]


def test_a_prompt_is_edited_in_a_fork(site: SessionSite, api: RestApi, session: Session) -> None:
    answered(site, session, "Tea?", "Green.")
    second = answered(site, session, "Sugar?", "No.")
    prompt = Message.objects.get(turn=second, role="user")
    script = site.script(text("A little."))
    body = {"text": "Milk?", "where": "fork", "workspace": "same"}
    taken = api("post", f"/messages/{prompt.public_id}/edit", body, expect=202)
    site.pump.run()
    made = Session.objects.by_public_id(taken["session_id"])
    assert [message["content"] for message in script.requests()[0]["body"]["messages"][1:]] == [
        "Tea?",
        "Green.",
        "Milk?",
    ]
    assert shown(made) == ["Tea?", "Green.", "Milk?", "A little."]
    assert shown(session) == ["Tea?", "Green.", "Sugar?", "No."]


def test_the_first_prompt_is_edited_in_a_fork(site: SessionSite, api: RestApi, session: Session) -> None:
    turn = answered(site, session, "Tea?", "Green.")
    prompt = Message.objects.get(turn=turn, role="user")
    site.script(text("Espresso."))
    body = {"text": "Coffee?", "where": "fork", "workspace": "same"}
    taken = api("post", f"/messages/{prompt.public_id}/edit", body, expect=202)
    site.pump.run()
    assert shown(Session.objects.by_public_id(taken["session_id"])) == ["Coffee?", "Espresso."]


def test_only_prompts_with_text_are_edited(site: SessionSite, api: RestApi, session: Session) -> None:
    turn = answered(site, session, "Tea?", "Green.")
    prompt, answer = Message.objects.filter(turn=turn).order_by("id")
    api.error("post", f"/messages/{answer.public_id}/edit", {"text": "x"}, expect=400)
    api.error("post", f"/messages/{prompt.public_id}/edit", {"text": "  "}, expect=400)


class Tree:
    """The expected conversation. Each branch is a list of nodes, which hold the alternatives and the chosen one."""

    def __init__(self) -> None:
        self.root: list[Any] = []

    def path(self) -> list[Any]:
        found, branch = [], self.root
        while branch:
            node = branch[0]
            found.append(node)
            branch = node["options"][node["chosen"]]["next"]
        return found

    def add(self, turn: Turn) -> None:
        path = self.path()
        branch = path[-1]["options"][path[-1]["chosen"]]["next"] if path else self.root
        branch.append({"options": [{"turn": turn, "next": []}], "chosen": 0})

    def turns(self) -> list[Turn]:
        return [node["options"][node["chosen"]]["turn"] for node in self.path()]


@pytest.mark.parametrize("seed", sampled(range(6), every=3))
def test_random_choices_show_and_send_the_same_conversation(site: SessionSite, seed: int) -> None:
    chance, tree = random.Random(seed), Tree()
    session = site.open_session()
    site.script(*(text(f"answer {number}") for number in range(40)))
    before = snapshot_of(session.pk)
    for number in range(16):
        nodes = tree.path()
        node = chance.choice(nodes) if nodes else None
        what = chance.choice(("prompt", "retry", "choose")) if node else "prompt"
        if what == "prompt" or node is None:
            tree.add(site.run_prompt(f"prompt {number}", session=session))
        elif what == "retry":
            old = node["options"][node["chosen"]]["turn"]
            old = Turn.objects.select_related("session__project").get(pk=old.pk)
            new = try_again(actor=site.user, turn=old)
            site.pump.run()
            node["options"].append({"turn": new, "next": []})
            node["chosen"] = len(node["options"]) - 1
        else:
            node["chosen"] = chance.randrange(len(node["options"]))
            turn = node["options"][node["chosen"]]["turn"]
            choose_answer(actor=site.user, turn=Turn.objects.select_related("session__project").get(pk=turn.pk))
        wanted = [message.turn_id for turn in tree.turns() for message in Message.objects.filter(turn=turn)]
        visible = Message.objects.filter(session=session, turn__hidden_with=None).order_by("id")
        assert [message.turn_id for message in visible] == wanted
    verify_events(session.pk, before)
    assert sent(site, session) == shown(session)
