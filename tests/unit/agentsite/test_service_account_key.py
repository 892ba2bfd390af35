"""The key file of a Google service account: the fields that are stored, and the refusal of invalid files, whose errors
never quote the file."""

import json
from typing import Any

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa

from agentsite.base.errors import BadInput
from agentsite.tenancy.service_account_key import TOKEN_ADDRESS, check_service_account, ending_of


def pem(key: Any) -> str:
    form = (serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    return str(key.private_bytes(*form).decode())


RSA = pem(rsa.generate_private_key(public_exponent=65537, key_size=2048))
FILE = {
    "type": "service_account", "project_id": "tea-shop-1", "private_key_id": "0123456789abcdef", "private_key": RSA,
    "client_email": "agent@tea-shop-1.iam.gserviceaccount.com", "client_id": "1", "token_uri": TOKEN_ADDRESS,
    "auth_uri": "https://accounts.google.com/o/oauth2/auth", "universe_domain": "googleapis.com",
}  # fmt: skip


def test_only_what_signing_in_needs_is_kept() -> None:
    kept = json.loads(check_service_account(json.dumps(FILE, indent=2), exempted=[]))
    assert kept == {name: value for name, value in FILE.items() if name not in ("auth_uri", "universe_domain")}
    assert ending_of(json.dumps(kept)) == "0123456789abcdef"


def test_a_file_without_an_address_signs_in_at_googles() -> None:
    without = {name: value for name, value in FILE.items() if name != "token_uri"}
    assert json.loads(check_service_account(json.dumps(without), exempted=[]))["token_uri"] == TOKEN_ADDRESS


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"type": "authorized_user"}, "type"),
        ({"type": "external_account", "credential_source": {"executable": {"command": "id"}}}, "type"),
        ({"client_email": 1}, "client_email"),
        ({"private_key": "canary"}, "private_key"),
        ({"private_key": pem(ec.generate_private_key(ec.SECP256R1()))}, "private_key"),
        ({"universe_domain": "canary.example"}, "cloud"),
        ({"token_uri": "http://169.254.169.254/token"}, "token_uri"),
        ({"token_uri": "https://oauth2.googleapis.com.canary.example/token"}, "token_uri"),
        ({"token_uri": "https://[half/token"}, "token_uri"),
        ({"token_uri": {"canary": 1}}, "token_uri"),
    ],
)
def test_a_file_that_is_none_or_sends_requests_elsewhere_is_refused(change: dict[str, Any], problem: str) -> None:
    with pytest.raises(BadInput) as caught:
        check_service_account(json.dumps({**FILE, **change}), exempted=[])
    fields = caught.value.fields or {}
    assert problem in fields["key"]
    assert "canary" not in f"{caught.value} {fields} {caught.value.hint}"


@pytest.mark.parametrize("text", ["", "sk-canary", "[]", "{", "[" * 5_000, "9" * 9_000])
def test_other_texts_are_refused(text: str) -> None:
    with pytest.raises(BadInput) as caught:
        check_service_account(text, exempted=[])
    assert "JSON" in (caught.value.fields or {})["key"]


def test_operators_can_permit_another_token_service() -> None:
    file = {**FILE, "token_uri": "http://127.0.0.1:9/token"}
    assert "127.0.0.1:9" in check_service_account(json.dumps(file), exempted=["127.0.0.1:9"])
