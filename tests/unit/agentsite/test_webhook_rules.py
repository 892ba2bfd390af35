"""Signatures and retries of webhooks, and the example in the documentation."""

import re
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from sessions_app.webhooks.event_types import PING, webhook_event, webhook_events
from sessions_app.webhooks.retries import FIRST_WAIT, GIVE_UP_AFTER, MAX_RETRY_WAIT, next_try
from sessions_app.webhooks.signing import new_webhook_secret, signed_headers

PAGE = Path(__file__).resolve().parents[3] / "docs" / "webhooks.md"
BODY = b'{"type":"ping"}'


@pytest.fixture(scope="module")
def is_ours() -> Callable[..., bool]:
    """Return the function in the documentation's example that verifies a signature."""
    found = re.search(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)
    assert found is not None
    names: dict[str, Any] = {}
    exec(found[1], names)
    function: Callable[..., bool] = names["is_ours"]
    return function


def signed(*secrets: str, at: float | None = None) -> dict[str, str]:
    return signed_headers(secrets, event_id="evt_1", timestamp=int(time.time() if at is None else at), body=BODY)


def test_the_example_takes_what_we_sign(is_ours: Callable[..., bool]) -> None:
    secret = new_webhook_secret()
    assert is_ours(secret, signed(secret), BODY)


def test_while_secrets_change_both_are_good(is_ours: Callable[..., bool]) -> None:
    new, old = new_webhook_secret(), new_webhook_secret()
    assert is_ours(new, signed(new, old), BODY)
    assert is_ours(old, signed(new, old), BODY)


@pytest.mark.parametrize("change", ["body", "id", "time", "secret", "signature"])
def test_the_example_refuses_what_was_changed(is_ours: Callable[..., bool], change: str) -> None:
    secret = new_webhook_secret()
    headers, body = signed(secret), BODY
    if change == "body":
        body += b" "
    elif change == "id":
        headers["Webhook-Id"] = "evt_2"
    elif change == "time":
        headers["Webhook-Timestamp"] = str(int(headers["Webhook-Timestamp"]) + 1)
    elif change == "secret":
        secret = new_webhook_secret()
    else:
        headers["Webhook-Signature"] = headers["Webhook-Signature"].replace("v1,", "v1,A")
    assert not is_ours(secret, headers, body)


@pytest.mark.parametrize("seconds", [-301, 301, -86_400])
def test_the_example_refuses_what_is_old(is_ours: Callable[..., bool], seconds: int) -> None:
    secret = new_webhook_secret()
    assert not is_ours(secret, signed(secret, at=time.time() + seconds), BODY)


def test_what_the_standard_says_is_what_we_send() -> None:
    """Our signature of the example in the Standard Webhooks specification equals the signature there."""
    secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
    headers = signed_headers(
        [secret], event_id="msg_p5jXN8AQM9LWM0D4loKWxJek", timestamp=1614265330, body=b'{"test": 2432232314}'
    )
    assert headers["Webhook-Signature"] == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="


NOW = datetime(2026, 11, 22, 12, tzinfo=UTC)


def test_waits_grow_from_seconds_to_hours() -> None:
    waits = [next_try(attempts=number, since=NOW, now=NOW, spread=0.5) for number in (1, 2, 3, 30)]
    assert waits == [NOW + FIRST_WAIT, NOW + 3 * FIRST_WAIT, NOW + 9 * FIRST_WAIT, NOW + MAX_RETRY_WAIT]


def test_waits_are_spread() -> None:
    soonest, latest = (next_try(attempts=1, since=NOW, now=NOW, spread=spread) for spread in (0.0, 1.0))
    assert (soonest, latest) == (NOW + 0.8 * FIRST_WAIT, NOW + 1.2 * FIRST_WAIT)


def test_after_a_day_it_is_given_up() -> None:
    now, attempts = NOW, 0
    while (again := next_try(attempts=(attempts := attempts + 1), since=NOW, now=now, spread=1.0)) is not None:
        now = again
    assert timedelta(hours=21) < now - NOW < GIVE_UP_AFTER
    assert attempts < 25


def test_every_event_is_on_the_page() -> None:
    page = PAGE.read_text()
    assert [kind for kind in (*webhook_events(), PING) if f"`{kind}`" not in page] == []


def test_an_event_is_not_taken_twice() -> None:
    with pytest.raises(ValueError, match=r"turn\.ended"):
        webhook_event("turn.ended", "something else")
