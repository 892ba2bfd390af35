"""Terminals of a session's workspace: rights to open, watch and use them, and the messages of their socket."""

import asyncio
import base64
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from agentsite.base.background import background
from agentsite.tenancy.actions.socket_tickets import issue_ticket
from agentsite.tenancy.actions.tokens import create_token
from agentsite.tenancy.models import AuditEntry, User
from agentsite.tenancy.roles import Role
from sandbox.terminals import TerminalPiece
from sessions_app.models import Session, Workspace
from sessions_app.transport.ws import terminal_consumer
from sessions_app.variables.actions import Owner, create_variable
from sessions_app.workers.sandbox import deployment as node
from sessions_app.workers.sandbox import housekeeping, terminal_bridge
from sessions_app.workers.sandbox.terminal_bridge import MaskedOutput
from tests.support.asking import set_policy
from tests.support.builders import make_user
from tests.support.door_at_work import door_at_work
from tests.support.rest_api import RestApi
from tests.support.session_site import SessionSite
from tests.support.sockets import Socket, do, open_socket
from tools_app.masking import Masks

__all__ = ["door_at_work"]

pytestmark = pytest.mark.django_db(transaction=True)
ALLOWED = {"sandbox": {"terminals": True}}


@pytest.fixture
def session(site: SessionSite, door_at_work: None) -> Session:
    node.runtime_of(site.workspace)
    site.write("README.md", "# Tea\n")
    set_policy(site.team, options=ALLOWED)
    return site.open_session()


class Terminals:
    """The terminal routes of one session, for one person."""

    def __init__(self, person: User, session: Session) -> None:
        self.person = person
        self.base = f"/sessions/{session.public_id}/terminals"

    def list(self, *, expect: int = 200) -> Any:
        return RestApi(self.person)("get", self.base, expect=expect)

    def open(self, *, expect: int = 201) -> Any:
        return RestApi(self.person)("post", self.base, {"rows": 30, "columns": 100}, expect=expect)

    def close(self, terminal_id: str, *, expect: int = 200) -> Any:
        return RestApi(self.person)("delete", f"{self.base}/{terminal_id}", expect=expect)


class Window:
    """A browser window that shows a terminal."""

    def __init__(self, socket: Socket) -> None:
        self.socket = socket
        self.text = b""
        self.at = 0

    async def connected(self) -> None:
        self._show(await self.socket.wait_for("output"))
        await self.socket.send({"type": "taken", "id": None})

    async def until(self, words: bytes) -> bytes:
        async with asyncio.timeout(30):
            while words not in self.text:
                self._show(await self.socket.frame())
                if self.socket.seen[-1].get("counts"):
                    await self.socket.send({"type": "taken", "id": None})
        return self.text

    async def type(self, text: str) -> dict[str, Any]:
        sent = {"type": "input", "id": text, "data": text}
        await self.socket.send(sent)
        async with asyncio.timeout(30):
            while True:
                frame = await self.socket.frame()
                self._show(frame)
                if frame.get("counts"):
                    await self.socket.send({"type": "taken", "id": None})
                if frame.get("id") == text:
                    return frame

    def _show(self, frame: dict[str, Any]) -> None:
        if frame["type"] == "output":
            data = base64.b64decode(frame["data"])
            self.text = data if frame["resets"] else self.text + data
            self.at = frame["at"]


@asynccontextmanager
async def shown(session: Session, terminal: str, person: User, *, after: int | None = None) -> AsyncIterator[Window]:
    path = f"/ws/sessions/{session.public_id}/terminals/{terminal}"
    async with open_socket(path, user=person) as socket:
        window = Window(socket)
        await socket.send({"type": "hello", "id": "hello", "after": after})
        await window.connected()
        yield window


async def opened(person: User, session: Session) -> str:
    return str((await do(Terminals(person, session).open))["id"])


async def test_a_person_opens_a_terminal_and_types(site: SessionSite, session: Session) -> None:
    terminal = await opened(site.user, session)
    async with shown(session, terminal, site.user) as window:
        assert (await window.type("cat README.md; echo size $(stty size)\n"))["type"] == "ack"
        await window.until(b"# Tea\r\n")
        await window.until(b"size 30 100\r\n")
    (listed,) = (await do(Terminals(site.user, session).list))["terminals"]
    assert (listed["id"], listed["end"], listed["opened_by"]["email"]) == (terminal, "", site.user.email)
    assert (await do(Terminals(site.user, session).close, terminal)) == {"closed": True}
    actions = await do(lambda: list(AuditEntry.objects.filter(action__startswith="terminal.").order_by("id")))
    assert [(each.action, each.actor) for each in actions] == [
        ("terminal.opened", site.user.public_id),
        ("terminal.closed", site.user.public_id),
    ]


async def test_a_window_that_comes_back_goes_on_where_it_was(site: SessionSite, session: Session) -> None:
    terminal = await opened(site.user, session)
    async with shown(session, terminal, site.user) as window:
        await window.type("x=kept; echo first $((1 + 1))\n")
        await window.until(b"first 2\r\n")
        at = window.at
    async with shown(session, terminal, site.user, after=at) as window:
        await window.type("echo then $x\n")
        await window.until(b"then kept\r\n")
        assert b"first 2" not in window.text
    async with shown(session, terminal, site.user) as window:
        assert b"first 2\r\n" in await window.until(b"then kept\r\n")


async def test_a_bridge_that_falls_silent_is_replaced(
    site: SessionSite, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(terminal_consumer, "SILENCE_SECONDS", 1.0)
    monkeypatch.setattr(terminal_bridge, "ALIVE_EVERY", 0.2)
    terminal = await opened(site.user, session)
    async with shown(session, terminal, site.user) as window:
        await window.type("x=kept; echo first $((1 + 1))\n")
        await window.until(b"first 2\r\n")
        for task in list(terminal_bridge._running):  # as if the worker was killed
            background.loop.call_soon_threadsafe(task.cancel)
        already = len(window.socket.seen)
        async with asyncio.timeout(60):
            while "here" not in [frame["type"] for frame in window.socket.seen[already:]]:
                await window.socket.ask("ping")
                await asyncio.sleep(0.1)
        await window.type("echo then $x\n")
        await window.until(b"then kept\r\n")


async def test_the_end_of_the_shell_is_told(site: SessionSite, session: Session) -> None:
    terminal = await opened(site.user, session)
    async with shown(session, terminal, site.user) as window:
        await window.socket.send({"type": "input", "id": None, "data": "exit 3\n"})
        ended = await window.socket.wait_for("ended")
        assert (ended["reason"], ended["exit_code"]) == ("exited", 3)
        assert await window.socket.close_code() == 1000
    assert await do(AuditEntry.objects.filter(action="terminal.ended").count) == 1
    async with open_socket(f"/ws/sessions/{session.public_id}/terminals/trm_{'0' * 32}", user=site.user) as socket:
        await socket.send({"type": "hello", "id": 1, "after": None})
        assert (await socket.wait_for("ended"))["reason"] == "gone"


async def test_others_of_the_session_watch(site: SessionSite, session: Session) -> None:
    watcher = await do(site.member, may_approve=False)
    terminal = await opened(site.user, session)
    async with shown(session, terminal, site.user) as one, shown(session, terminal, watcher) as other:
        refused = await other.type("echo no\n")
        assert refused["error"]["code"] == "not_allowed"
        assert "You may only watch" in refused["error"]["message"]
        await one.type("echo both $((1 + 1))\n")
        await other.until(b"both 2\r\n")
    assert (await do(Terminals(watcher, session).list))["may_type"] is False
    await do(Terminals(watcher, session).open, expect=403)
    await do(Terminals(watcher, session).close, terminal, expect=403)


async def test_terminals_are_off_unless_a_policy_allows_them(site: SessionSite, session: Session) -> None:
    terminal = await opened(site.user, session)
    await do(set_policy, site.project, options={"sandbox": {"terminals": False}})
    found = await do(Terminals(site.user, session).list)
    assert (found["terminals"], found["allowed"], found["may_type"]) == ([], False, False)
    assert found["reason"] == "The project's policy forbids terminals."
    assert (await do(Terminals(site.user, session).open, expect=403))["error"]["code"] == "terminals_off"
    path = f"/ws/sessions/{session.public_id}/terminals/{terminal}"
    async with open_socket(path, user=site.user) as socket:
        assert await socket.close_code() == 4403


async def test_a_policy_closes_open_ones(site: SessionSite, session: Session) -> None:
    from tools_app.policies.actions import newest_version, save_policy
    from tools_app.policies.documents import PolicyDocument
    from tools_app.policies.scopes import PolicyScope

    terminal = await opened(site.user, session)
    place = PolicyScope("team", site.team)
    base = (await do(newest_version, place)).version
    document = PolicyDocument.model_validate({"options": {"sandbox": {"terminals": False}}})
    async with shown(session, terminal, site.user) as window:
        await window.type("echo here\n")
        await do(save_policy, actor=site.user, place=place, document=document, base_version=base)
        assert await window.socket.close_code() == 4403

    async def is_gone() -> bool:
        return not await do(lambda: background.run(node.runtime_of(site.workspace).terminals()))

    async with asyncio.timeout(30):
        while not await is_gone():
            await asyncio.sleep(0.05)


async def test_viewers_strangers_and_tokens_without_the_scope_get_none(site: SessionSite, session: Session) -> None:
    terminal = await opened(site.user, session)
    viewer, stranger = await do(site.member, Role.VIEWER), await do(make_user)
    path = f"/ws/sessions/{session.public_id}/terminals/{terminal}"
    for person, code, status in ((viewer, 4403, 403), (stranger, 4404, 404)):
        for call in (Terminals(person, session).list, Terminals(person, session).open):
            await do(call, expect=status)
        await do(Terminals(person, session).close, terminal, expect=status)
        async with open_socket(path, user=person) as socket:
            assert await socket.close_code() == code
    for scopes, may in (["read", "sessions:write", "answer", "admin"], False), (["read", "terminal"], True):
        token = await do(create_token, actor=site.user, name="t", scopes=scopes)
        headers = {"Authorization": f"Bearer {token.secret}"}
        answer = await do(Client().get, f"/api/v1{Terminals(site.user, session).base}", headers=headers)
        assert answer.status_code == (200 if may else 403)
        ticket = await do(issue_ticket, actor=site.user, token=token.token)
        async with open_socket(f"{path}?ticket={ticket.secret}", origin=None) as socket:
            if may:
                assert (await socket.ask("hello", after=None))["data"]["may_type"]
            else:
                assert await socket.close_code() == 4403


async def test_a_terminal_of_another_session_is_not_there(site: SessionSite, session: Session) -> None:
    terminal = await opened(site.user, session)
    other = await do(site.open_session)
    assert (await do(Terminals(site.user, other).list))["terminals"] == []
    await do(Terminals(site.user, other).close, terminal, expect=404)
    async with open_socket(f"/ws/sessions/{other.public_id}/terminals/{terminal}", user=site.user) as socket:
        await socket.send({"type": "hello", "id": 1, "after": None})
        assert (await socket.wait_for("ended"))["reason"] == "gone"


async def test_secrets_are_masked_and_not_given(site: SessionSite, session: Session) -> None:
    owner = Owner(site.team)
    await do(create_variable, actor=site.user, owner=owner, name="KEY", value="hunter2hunter2", secret=True)
    await do(create_variable, actor=site.user, owner=owner, name="COLOUR", value="blue", secret=False)
    terminal = await opened(site.user, session)
    async with shown(session, terminal, site.user) as window:
        await window.type("echo [$COLOUR] [$KEY]; echo hunter; echo hunter2hunter2 over\n")
        text = await window.until(b"hunter\r\n[secret KEY] over\r\n")
        assert b"[blue] []\r\n" in text
        assert b"hunter\r\n" in text
        assert b"hunter2hunter2" not in text


def test_typing_is_use_and_an_open_terminal_alone_is_not(site: SessionSite, session: Session) -> None:
    terminals = Terminals(site.user, session)
    terminal = terminals.open()["id"]
    runtime = node.runtime_of(site.workspace)

    def tend() -> str:
        Workspace.objects.filter(pk=site.workspace.pk).update(
            state="running", last_used_at=timezone.now() - timedelta(days=1)
        )
        housekeeping._stop_if_idle(Workspace.objects.get(pk=site.workspace.pk), idle_minutes=1, terminals=True)
        return str(Workspace.objects.get(pk=site.workspace.pk).state)

    background.run(runtime.type_terminal(terminal, b"echo here\n"))
    assert tend() == "running"


@pytest.mark.parametrize("size", [1, 3, 7, 100])
def test_a_secret_in_pieces_is_masked_and_positions_stay_true(size: int) -> None:
    output = MaskedOutput(Masks([("KEY", "hunter2hunter2")]))
    text = "a b hunter2 ä hunter2hunter2 \x1b[31mé z hunt".encode()
    passed, at = b"", 0
    for start in range(0, len(text), size):
        piece = text[start : start + size]
        at, data = output.feed(TerminalPiece(start + len(piece), piece, resets=False))
        passed += data
    assert passed == "a b hunter2 ä [secret KEY] \x1b[31mé z ".encode()
    assert at == len(text) - len("hunt")
    assert output.holds
    assert output.release() == (len(text), b"hunt")
