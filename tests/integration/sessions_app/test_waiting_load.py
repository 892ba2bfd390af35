"""Hundreds of pending requests are listed, are settled by one answer that allows them, and expire in time."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from agentsite.tenancy import audit
from agentsite.tenancy.models import AuditChain
from sessions_app.models import PermissionRequest, ToolCall, Turn
from tests.support.asking import DEPLOYS, MAKEFILE, audited
from tests.support.builders import browser_of
from tests.support.lanes import EVERYTHING
from tests.support.model_server import calls, text
from tests.support.session_site import SessionSite, find_log_gaps

SESSIONS = 10
TWENTY = 20
EACH = TWENTY if EVERYTHING else 5
EVERY = SESSIONS * EACH
FEW = 4
STATEMENTS = 17  # for each request that a grant settles, including its transaction and its agent


def gather(site: SessionSite, *, sessions: int, each: int) -> SessionSite:
    """Create sessions, each with several pending requests from one message."""
    site.write("Makefile", MAKEFILE)
    site.script(*[calls(*[DEPLOYS] * each)] * sessions)
    for number in range(sessions):
        site.prompt(site.open_session(f"Session {number}"))
    site.pump.run(limit=2 * SESSIONS * TWENTY)
    assert site.open_requests().count() == sessions * each
    return site


@pytest.fixture
def crowd(site: SessionSite) -> SessionSite:
    return gather(site, sessions=SESSIONS, each=EACH)


@pytest.fixture
def group(site: SessionSite) -> SessionSite:
    """Create a few pending permission requests, for tests that do not depend on their number."""
    return gather(site, sessions=3, each=FEW)


@pytest.mark.full
def test_they_are_listed_with_as_many_statements_as_few(crowd: SessionSite) -> None:
    client = browser_of(crowd.user)
    with CaptureQueriesContext(connection) as queries:
        items = client.get("/api/v1/permission-requests").json()["items"]
    assert len({item["id"] for item in items}) == EVERY
    assert len(queries) < 10


def test_one_answer_settles_all_that_it_allows_in_bounded_work(crowd: SessionSite) -> None:
    first = crowd.open_requests()[0]
    with CaptureQueriesContext(connection) as queries:
        crowd.reply("always", scope="project", request=first)
    assert not crowd.open_requests().exists()
    assert set(ToolCall.objects.values_list("state", flat=True)) == {"pending"}
    assert set(Turn.objects.values_list("state", flat=True)) == {"running"}
    assert len(queries) < STATEMENTS * EVERY
    assert len(audited(crowd.team, "request.answered")) == EVERY
    assert list(audit.verify(AuditChain.objects.get(team=crowd.team))) == []
    for turn in Turn.objects.select_related("session"):
        assert find_log_gaps(turn.session) == []


@pytest.mark.full
def test_what_nobody_answers_ends_in_a_few_rounds(site: SessionSite) -> None:
    crowd = gather(site, sessions=SESSIONS, each=TWENTY)
    rounds = [crowd.recover(later=24 * 3600 + 60)["requests"] for _ in range(3)]
    assert rounds == [100, 100, 0]
    assert set(PermissionRequest.objects.values_list("state", flat=True)) == {"rejected"}


def test_a_plain_reject_ends_one_turn_with_all_that_it_waits_for(group: SessionSite) -> None:
    first = group.open_requests()[0]
    group.reply("reject", request=first)
    assert group.open_requests().count() == 2 * FEW
    states = PermissionRequest.objects.filter(turn=first.turn).values_list("state", flat=True)
    assert sorted(states) == ["cancelled"] * (FEW - 1) + ["rejected"]


def test_each_goes_on_by_itself(group: SessionSite) -> None:
    group.script(*[text("Done.")] * 3)
    for request in group.open_requests():
        group.reply("reject", request=request, message="Not now.")
    group.pump.run(limit=2 * EVERY)
    assert set(Turn.objects.values_list("state", flat=True)) == {Turn.State.COMPLETED}
