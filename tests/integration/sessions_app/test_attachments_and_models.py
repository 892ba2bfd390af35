"""Attachments of people and tools are sent to models that support their type, and described to all others."""

import base64
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from sessions_app.actions.attachments import delete_expired_attachments
from sessions_app.actions.prompts import submit_prompt
from sessions_app.actions.sessions import delete_session
from sessions_app.models import Attachment, Part, Session, ToolCall, Turn
from sessions_app.workers.agent.titles import write_title
from tests.support import pictures
from tests.support.model_server import calls, text, tool_call
from tests.support.session_site import SessionSite, chat_is_well_formed, open_child_session, snapshot_of
from tests.support.uploads import attach, storage, stored

__all__ = ["storage"]

pytestmark = [pytest.mark.usefixtures("storage"), pytest.mark.one_database]
SHOT = pictures.png(640, 480)


def data_url(media_type: str, content: bytes) -> str:
    return f"data:{media_type};base64,{base64.b64encode(content).decode()}"


def run_with(site: SessionSite, session: Session, words: str, *files: Attachment) -> Turn:
    turn, _ = submit_prompt(
        actor=site.user, session=session, text=words, attachments=[file.public_id for file in files]
    )
    site.pump.run()
    turn.refresh_from_db()
    return turn


def said(turn: Turn) -> str:
    answer = Part.objects.filter(message__turn=turn, message__role="assistant", type="text").last()
    assert answer is not None
    return str(answer.text)


@pytest.fixture
def session(site: SessionSite) -> Session:
    return site.open_session(allow=("read",))


def test_the_demo_model_says_which_picture_it_was_given(site: SessionSite, session: Session) -> None:
    turn = run_with(site, session, "What is in this picture?", attach(site, session, "shot.png", SHOT))
    assert turn.state == Turn.State.COMPLETED
    assert f"`shot.png`: image/png, 640 x 480 pixels, {len(SHOT):,} bytes" in said(turn)


def test_the_demo_model_says_which_picture_a_tool_brought(site: SessionSite, session: Session, storage: Path) -> None:
    target = site.files / "art/shot.png"
    target.parent.mkdir(parents=True)
    target.write_bytes(SHOT)
    turn = run_with(site, session, "read art/shot.png")
    assert "`shot.png`: image/png, 640 x 480 pixels" in said(turn)
    (call,) = snapshot_of(session.id)["calls"]
    (file,) = call["attachments"]
    assert (file["name"], file["width"], call["metadata"]["kind"]) == ("shot.png", 640, "image")
    assert stored(storage) == [file["id"]]
    assert Attachment.objects.get().used


def test_a_picture_and_a_pdf_stand_in_the_request_where_they_were_given(site: SessionSite, session: Session) -> None:
    site.settings.MODEL_SEES = ["images", "pdf"]
    script = site.script(text("I see."))
    files = attach(site, session, "shot.png", SHOT), attach(site, session, "plan.pdf", pictures.pdf())
    run_with(site, session, "Look", *files)
    message = script.requests(at_least=1)[0]["body"]["messages"][-1]
    assert message["role"] == "user"
    assert message["content"][0] == {"type": "text", "text": "Look"}
    assert message["content"][2] == {"type": "image_url", "image_url": {"url": data_url("image/png", SHOT)}}
    data = data_url("application/pdf", pictures.pdf())
    assert message["content"][4] == {"type": "file", "file": {"filename": "plan.pdf", "file_data": data}}


def test_a_model_that_cannot_look_gets_plain_words(site: SessionSite, session: Session) -> None:
    script = site.script(text("I cannot see it."))
    run_with(site, session, "Look", attach(site, session, "shot.png", SHOT))
    content = script.requests(at_least=1)[0]["body"]["messages"][-1]["content"]
    assert content.startswith("Look\n\n(Attached: the picture shot.png (image/png, ")
    assert "this model takes no pictures" in content


def test_an_attached_text_reaches_every_model_and_its_rest_is_read(site: SessionSite, session: Session) -> None:
    notes = attach(site, session, "notes.txt", b"".join(b"line %d\n" % number for number in range(3000)))
    script = site.script(calls(tool_call("read", filePath=notes.public_id, offset=2990)), text("Read."))
    turn = run_with(site, session, "Summarise", notes)
    first, second = script.requests(at_least=2)
    assert "line 1999\n" in first["body"]["messages"][-1]["content"]
    assert "line 2000\n" not in first["body"]["messages"][-1]["content"]
    assert "2991: line 2990" in second["body"]["messages"][-1]["content"]
    assert turn.state == Turn.State.COMPLETED


def test_what_tools_attached_follows_their_results(site: SessionSite, session: Session) -> None:
    site.settings.MODEL_SEES = ["images"]
    for name in ("a.png", "b.png"):
        (site.files / name).parent.mkdir(parents=True, exist_ok=True)
        (site.files / name).write_bytes(SHOT)
    script = site.script(
        calls(tool_call("read", filePath="a.png"), tool_call("read", filePath="b.png")), text("Two pictures.")
    )
    run_with(site, session, "Read both")
    messages = script.requests(at_least=2)[1]["body"]["messages"]
    assert chat_is_well_formed(messages)
    assert [message["role"] for message in messages][-4:] == ["assistant", "tool", "tool", "user"]
    assert [part["type"] for part in messages[-1]["content"]] == ["text", "text", "image_url", "text", "image_url"]


def test_a_picture_that_is_read_again_is_kept_once(site: SessionSite, session: Session) -> None:
    site.files.mkdir(parents=True, exist_ok=True)
    (site.files / "shot.png").write_bytes(SHOT)
    look = calls(tool_call("read", filePath="shot.png"))
    site.script(look, look, text("Seen twice."))

    turn = site.run_prompt(session=session)

    first, second = site.calls(turn)
    assert first.attachments == second.attachments != []
    assert Attachment.objects.filter(session=session).count() == 1


def test_silence_after_a_picture_from_a_tool_is_an_answer(site: SessionSite, session: Session) -> None:
    (site.files / "a.png").parent.mkdir(parents=True, exist_ok=True)
    (site.files / "a.png").write_bytes(SHOT)
    site.script(calls(tool_call("read", filePath="a.png")), text(""))
    assert run_with(site, session, "Read it").state == Turn.State.COMPLETED


def test_a_file_that_is_not_kept_any_more_does_not_stop_the_conversation(
    site: SessionSite, session: Session, storage: Path
) -> None:
    site.settings.MODEL_SEES = ["images"]
    row = attach(site, session, "shot.png", SHOT)
    submit_prompt(actor=site.user, session=session, text="Look", attachments=[row.public_id])
    (storage / row.place).unlink()
    script = site.script(text("It is gone."))
    site.pump.run()
    assert "It is not shown here" in script.requests(at_least=1)[0]["body"]["messages"][-1]["content"]


REFUSED: Any = {"fault": "status", "status": 400}


def test_a_picture_that_a_provider_refuses_does_not_end_the_conversation(site: SessionSite, session: Session) -> None:
    site.settings.MODEL_SEES = ["images"]
    good, bad = (attach(site, session, name, SHOT) for name in ("good.png", "bad.png"))
    script = site.script(text("I see one."), text("", **REFUSED), text("I cannot see it."), text("I know."))
    run_with(site, session, "Look", good)
    assert run_with(site, session, "And this?", bad).state == Turn.State.COMPLETED
    assert run_with(site, session, "Really?").state == Turn.State.COMPLETED
    _, refused, again, later = [str(request["body"]["messages"]) for request in script.requests(at_least=4)]
    assert [messages.count("data:image/png") for messages in (refused, again, later)] == [2, 1, 1]
    assert "picture bad.png (image/png" in later
    assert "the provider refused it" in later


def test_a_request_that_is_refused_for_another_reason_says_so_and_blames_no_picture(
    site: SessionSite, session: Session
) -> None:
    site.settings.MODEL_SEES = ["images"]
    site.script(text("", **REFUSED), text("", **REFUSED))
    turn = run_with(site, session, "Look", attach(site, session, "shot.png", SHOT))
    assert turn.state == Turn.State.FAILED
    assert turn.error is not None
    assert turn.error["code"] == "model_refused"
    assert not Attachment.objects.get().refused


def test_a_tool_cannot_read_the_files_of_another_session(site: SessionSite, session: Session) -> None:
    foreign = attach(site, site.open_session("Other"), "secret.txt", b"secret")
    site.script(calls(tool_call("read", filePath=foreign.public_id)), text("No."))
    turn = run_with(site, session, "Read it")
    (call,) = site.calls(turn)
    assert (call.state, "secret" in call.output) == (ToolCall.State.ERROR, False)


def test_a_sub_agent_looks_at_what_was_attached_to_who_sent_it(site: SessionSite, session: Session) -> None:
    site.settings.MODEL_SEES = ["images"]
    row = attach(site, session, "shot.png", SHOT)
    child = open_child_session(actor=site.user, parent=session, agent="build", title="Look")
    script = site.script(calls(tool_call("read", filePath=row.public_id)), text("Seen."))
    run_with(site, child, "Look at it")
    (part,) = script.requests(at_least=2)[1]["body"]["messages"][-1]["content"][2:]
    assert part == {"type": "image_url", "image_url": {"url": data_url("image/png", SHOT)}}
    assert Attachment.objects.get(session=child).used


def test_pictures_of_tools_go_with_the_session(site: SessionSite, session: Session, storage: Path) -> None:
    (site.files / "a.png").parent.mkdir(parents=True, exist_ok=True)
    (site.files / "a.png").write_bytes(SHOT)
    run_with(site, session, "read a.png")
    assert len(stored(storage)) == 1
    delete_session(actor=site.user, session=session)
    delete_expired_attachments(timezone.now())
    assert stored(storage) == []


def test_a_session_that_began_with_a_file_alone_is_named_after_it(site: SessionSite) -> None:
    session = site.open_session(title="")
    submit_prompt(
        actor=site.user, session=session, text="", attachments=[attach(site, session, "shot.png", SHOT).public_id]
    )
    write_title(session.id)
    session.refresh_from_db()
    assert session.title == "Shot.png"
