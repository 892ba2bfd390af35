"""Notices can be read by the browser they are for, and by nobody else; requests are signed with the site's key."""

import json

import jwt
import pytest
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.asymmetric import ec

from sessions_app.push.encryption import (
    CURVE,
    MAX_MESSAGE_BYTES,
    BrowserKeys,
    authorization,
    base64url,
    encrypt,
    public_of,
    read_base64url,
    read_private,
    topic_of,
)
from tests.support.push_service import ReceivingBrowser

# The example of RFC 8291, appendix A
PLAIN = b"When I grow up, I want to be a watermelon"
SENDER = "yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw"
RECEIVER = "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"
AUTH = "BTBZMqHH6r4Tts7J_aSIgg"
SALT = "DGv6ra1nlYgDCS1FRnbzlw"
BODY = (
    "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl"
    "7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN"
)


def keys_of(browser: ReceivingBrowser) -> BrowserKeys:
    given = browser.subscription()
    return BrowserKeys.read(given["p256dh"], given["auth"])


def test_the_example_of_the_standard_is_encrypted_as_it_says() -> None:
    keys = BrowserKeys.read(RECEIVER, AUTH)
    body = encrypt(PLAIN, keys, sender=read_private(SENDER), salt=read_base64url(SALT))
    assert base64url(body) == BODY


def test_the_browser_reads_it_and_another_one_does_not() -> None:
    browser, other = ReceivingBrowser("a"), ReceivingBrowser("b")
    body = encrypt(json.dumps({"title": "Tee ist fertig ☕"}).encode(), keys_of(browser))
    assert browser.read(body) == {"title": "Tee ist fertig ☕"}
    with pytest.raises(InvalidTag):
        other.read(body)
    changed = bytes([*body[:-1], body[-1] ^ 1])
    with pytest.raises(InvalidTag):
        browser.read(changed)


def test_no_two_messages_share_a_key() -> None:
    keys = keys_of(ReceivingBrowser("a"))
    one, two = encrypt(b"x", keys), encrypt(b"x", keys)
    assert one[:16] != two[:16], "the salt"
    assert one[21:86] != two[21:86], "the public key of the sender"


def test_a_long_message_is_refused_and_the_longest_fits_what_push_services_take() -> None:
    keys = keys_of(ReceivingBrowser("a"))
    assert len(encrypt(b"x" * MAX_MESSAGE_BYTES, keys)) <= 4096
    with pytest.raises(ValueError, match="at most"):
        encrypt(b"x" * (MAX_MESSAGE_BYTES + 1), keys)


@pytest.mark.parametrize(
    ("public", "auth", "wrong"),
    [
        ("", AUTH, "p256dh"),
        ("not base64!", AUTH, "p256dh"),
        (RECEIVER[:-4], AUTH, "p256dh"),
        (base64url(b"\x04" + b"\x01" * 64), AUTH, "p256dh"),  # not on the curve
        (base64url(b"\x00"), AUTH, "p256dh"),  # the point at infinity
        (RECEIVER, "", "auth"),
        (RECEIVER, base64url(bytes(15)), "auth"),
        (RECEIVER, "ünicode", "auth"),
    ],
    ids=["none", "no-base64", "short", "off-the-curve", "infinity", "no-auth", "short-auth", "auth-no-base64"],
)
def test_keys_that_are_none_are_refused_by_name(public: str, auth: str, wrong: str) -> None:
    with pytest.raises(ValueError, match=f"^{wrong}$"):
        BrowserKeys.read(public, auth)


def test_a_request_is_signed_for_its_push_service_only() -> None:
    key = ec.generate_private_key(CURVE)
    header = authorization("https://push.example", key, contact="https://agents.example")
    scheme, token, public = header.replace(",", "").split(" ")
    assert (scheme, public) == ("vapid", f"k={public_of(key)}")
    claims = jwt.decode(
        token.removeprefix("t="), key.public_key(), algorithms=["ES256"], audience="https://push.example"
    )
    assert claims["sub"] == "https://agents.example"
    with pytest.raises(jwt.InvalidAudienceError):
        jwt.decode(token.removeprefix("t="), key.public_key(), algorithms=["ES256"], audience="https://other.example")


def test_topics_are_as_short_as_push_services_want_them_and_tell_nothing() -> None:
    assert len(topic_of("per_0190")) == 32
    assert topic_of("per_0190") == topic_of("per_0190") != topic_of("per_0191")
    assert "per" not in topic_of("per_0190")
