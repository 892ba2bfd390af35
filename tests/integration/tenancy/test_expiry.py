"""Expired rows, and no others, are deleted in short transactions."""

from datetime import timedelta

import pytest
from django.contrib.sessions.models import Session as SignIn
from django.utils import timezone

from agentsite.tenancy.actions import expiry
from agentsite.tenancy.actions.email_quota import may_send
from agentsite.tenancy.actions.expiry import delete_expired
from agentsite.tenancy.actions.socket_tickets import issue_ticket
from agentsite.tenancy.models import LetterCount, SocketTicket
from tests.support.builders import browser_of, make_user

pytestmark = pytest.mark.django_db


def test_ended_sign_ins_unused_tickets_and_old_counts_go_and_living_ones_stay() -> None:
    browser = browser_of(make_user())
    issue_ticket(actor=make_user())
    may_send("a letter", "ada@example.org")
    now = timezone.now()
    SignIn.objects.create(session_key="ended", session_data="", expire_date=now - timedelta(seconds=1))

    assert delete_expired(now) == {"sign_ins": 1, "answers": 0, "tickets": 0, "letter_counts": 0}
    assert browser.get("/api/v1/me").status_code == 200
    gone = delete_expired(now + timedelta(days=3))
    assert (gone["tickets"], gone["letter_counts"]) == (1, 1)
    assert not SocketTicket.objects.exists()
    assert not LetterCount.objects.exists()


def test_one_sweep_deletes_so_many_and_the_next_one_the_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(expiry, "BATCH", 2)
    monkeypatch.setattr(expiry, "MAX_BATCHES", 2)
    past = timezone.now() - timedelta(days=1)
    SignIn.objects.bulk_create(SignIn(session_key=f"ended-{n}", session_data="", expire_date=past) for n in range(5))
    assert [delete_expired(timezone.now())["sign_ins"] for _ in range(3)] == [4, 1, 0]
