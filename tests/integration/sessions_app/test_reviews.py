"""Reviews: comments that become one prompt, their visibility, and files that people approve."""

from typing import Any

import pytest

from agentsite.tenancy.models import AuditEntry
from agentsite.tenancy.roles import Role
from sessions_app.models import Part, ReviewComment, Session, SessionEvent, Turn
from sessions_app.webhooks.models import Delivery, Webhook
from tests.support.builders import join, make_user
from tests.support.model_server import calls, text, tool_call
from tests.support.rest_api import RestApi as Api
from tests.support.session_site import SessionSite, snapshot_of


@pytest.fixture
def call(site: SessionSite) -> Api:
    return Api(site.user)


@pytest.fixture
def session(site: SessionSite) -> Session:
    return site.open_session()


@pytest.fixture
def colleague(site: SessionSite) -> Api:
    return Api(join(site.team, make_user(), Role.MEMBER).user)


def write(call: Api, session: Session, body: str = "Why?", **more: Any) -> dict[str, Any]:
    fields = {"path": "shop/price.py", "first_line": 3, "last_line": 4, "quote": "a = 1\nb = 2", **more}
    path = f"/sessions/{session.public_id}/review-comments"
    comment: dict[str, Any] = call("post", path, {"text": body, **fields}, expect=201)
    return comment


def listed(call: Api, session: Session) -> list[tuple[str, str]]:
    items = call("get", f"/sessions/{session.public_id}/review-comments")["items"]
    return [(item["text"], item["state"]) for item in reversed(items)]


def send(call: Api, session: Session, **more: Any) -> dict[str, Any]:
    sent: dict[str, Any] = call("post", f"/sessions/{session.public_id}/review", more, expect=202)
    return sent


def test_three_comments_on_two_files_become_one_prompt_and_are_done_with_the_turn(
    site: SessionSite, call: Api, session: Session
) -> None:
    write(call, session, "Name it.")
    write(call, session, "And this?", path="shop/tax.py", first_line=9, last_line=9, side="old", quote="rate = 7")
    write(call, session, "Tests, please.", path="shop/tax.py", first_line=0, last_line=0, quote="")
    site.script(calls(tool_call("bash", command="true")), text("1. Named. 2. Old. 3. Added."))

    sent = send(call, session, introduction="Second round.")

    assert [comment["state"] for comment in sent["comments"]] == ["sent"] * 3
    prompt = Part.objects.get(message__turn__session=session, message__role="user", type="text").text
    for piece in (
        "Second round.", "1. `shop/price.py:3-4`\n\n> a = 1\n> b = 2\n\nName it.",
        "2. `shop/tax.py`\n\nTests, please.", "3. `shop/tax.py:9` (as it was before the change)\n\n> rate = 7",
    ):  # fmt: skip
        assert piece in prompt
    site.pump.run()
    items = call("get", f"/sessions/{session.public_id}/review-comments")["items"]
    answer = Part.objects.get(type="text", text__startswith="1. Named.").message.public_id
    assert {(item["state"], item["turn_id"], item["answer_id"]) for item in items} == {
        ("done", sent["turn"]["id"], answer)
    }


def test_a_draft_is_seen_by_its_author_only_and_leaves_no_event(
    site: SessionSite, call: Api, colleague: Api, session: Session
) -> None:
    comment = write(call, session)
    assert listed(call, session) == [("Why?", "draft")]
    assert listed(colleague, session) == []
    assert colleague.error("patch", f"/review-comments/{comment['id']}", {"text": "x"}, expect=404)
    assert colleague.error("post", f"/sessions/{session.public_id}/review", {}, expect=409)["code"] == "no_comments"
    assert not SessionEvent.objects.filter(type="review_comment.updated").exists()

    site.script(text("Done."))
    send(call, session)

    assert listed(colleague, session) == [("Why?", "sent")]
    event = SessionEvent.objects.get(session=session, type="review_comment.updated")
    assert (event.data["id"], event.data["state"]) == (comment["id"], "sent")


def test_a_comment_is_resolved_reopened_changed_and_sent_again(
    site: SessionSite, call: Api, colleague: Api, session: Session
) -> None:
    comment = write(call, session)
    path = f"/review-comments/{comment['id']}"
    assert call.error("patch", path, {"state": "resolved"}, expect=409)["code"] == "comment_draft"
    site.script(text("Done."))
    send(call, session)
    assert call.error("patch", path, {"text": "More"}, expect=409)["code"] == "comment_sent"
    assert colleague("patch", path, {"state": "resolved"})["settled_by"]["email"]
    assert call.error("post", f"/sessions/{session.public_id}/review", {}, expect=409)["code"] == "no_comments"
    assert call("patch", path, {"state": "open"})["state"] == "open"
    assert call("patch", path, {"text": "Why still?"})["text"] == "Why still?"
    assert colleague.error("patch", path, {"text": "Mine"}, expect=403)
    site.pump.run()
    site.script(text("Because."))

    assert [each["text"] for each in send(colleague, session)["comments"]] == ["Why still?"]


def test_what_a_stopped_turn_got_is_open_again(site: SessionSite, call: Api, session: Session) -> None:
    write(call, session)
    site.script(text("Done."))
    send(call, session)
    call("post", f"/sessions/{session.public_id}/abort", {}, expect=202)
    assert Turn.objects.get(session=session).state == "aborted"
    assert listed(call, session) == [("Why?", "open")]
    assert len(send(call, session)["comments"]) == 1


def test_only_chosen_comments_are_sent_and_none_twice(site: SessionSite, call: Api, session: Session) -> None:
    first, second = write(call, session, "One"), write(call, session, "Two")
    site.script(text("Done."))
    send(call, session, comments=[second["id"]])
    assert listed(call, session) == [("One", "draft"), ("Two", "sent")]
    chosen = {"comments": [first["id"], second["id"]]}
    assert call.error("post", f"/sessions/{session.public_id}/review", chosen, expect=409)["code"] == "comment_sent"
    assert listed(call, session) == [("One", "draft"), ("Two", "sent")]


def test_a_prompt_that_is_refused_sends_nothing(site: SessionSite, call: Api, session: Session) -> None:
    write(call, session)
    Session.objects.filter(pk=session.pk).update(archived=True)
    assert call.error("post", f"/sessions/{session.public_id}/review", {}, expect=409)
    assert listed(call, session) == [("Why?", "draft")]
    assert not Turn.objects.exists()


def test_comments_are_deleted_by_their_author_or_who_manages_sessions(
    site: SessionSite, call: Api, colleague: Api, session: Session
) -> None:
    mine, theirs = write(call, session, "Mine"), write(colleague, session, "Theirs")
    site.script(text("Done."))
    send(call, session)
    site.pump.run()
    site.script(text("Done."))
    send(colleague, session)
    assert colleague.error("delete", f"/review-comments/{mine['id']}", expect=403)
    call("delete", f"/review-comments/{theirs['id']}", expect=204)
    assert ReviewComment.objects.count() == 1
    last = SessionEvent.objects.filter(type="review_comment.updated").order_by("-seq").first()
    assert last is not None
    assert last.data["state"] == "deleted"
    assert snapshot_of(session.pk)["seq"] >= last.seq


def test_a_viewer_reads_comments_and_writes_none(site: SessionSite, call: Api, session: Session) -> None:
    viewer = Api(join(site.team, make_user(), Role.VIEWER).user)
    write(call, session)
    site.script(text("Done."))
    send(call, session)
    assert listed(viewer, session) == [("Why?", "sent")]
    body = {"path": "a.py", "text": "x"}
    assert viewer.error("post", f"/sessions/{session.public_id}/review-comments", body, expect=403)
    assert viewer.error(
        "put", f"/sessions/{session.public_id}/file-approvals", {"path": "a", "version": "1"}, expect=403
    )


@pytest.mark.parametrize(
    "fields",
    [{"path": ""}, {"body": " \n"}, {"first_line": 5, "last_line": 4}, {"side": "both"}, {"quote": "x" * 4_001}],
)
def test_a_malformed_comment_is_refused(call: Api, session: Session, fields: dict[str, Any]) -> None:
    body = {"path": "a.py", "text": fields.pop("body", "x"), **fields}
    error = call.error("post", f"/sessions/{session.public_id}/review-comments", body, expect=400)
    assert error["fields"]


def test_a_file_is_approved_by_each_person_in_one_version_and_withdrawn(
    site: SessionSite, call: Api, colleague: Api, session: Session
) -> None:
    path = f"/sessions/{session.public_id}/file-approvals"
    for person, version in ((call, "1"), (call, "1"), (colleague, "1"), (call, "2")):
        person("put", path, {"path": "a.py", "version": version})
    approvals = call("get", path)["items"]
    assert sorted((each["path"], each["version"]) for each in approvals) == [("a.py", "1"), ("a.py", "2")]
    call("delete", f"{path}?path=a.py", expect=204)
    assert call.error("delete", f"{path}?path=a.py", expect=404)
    assert [each["version"] for each in call("get", path)["items"]] == ["1"]
    actions = list(AuditEntry.objects.filter(action__startswith="review.").values_list("action", flat=True))
    assert sorted(actions) == ["review.approval_withdrawn", *["review.file_approved"] * 3]


def test_webhooks_say_that_a_review_was_requested_and_done(site: SessionSite, call: Api, session: Session) -> None:
    Webhook.objects.create(
        team=site.team, name="CI", url="https://hooks.example.org/", secret="sealed",
        events=["review.requested", "review.done"],
    )  # fmt: skip
    site.script(text("Nothing to review."))
    site.run_prompt(session=session)
    assert not Delivery.objects.exists()
    write(call, session)
    site.script(text("Done."))
    send(call, session)
    site.pump.run()
    kinds = list(Delivery.objects.order_by("id").values_list("kind", flat=True))
    assert kinds == ["review.requested", "review.done"]
    assert "Why?" not in "".join(Delivery.objects.values_list("body", flat=True))
