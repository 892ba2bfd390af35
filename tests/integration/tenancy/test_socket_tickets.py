from datetime import timedelta

import pytest
from django.utils import timezone

from agentsite.tenancy.actions.socket_tickets import Admission, issue_ticket, redeem_ticket
from agentsite.tenancy.models import SocketTicket
from tests.support.builders import browser_of, make_user

pytestmark = pytest.mark.django_db


def test_a_ticket_is_good_once() -> None:
    user = make_user()
    secret = issue_ticket(actor=user).secret
    assert redeem_ticket(secret) == Admission(user, None)
    assert redeem_ticket(secret) is None


def test_a_ticket_fades() -> None:
    secret = issue_ticket(actor=make_user()).secret
    SocketTicket.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    assert redeem_ticket(secret) is None


def test_an_unknown_ticket_opens_nothing() -> None:
    assert redeem_ticket("no-such-ticket") is None


def test_a_new_ticket_clears_the_faded_ones() -> None:
    issue_ticket(actor=make_user())
    SocketTicket.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    issue_ticket(actor=make_user())
    assert SocketTicket.objects.count() == 1


def test_the_api_issues_tickets_to_those_who_are_signed_in() -> None:
    user = make_user()
    answer = browser_of(user).post("/api/v1/socket-tickets", {}, content_type="application/json")
    assert answer.status_code == 201
    admitted = redeem_ticket(answer.json()["ticket"])
    assert admitted is not None
    assert (admitted.user, admitted.token) == (user, None)
