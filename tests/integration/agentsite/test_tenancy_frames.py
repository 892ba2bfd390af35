"""Sockets reveal nothing about other teams: every frame is sent with the ids of rows that the sender may not see.

The frames come from the consumers and their published schemas, the rows from `tests/support/tenancy_matrix.py`. The
answer to an id of another team must equal the answer to an id that never existed, except for the id itself.
"""

import json
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, Final

import pytest
from pydantic import TypeAdapter

from agentsite.base.ids import from_public, new_id, to_public
from agentsite.tenancy.actions.socket_tickets import issue_ticket
from agentsite.tenancy.actions.tokens import IssuedToken, create_token
from agentsite.tenancy.models import Membership, User
from agentsite.tenancy.scopes import Scope
from sessions_app.actions.sessions import update_session
from sessions_app.models import Part, Session
from sessions_app.transport.ws import base
from sessions_app.transport.ws.frames import ME_CLIENT, SESSION_CLIENT
from sessions_app.transport.ws.session_consumer import HANDLERS
from sessions_app.transport.ws.terminal_frames import TERMINAL_CLIENT
from tests.support.builders import make_member
from tests.support.frame_check import type_of
from tests.support.lanes import sampled
from tests.support.sockets import Socket, do, open_socket, path_of
from tests.support.task_pump import TaskPump, pump
from tests.support.tenancy_callers import let_in, programs
from tests.support.tenancy_frames import FRAMES, FRAMES_OF_ME, FRAMES_OF_TERMINAL, PLAIN_OF_FRAMES
from tests.support.tenancy_world import (
    CANARY,
    Tenant,
    make_private_session,
    make_tenant,
    missing_ids,
    our_models,
    plant_canaries,
)

__all__ = ["pump"]

ME: Final = "/ws/me"
OWNER: Final = "the owner of another team"


REFERRING: Final = [(kind, name) for kind, row in FRAMES.items() for name, value in row.items() if "{" in str(value)]


@dataclass(frozen=True)
class Visitor:
    """A person of the home team, signed in by a cookie or with an API token."""

    user: User
    token: IssuedToken | None = None


@dataclass(frozen=True)
class World:
    """The teams of the tests and the people who send frames. `theirs` are the owners of rows that no visitor of `home`
    may see, by their kind."""

    home: Tenant
    foreign: Tenant
    theirs: Mapping[str, Tenant]
    visitors: Mapping[str, Visitor]


@pytest.fixture(autouse=True)
def _hardly_ever_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make periodic checks rare, so that they cannot close a socket that should have been refused at its opening."""
    monkeypatch.setattr(base, "CHECK_INTERVAL", 60.0)


@pytest.fixture
def world(transactional_db: None, pump: TaskPump) -> World:
    home = make_tenant()
    tokens = programs(home)
    visitors = {
        OWNER: Visitor(home.owner),
        "an operator in another team": Visitor(_operator(home)),
        "a program": Visitor(home.owner, create_token(actor=home.owner, name="all", scopes=Scope)),
        **{who: Visitor(issued.token.user, issued) for who, issued in tokens.items()},
    }
    kept = {model: set(model._base_manager.values_list("pk", flat=True)) for model in our_models()}
    foreign, hidden = make_tenant(), make_private_session(home)
    kept[User] = set(User.objects.filter(memberships__team=home.team).values_list("pk", flat=True))
    kept[Membership] = set(Membership.objects.values_list("pk", flat=True))
    assert plant_canaries(but=kept) > 50
    let_in(tokens, foreign)
    return World(home, foreign, {"another team": foreign, "a colleague in private": hidden}, visitors)


def _operator(home: Tenant) -> User:
    user = make_member(home.team)
    user.is_staff = user.is_superuser = True
    user.save()
    return user


@asynccontextmanager
async def socket_of(path: str, visitor: Visitor) -> AsyncIterator[Socket]:
    if visitor.token is None:
        async with open_socket(path, user=visitor.user) as socket:
            yield socket
        return
    ticket = await do(issue_ticket, actor=visitor.user, token=visitor.token.token)
    async with open_socket(f"{path}?ticket={ticket.secret}", origin=None) as socket:
        yield socket


async def answer_to(socket: Socket, kind: str, fields: Mapping[str, Any], ids: Mapping[str, str]) -> str:
    """Send a frame and return the server's frames, except `presence`, as text with ids replaced by their names."""
    before = len(socket.seen)
    await socket.ask(kind, **_filled(fields, ids))
    frames = [frame for frame in socket.seen[before:] if frame["type"] != "presence"]
    text = json.dumps([{**frame, "id": None} if "id" in frame else frame for frame in frames])
    for name, value in ids.items():
        text = text.replace(value, f"<{name}>") if len(value) > 8 else text
    return text


def _filled(given: Any, ids: Mapping[str, str]) -> Any:
    if isinstance(given, Mapping):
        return {name: _filled(value, ids) for name, value in given.items()}
    if isinstance(given, list):
        return [_filled(item, ids) for item in given]
    return given.format(**ids) if isinstance(given, str) else given


def ids_of(tenant: Tenant) -> dict[str, str]:
    tenant["agent"].refresh_from_db()
    return {**tenant.ids, "agent_name": tenant["agent"].name}


def missing_of(tenant: Tenant) -> dict[str, str]:
    return {**missing_ids(tenant), "agent_name": f"nobody-{new_id().hex[-12:]}"}


# --- the table is whole -------------------------------------------------------------------------------------------
def kinds(frames: TypeAdapter[Any]) -> dict[str, Any]:
    """Return the published schemas of a union of frames, by the type of the frame."""
    schema = frames.json_schema()
    references = schema["discriminator"]["mapping"].items()
    return {name: schema["$defs"][reference.rpartition("/")[2]] for name, reference in references}


def test_every_frame_has_a_row() -> None:
    assert set(FRAMES) == set(map(type_of, HANDLERS)) == set(kinds(SESSION_CLIENT))
    assert set(FRAMES_OF_ME) == set(kinds(ME_CLIENT))
    assert set(FRAMES_OF_TERMINAL) == set(kinds(TERMINAL_CLIENT))


@pytest.mark.parametrize(
    ("table", "frames"),
    [(FRAMES, SESSION_CLIENT), (FRAMES_OF_ME, ME_CLIENT), (FRAMES_OF_TERMINAL, TERMINAL_CLIENT)],
    ids=["session", "me", "terminal"],
)
def test_every_text_of_a_frame_names_a_row_or_is_known_to_name_none(table: Any, frames: TypeAdapter[Any]) -> None:
    for kind, schema in kinds(frames).items():
        texts = {name for name, given in schema["properties"].items() if _takes_text(given)}
        naming = {name for name, value in table[kind].items() if "{" in str(value)}
        assert texts - PLAIN_OF_FRAMES == naming, f"say in the row of {kind} what they name, or that they are plain"


def _takes_text(schema: Mapping[str, Any]) -> bool:
    if {"enum", "const"} & set(schema):
        return False
    inner = (*schema.get("anyOf", ()), *([schema["items"]] if "items" in schema else ()))
    return schema.get("type") == "string" or any(_takes_text(one) for one in inner)


# --- frames with the ids of others ---------------------------------------------------------------------------------
async def test_an_id_of_others_in_a_frame_is_one_that_never_was(world: World) -> None:
    for number, (kind, name) in enumerate(REFERRING):
        await ask_with_ids_of_others(kind, name, world, sampled([*world.visitors.items()], every=3, start=number))


async def ask_with_ids_of_others(kind: str, name: str, world: World, visitors: Sequence[tuple[str, Visitor]]) -> None:
    plain = {field: value for field, value in FRAMES[kind].items() if "{" not in str(value)}
    fields = {**plain, name: FRAMES[kind][name]}
    missing = await do(missing_of, world.foreign)
    for who, visitor in visitors:
        async with socket_of(path_of(world.home["session"]), visitor) as socket:
            never = await answer_to(socket, kind, fields, missing)
            assert '"error"' in never, (kind, name, who)
            for whose, tenant in world.theirs.items():
                if name == "agent" and tenant.team == world.home.team:
                    continue  # colleagues have the same agents
                assert await answer_to(socket, kind, fields, await do(ids_of, tenant)) == never, (kind, who, whose)
            assert CANARY not in never, (kind, who)
    async with socket_of(path_of(world.home["session"]), world.visitors[OWNER]) as socket:
        assert await answer_to(socket, kind, fields, await do(ids_of, world.home)) != never, (
            kind,
            "their own is there",
        )


async def parts_of_prompt(socket: Socket, name: str) -> str:
    """Send a prompt that mentions an agent; return the parts of its message as text, without the agent's name."""
    answer = await socket.ask("prompt", text=f"@{name} hello")
    rows = Part.objects.filter(message=from_public("msg", answer["data"]["message"]["id"]))
    parts = await do(lambda: list(rows.order_by("index").values_list("type", "text", "data")))
    return json.dumps(parts).replace(name, "<name>")


async def test_an_agent_of_others_that_a_prompt_calls_is_one_that_never_was(world: World) -> None:
    missing, foreign = await do(missing_of, world.foreign), await do(ids_of, world.foreign)
    for who, visitor in world.visitors.items():
        async with socket_of(path_of(world.home["session"]), visitor) as socket:
            never = await parts_of_prompt(socket, missing["agent_name"])
            assert await parts_of_prompt(socket, foreign["agent_name"]) == never, who
            own = await do(ids_of, world.home)
            assert await parts_of_prompt(socket, own["agent_name"]) != never, "their own is called"


async def test_ids_that_a_frame_does_not_ask_for_open_nothing(world: World) -> None:
    ids, missing = await do(ids_of, world.foreign), await do(missing_of, world.foreign)
    for number, (kind, given) in enumerate(FRAMES.items()):
        fields = _filled(given, await do(ids_of, world.home))
        for who, visitor in sampled([*world.visitors.items()], every=3, start=number):
            async with socket_of(path_of(world.home["session"]), visitor) as socket:
                for others in (ids, missing):
                    await socket.send({**others, **fields, "id": 0, "type": kind})
                    await socket.ask("ping")
                said = json.dumps(socket.seen)
            assert CANARY not in said, (kind, who)
            assert not [value for value in ids.values() if len(value) > 8 and value in said], (kind, who)


@pytest.mark.parametrize("kind", FRAMES_OF_ME)
async def test_the_socket_of_a_person_answers_alike_whatever_ids_it_is_sent(kind: str, world: World) -> None:
    ids, missing = await do(ids_of, world.foreign), await do(missing_of, world.foreign)
    for who, visitor in world.visitors.items():
        async with socket_of(ME, visitor) as socket:
            answers = []
            for others in (ids, missing):
                await socket.send({**others, "id": 1, "type": kind})
                answers.append(await socket.frame())
            assert answers[0] == answers[1], who
            assert answers[0]["error"]["code"] == "unknown_field", who


# --- terminals -----------------------------------------------------------------------------------------------------
async def all_that_a_terminal_says(session: str, terminal: str, visitor: Visitor) -> list[Any]:
    """Send each frame to the socket of a terminal; return every message of the server until it closes the socket."""
    async with socket_of(f"/ws/sessions/{session}/terminals/{terminal}", visitor) as socket:
        for kind, fields in FRAMES_OF_TERMINAL.items():
            await socket.send({"id": kind, "type": kind, **fields})
        return await socket.to_the_end()


async def test_a_terminal_of_a_foreign_session_closes_as_one_that_never_was(world: World) -> None:
    never, terminal = (await do(missing_ids, world.foreign))["session_id"], to_public("trm", new_id())
    for who, visitor in world.visitors.items():
        expected = await all_that_a_terminal_says(never, terminal, visitor)
        assert [message["type"] for message in expected] == ["websocket.close"], who
        assert expected[0]["code"] in {4403, 4404}, who
        for whose, tenant in world.theirs.items():
            session = tenant["session"]
            assert session != world.home["session"], whose
            said = await all_that_a_terminal_says(session.public_id, terminal, visitor)
            assert said == expected, (who, whose)


# --- coming in -----------------------------------------------------------------------------------------------------
async def all_that_is_said(path: str, visitor: Visitor) -> list[Any]:
    """Open a socket; return every message of the server until it closes the socket."""
    async with socket_of(path, visitor) as socket:
        return await socket.to_the_end()


async def test_the_socket_of_a_foreign_session_closes_as_that_of_one_that_never_was(world: World) -> None:
    never = (await do(missing_ids, world.foreign))["session_id"]
    for who, visitor in world.visitors.items():
        expected = await all_that_is_said(f"/ws/sessions/{never}", visitor)
        assert [(message["type"], message["code"]) for message in expected] == [("websocket.close", 4404)], who
        for whose, tenant in world.theirs.items():
            for kind in ("session", "child", "private_session"):
                if tenant[kind] == world.home[kind]:
                    continue
                assert await all_that_is_said(path_of(tenant[kind]), visitor) == expected, (who, whose, kind)


async def test_an_id_that_is_no_sessions_closes_the_same_way(world: World) -> None:
    foreign = await do(ids_of, world.foreign)
    for text in ("x", "ses_", "ses_" + "g" * 32, "%00", "0" * 300, foreign["project_id"], foreign["turn_id"]):
        for visitor in world.visitors.values():
            said = await all_that_is_said(f"/ws/sessions/{text}", visitor)
            assert [(message["type"], message["code"]) for message in said] == [("websocket.close", 4404)], text


async def test_who_is_not_signed_in_learns_nothing_of_which_sessions_there_are(world: World) -> None:
    never = (await do(missing_ids, world.foreign))["session_id"]
    for nobody in (None, f"ticket={new_id().hex}"):
        answers = []
        for path in (f"/ws/sessions/{never}", path_of(world.foreign["session"]), ME):
            async with open_socket(f"{path}?{nobody}" if nobody else path) as socket:
                answers.append(await socket.to_the_end())
        assert answers[0] == answers[1] == answers[2]
        assert answers[0][-1]["code"] == 4401


# --- what is told without being asked ------------------------------------------------------------------------------
def rename(tenant: Tenant, title: str) -> None:
    # a canary is no number of tokens, and no revert
    Session.objects.filter(pk=tenant["session"].pk).update(tokens={}, revert=None)
    update_session(actor=tenant.owner, session=tenant["session"], title=title)


async def test_no_socket_tells_what_happens_in_another_team(world: World) -> None:
    for who, visitor in world.visitors.items():
        async with socket_of(ME, visitor) as me, socket_of(path_of(world.home["session"]), visitor) as session:
            await me.ask("hello")
            await session.ask("hello", after=None)
            for tenant in world.theirs.values():
                await do(rename, tenant, f"{CANARY} {new_id().hex}")
            await do(rename, world.home, f"For {who}")
            await me.wait_for("notice", kind="session.updated")
            await session.wait_for("event", event_type="session.updated")
            assert CANARY not in json.dumps([me.seen, session.seen]), who
