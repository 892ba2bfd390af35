"""Webhooks of real sessions, sent by a guarded process to a receiver on this machine."""

import json
import re
import ssl
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest

from sessions_app.actions.sessions import create_session, delete_session
from sessions_app.models import Session
from sessions_app.webhooks import sending
from sessions_app.webhooks.actions import IssuedWebhook, create_webhook, rotate_webhook_secret
from sessions_app.webhooks.event_types import webhook_events
from sessions_app.webhooks.models import Delivery
from tests.support.deadline import wait_until
from tests.support.model_server import calls, text, tool_call
from tests.support.receiver import Answer, Receiver, answering
from tests.support.session_site import SessionSite
from tests.support.web_server import make_certificate

pytestmark = pytest.mark.one_database

SECRET_WORDS = "the quick brown fox"
PAGE = Path(__file__).resolve().parents[3] / "docs" / "webhooks.md"


class Webhooks(Receiver):
    """A receiver of webhooks. `bodies` are the JSON bodies that it has received."""

    def __init__(self) -> None:
        super().__init__(_take)

    @property
    def bodies(self) -> list[dict[str, Any]]:
        return [json.loads(body) for _, body in self.got]


_take = answering(204)


def _after(event: threading.Event) -> Answer:
    def answer(request: BaseHTTPRequestHandler) -> None:
        event.wait(30)
        _take(request)

    return answer


@pytest.fixture
def receiver(site: SessionSite) -> Iterator[Webhooks]:
    receiver = Webhooks()
    site.settings.WEBHOOK_ALLOW = [receiver.place]
    yield receiver
    receiver.close()


def subscribe(site: SessionSite, url: str, *events: str) -> IssuedWebhook:
    kinds = events or tuple(webhook_events())
    return create_webhook(actor=site.user, team=site.team, name="CI", url=url, events=kinds)


def send(issued: IssuedWebhook) -> None:
    """Send the deliveries of a webhook as the worker does, and wait until all of them are sent."""
    sending.send_webhook(issued.webhook.pk)
    wait_until(lambda: not sending._active_senders, "nothing is on its way", seconds=60)


def state() -> list[str]:
    return list(Delivery.objects.order_by("place").values_list("state", flat=True))


def test_a_session_is_told_from_its_beginning_to_its_end(site: SessionSite, receiver: Webhooks) -> None:
    issued = subscribe(site, f"http://{receiver.place}/hook")
    site.script(
        calls(tool_call("bash", command=f"make tea # {SECRET_WORDS}")),
        text(f"Done: {SECRET_WORDS}."),
    )
    turn = site.run_prompt(f"Say {SECRET_WORDS}.")
    site.reply("once")
    site.pump.run()
    send(issued)
    kinds = [body["type"] for body in receiver.bodies]
    assert kinds[0] == "session.created"
    assert "permission.asked" in kinds
    assert {body["data"]["session_id"] for body in receiver.bodies} == {turn.session.public_id}
    assert not any(SECRET_WORDS in body.decode() for _, body in receiver.got)
    assert set(state()) == {"delivered"}


def test_what_arrives_is_signed_by_both_secrets(site: SessionSite, receiver: Webhooks) -> None:
    issued = subscribe(site, f"http://{receiver.place}/", "session.created")
    new = rotate_webhook_secret(actor=site.user, webhook=issued.webhook)
    site.open_session()
    send(issued)
    found = re.search(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)
    assert found is not None
    names: dict[str, Any] = {}
    exec(found[1], names)
    ((headers, body),) = receiver.got
    assert names["is_ours"](issued.secret, headers, body)
    assert names["is_ours"](new.secret, headers, body)
    assert not names["is_ours"](issued.secret, headers, body + b" ")


def test_a_deleted_session_is_told_after_all_else_of_it(site: SessionSite, receiver: Webhooks) -> None:
    issued = subscribe(site, f"http://{receiver.place}/")
    session = site.open_session()
    delete_session(actor=site.user, session=session)
    send(issued)
    assert [body["type"] for body in receiver.bodies] == ["session.created", "session.deleted"]


def test_private_sessions_are_not_told(site: SessionSite, receiver: Webhooks) -> None:
    subscribe(site, f"http://{receiver.place}/")
    session = create_session(actor=site.user, project=site.project)
    Delivery.objects.all().delete()
    Session.objects.filter(pk=session.pk).update(shared_with="private")
    session.refresh_from_db()
    delete_session(actor=site.user, session=session)
    assert not Delivery.objects.exists()


def test_a_receiver_that_is_not_on_the_public_web_is_not_asked(site: SessionSite, receiver: Webhooks) -> None:
    issued = subscribe(site, f"http://{receiver.place}/", "session.created")
    site.settings.WEBHOOK_ALLOW = []
    site.open_session()
    send(issued)
    assert receiver.got == []
    assert "is refused" in Delivery.objects.get().tries.get().problem


def test_redirects_are_not_followed(site: SessionSite, receiver: Webhooks) -> None:
    def redirect(request: BaseHTTPRequestHandler) -> None:
        request.send_response(302)
        request.send_header("Location", f"http://{receiver.place}/elsewhere")
        request.end_headers()

    receiver.answer = redirect
    issued = subscribe(site, f"http://{receiver.place}/", "session.created")
    site.open_session()
    send(issued)
    assert len(receiver.got) == 1
    assert "redirect" in Delivery.objects.get().tries.get().problem


def test_of_a_huge_answer_the_beginning_is_kept(site: SessionSite, receiver: Webhooks) -> None:
    def flood(request: BaseHTTPRequestHandler) -> None:
        request.send_response(500)
        request.end_headers()
        for _ in range(128):
            request.wfile.write(b"x" * 65_536)

    receiver.answer = flood
    issued = subscribe(site, f"http://{receiver.place}/", "session.created")
    site.open_session()
    send(issued)
    tried = Delivery.objects.get().tries.get()
    assert (tried.status, len(tried.answer)) == (500, sending.KEPT_RESPONSE_BYTES)


def test_a_receiver_that_never_answers_costs_seconds_only(
    site: SessionSite, receiver: Webhooks, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sending, "TIMEOUT_SECONDS", 1.0)
    over = threading.Event()
    receiver.answer = _after(over)
    issued = subscribe(site, f"http://{receiver.place}/", "session.created")
    site.open_session()
    started = time.monotonic()
    send(issued)
    over.set()
    assert time.monotonic() - started < 20
    assert Delivery.objects.get().tries.get().status == 0


def test_a_slow_receiver_does_not_hold_up_another(
    site: SessionSite, receiver: Webhooks, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sending, "TIMEOUT_SECONDS", 5.0)
    over = threading.Event()
    slow = Webhooks()
    slow.answer = _after(over)
    site.settings.WEBHOOK_ALLOW = [receiver.place, slow.place]
    one, two = (subscribe(site, f"http://{place}/", "session.created") for place in (slow.place, receiver.place))
    for _ in range(4):
        site.open_session()
    sending.send_webhook(one.webhook.pk)
    sending.send_webhook(two.webhook.pk)
    try:
        wait_until(lambda: len(receiver.got) == 4, "the other one has all", seconds=30)
        assert len(slow.got) <= 2
    finally:
        over.set()
        wait_until(lambda: not sending._active_senders, "nothing is on its way", seconds=60)
        slow.close()


def test_a_certificate_that_nobody_vouches_for_is_refused(
    site: SessionSite, receiver: Webhooks, tmp_path: Path
) -> None:
    context, authority = make_certificate(tmp_path)
    receiver.server.socket = context.wrap_socket(receiver.server.socket, server_side=True)
    assert isinstance(context, ssl.SSLContext)
    issued = subscribe(site, f"https://{receiver.place}/", "session.created")
    site.open_session()
    send(issued)
    assert "could not be trusted" in Delivery.objects.get().tries.get().problem
    site.settings.WEB_CERTIFICATES = str(authority)
    Delivery.objects.update(due_at=Delivery.objects.get().created_at)
    send(issued)
    assert state() == ["delivered"]
