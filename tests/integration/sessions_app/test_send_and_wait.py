"""One request sends a prompt and waits for the result of its turn."""

import asyncio
import json
from typing import Any

import pytest
from django.test import AsyncClient

from agentsite.tenancy.models import Membership
from sessions_app.models import Session, Turn
from sessions_app.transport import follow, session_stream
from tests.support.builders import bearer
from tests.support.lanes import fewer
from tests.support.model_server import calls, text, tool_call
from tests.support.session_site import SessionSite
from tests.support.sockets import do

ASK = tool_call("bash", command="make hi")


OFTEN = 0.2  # seconds
RIGHTS_INTERVAL = follow.RIGHTS_INTERVAL


@pytest.fixture(autouse=True)
def _looks_often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session_stream, "POLL_INTERVAL", OFTEN)
    monkeypatch.setattr(follow, "RIGHTS_INTERVAL", OFTEN)


@pytest.fixture
def session(site: SessionSite) -> Session:
    return site.open_session()


class Outcome:
    """The whole response to a request, as a program reads it."""

    def __init__(self, status: int, body: bytes) -> None:
        self.status, self.body = status, body

    def __getitem__(self, name: str) -> Any:
        return json.loads(self.body)[name]


async def ask(site: SessionSite, path: str, body: Any = None, **headers: str) -> Outcome:
    signed_in = {} if "Authorization" in headers else await do(bearer, site.user)
    client = AsyncClient()
    answer: Any = await client.post(
        f"/api/v1{path}", json.dumps(body or {}), content_type="application/json", headers=signed_in | headers
    )
    if not answer.streaming:
        return Outcome(answer.status_code, answer.content)
    return Outcome(answer.status_code, b"".join([chunk async for chunk in answer.streaming_content]))


async def send(site: SessionSite, session: Session, *, wait: int = 20, **headers: str) -> Outcome:
    path = f"/sessions/{session.public_id}/messages/send-and-wait?wait={wait}"
    return await ask(site, path, {"text": "Do it."}, **headers)


async def look(site: SessionSite, turn_id: str, *, wait: int = 0) -> Outcome:
    return await ask(site, f"/turns/{turn_id}/wait?wait={wait}")


async def work_when_asked(site: SessionSite) -> None:
    """Wait until a turn exists, then run all waiting tasks of the workers."""
    while not await Turn.objects.aexists():
        await asyncio.sleep(0.01)
    await do(site.pump.run)


async def test_the_answer_comes_when_the_turn_has_ended(site: SessionSite, session: Session) -> None:
    site.script(text("All done."))
    outcome, _ = await asyncio.gather(send(site, session), work_when_asked(site))
    assert outcome.status == 200
    assert (outcome["state"], outcome["turn"]["state"], outcome["text"]) == ("ended", "completed", "All done.")


async def test_a_turn_that_waits_for_a_person_says_for_what(site: SessionSite, session: Session) -> None:
    site.script(calls(ASK), text("Done."))
    outcome, _ = await asyncio.gather(send(site, session), work_when_asked(site))
    assert outcome["state"] == "waiting"
    assert [request["tool"] for request in outcome["permission_requests"]] == ["bash"]
    await do(site.reply, "once")
    later, _ = await asyncio.gather(look(site, outcome["turn"]["id"], wait=20), do(site.pump.run))
    assert (later["state"], later["text"], later["permission_requests"]) == ("ended", "Done.", [])


async def test_when_the_time_is_over_the_answer_says_how_to_go_on(site: SessionSite, session: Session) -> None:
    outcome = await send(site, session, wait=1)
    assert (outcome.status, outcome["state"]) == (200, "running")
    assert outcome.body.startswith(b" ")
    assert outcome["events"].startswith(f"/api/v1/sessions/{session.public_id}/events?after=")


async def test_the_same_key_again_waits_for_the_same_turn(site: SessionSite, session: Session) -> None:
    site.script(text("All done."))
    key = {"Idempotency-Key": "one", **await do(bearer, site.user)}
    first = await send(site, session, wait=0, **key)
    await do(site.pump.run)
    again = await send(site, session, wait=0, **key)
    assert again["turn"]["id"] == first["turn"]["id"]
    assert again["text"] == "All done."
    assert await Turn.objects.acount() == 1


async def test_many_may_wait_at_once(site: SessionSite, session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(follow, "RIGHTS_INTERVAL", RIGHTS_INTERVAL)  # forty checks before each message take long
    site.script(text("All done."))
    turn_id = (await send(site, session, wait=0))["turn"]["id"]
    waiting = [asyncio.ensure_future(look(site, turn_id, wait=60)) for _ in range(fewer(40, default=12))]
    await do(site.pump.run)
    async with asyncio.timeout(40):
        outcomes = await asyncio.gather(*waiting)
    assert {outcome["state"] for outcome in outcomes} == {"ended"}


async def test_who_loses_the_right_while_waiting_is_told_nothing(site: SessionSite, session: Session) -> None:
    turn_id = (await send(site, session, wait=0))["turn"]["id"]
    client, signed_in = AsyncClient(), await do(bearer, site.user)
    answer: Any = await client.post(f"/api/v1/turns/{turn_id}/wait?wait=60", headers=signed_in)
    assert await anext(answer.streaming_content) == b" "
    await do(Membership.objects.all().delete)
    async with asyncio.timeout(20):
        told = [chunk async for chunk in answer.streaming_content]
    assert b"".join(told).strip() == b""


async def test_the_outcome_can_be_asked_for_without_waiting(site: SessionSite, session: Session) -> None:
    site.script(text("All done."))
    turn = await do(site.run_prompt, session=session)
    answer = await AsyncClient().get(f"/api/v1/turns/{turn.public_id}", headers=await do(bearer, site.user))
    assert (answer.json()["state"], answer.json()["text"]) == ("ended", "All done.")


@pytest.mark.parametrize("wait", [-1, 601])
async def test_nobody_waits_for_ever(site: SessionSite, session: Session, wait: int) -> None:
    assert (await send(site, session, wait=wait)).status == 400
