"""The exact costs of frequent operations, such as a step, in SQL statements, messages and bytes. A change that raises a
cost must also change its number in `tests/support/costs.py`."""

from decimal import Decimal

import pytest

from sessions_app.events.publish import publish_delta
from sessions_app.models import Session, ToolCall
from sessions_app.spending.admission import flat_prices
from sessions_app.spending.budgets import create_budget
from sessions_app.transport.ws import base
from sessions_app.workers.agent import model_calls
from sessions_app.workers.shared import lease
from tests.support.asking import DEPLOYS, MAKEFILE
from tests.support.builders import browser_of
from tests.support.costs import Meter, counted, expected, metered
from tests.support.model_server import calls, text, tool_call
from tests.support.session_site import SessionSite
from tests.support.sockets import open_socket, path_of

READ = tool_call("read", filePath="a.txt")


@pytest.fixture(autouse=True)
def _nothing_periodic(monkeypatch: pytest.MonkeyPatch) -> None:
    """Disable periodic checks, which would run and be counted on a busy machine."""
    for module, name in (
        (lease, "PUBLISH_EVERY"),
        (lease, "CHECK_EVERY"),
        (lease, "SAVE_EVERY"),
        (lease, "RENEW_EVERY"),
        (base, "CHECK_INTERVAL"),
    ):
        monkeypatch.setattr(module, name, 600.0)


@pytest.fixture
def warm(site: SessionSite) -> Session:
    """Return a session in its second turn, so that the processes have already filled their caches."""
    site.write("a.txt", "one\n")
    site.write("Makefile", MAKEFILE)
    session = site.open_session()
    site.script(calls(READ), text("Done."), calls(READ), calls(READ), calls(DEPLOYS), text("Done."))
    site.run_prompt(session=session)
    site.prompt(session)
    site.pump.run(until=lambda: site.pump.names() == ["sessions.advance_turn"] and _completed(session) == 2)
    return session


def _completed(session: Session) -> int:
    return ToolCall.objects.filter(session=session, state=ToolCall.State.COMPLETED).count()


def _compare(measured: dict[str, Meter]) -> None:
    found = {name: meter.cost for name, meter in measured.items()}
    statements = "\n".join(text[:150] for meter in measured.values() for text in meter.statements)
    assert found == {name: expected(name) for name in found}, statements


def test_a_step_and_a_call(site: SessionSite, warm: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    with metered(site, warm, monkeypatch) as step:
        site.pump.step()
    with metered(site, warm, monkeypatch) as call:
        site.pump.step()
    _compare({"step": step, "call": call})


def test_a_call_that_waits_its_answer_and_the_last_step(
    site: SessionSite, warm: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    site.pump.run(until=lambda: _completed(warm) == 3)
    site.pump.step()
    with metered(site, warm, monkeypatch) as waiting:
        site.pump.step()
    request, browser = site.open_request(), browser_of(site.user)
    path = f"/api/v1/permission-requests/{request.public_id}/reply"
    with metered(site, warm, monkeypatch) as answer:
        assert browser.post(path, {"reply": "once"}, content_type="application/json").status_code == 200
    site.pump.step()
    with metered(site, warm, monkeypatch) as last:
        site.pump.step()
    assert warm.turns.order_by("-id")[0].state == "completed"
    _compare({"waiting call": waiting, "answer": answer, "last step": last})


def test_a_step_with_a_budget(site: SessionSite, warm: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    prices = flat_prices(Decimal("0.000001"), Decimal("0.000004"))
    monkeypatch.setattr(model_calls, "facts_of", lambda _: prices)
    create_budget(
        actor=site.user, team=site.team, scope="team", target="", limit=Decimal(5), period="month",
        unknown_prices="refuse",
    )  # fmt: skip
    with metered(site, warm, monkeypatch) as step:
        site.pump.step()
    _compare({"step with a budget": step})


async def test_a_viewer(site: SessionSite, warm: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    async with open_socket(path_of(warm), user=site.user) as socket:
        with counted(monkeypatch) as hello:
            await socket.ask("hello")
            await socket.wait_for("presence")
        with counted(monkeypatch) as event:
            publish_delta(warm.id, target="part", public_id="prt_x", offset=0, text="x")
            await socket.wait_for("delta")
    _compare({"hello": hello, "event": event})
