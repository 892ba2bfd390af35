"""Many people answer one request at the same time, over REST and sockets: exactly one answer is accepted, or exactly
two of different people where two must agree."""

import asyncio
from typing import Any

import pytest
from django.test import Client

from agentsite.tenancy import audit
from agentsite.tenancy.models import AuditChain, User
from sessions_app.models import PermissionRequest, Session, Turn
from tests.support.asking import approved_by, audited, deployed, go_on, waiting_turn
from tests.support.builders import browser_of
from tests.support.session_site import SessionSite, snapshot_of, verify_events
from tests.support.sockets import do, open_socket, path_of

ANSWERED = ("ok", "")


def by_rest(client: Client, request: PermissionRequest) -> tuple[str, str]:
    path = f"/api/v1/permission-requests/{request.public_id}/reply"
    answer = client.post(path, {"reply": "once"}, content_type="application/json")
    return ANSWERED if answer.status_code == 200 else (str(answer.status_code), answer.json()["error"]["code"])


async def by_socket(user: User, session: Session, request: PermissionRequest, start: asyncio.Barrier) -> Any:
    async with open_socket(path_of(session), user=user) as socket:
        async with asyncio.timeout(20):
            await start.wait()
        frame = await socket.ask("permission.reply", request_id=request.public_id, reply="once")
        return ANSWERED if frame["type"] == "ack" else ("409", frame["error"]["code"])


async def answer_eightfold(people: list[User], request: PermissionRequest) -> list[tuple[str, str]]:
    """Let eight people answer the permission request at the same moment, four over REST and four over sockets; return
    the outcomes."""
    session = await do(lambda: request.session)
    clients = [await do(browser_of, user) for user in people[:4]]
    start = asyncio.Barrier(8)

    async def rest(client: Client) -> tuple[str, str]:
        async with asyncio.timeout(20):
            await start.wait()
        outcome: tuple[str, str] = await do(by_rest, client, request)
        return outcome

    sockets = [by_socket(user, session, request, start) for user in people[4:]]
    return list(await asyncio.gather(*(rest(client) for client in clients), *sockets))


def chain_is_whole(site: SessionSite) -> bool:
    return not list(audit.verify(AuditChain.objects.get(team=site.team)))


@pytest.fixture
async def people(site: SessionSite) -> list[User]:
    return [await do(site.member) for _ in range(8)]


async def test_of_eight_answers_one_counts(site: SessionSite, people: list[User]) -> None:
    turn: Turn = await do(waiting_turn, site)
    before = await do(snapshot_of, turn.session_id)
    request = await do(site.open_request)
    outcomes = await answer_eightfold(people, request)
    assert sorted(outcomes) == [("409", "already_settled")] * 7 + [ANSWERED]
    assert (await do(go_on, site, turn)).state == Turn.State.COMPLETED
    assert await do(deployed, site) == 1
    assert len(await do(audited, site.team, "request.answered")) == 1
    assert await do(chain_is_whole, site)
    await do(verify_events, turn.session_id, before)


async def test_of_eight_answers_of_eight_people_two_count(site: SessionSite, people: list[User]) -> None:
    await do(approved_by, site.team, "two_people")
    turn: Turn = await do(waiting_turn, site)
    request = await do(site.open_request)
    outcomes = await answer_eightfold(people, request)
    assert sorted(outcomes) == [("409", "already_settled")] * 6 + [ANSWERED] * 2
    await do(request.refresh_from_db)
    assert len({given["person"]["id"] for given in request.approvals}) == 2
    assert (await do(go_on, site, turn)).state == Turn.State.COMPLETED
    assert await do(deployed, site) == 1


async def test_of_eight_answers_of_one_person_one_counts_and_another_is_still_wanted(site: SessionSite) -> None:
    await do(approved_by, site.team, "two_people")
    await do(waiting_turn, site)
    request = await do(site.open_request)
    outcomes = await answer_eightfold([site.user] * 8, request)
    assert sorted(outcomes) == [("409", "already_approved")] * 7 + [ANSWERED]
    await do(request.refresh_from_db)
    assert (request.state, len(request.approvals)) == ("open", 1)


async def test_an_unknown_request_is_missing_on_every_way_in(site: SessionSite) -> None:
    request = PermissionRequest()
    session = await do(site.open_session)
    client = await do(browser_of, site.user)
    assert await do(by_rest, client, request) == ("404", "not_found")
    async with open_socket(path_of(session), user=site.user) as socket:
        frame = await socket.ask("permission.reply", request_id=request.public_id, reply="once")
        assert frame["error"]["code"] == "not_found"
