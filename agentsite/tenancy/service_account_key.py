"""Check the key file of a Google service account, and remove the fields that are not necessary for signing in."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final
from urllib.parse import urlsplit

from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
from cryptography.hazmat.primitives.serialization import load_pem_private_key

from agentsite.base.errors import BadInput

TOKEN_ADDRESS: Final = "https://oauth2.googleapis.com/token"
MAX_CHARS: Final = 8_000
_KEPT: Final = ("type", "project_id", "private_key_id", "private_key", "client_email", "client_id", "token_uri")
_HINT: Final = "Create a JSON key for a service account in the Google Cloud console, and paste the whole file."


def check_service_account(text: str, *, exempted: Sequence[str]) -> str:
    """Check a key file, and return it as compact JSON. Raises BadInput, never with a part of the file in its text.

    Tokens are always requested at Google's own address: another address in the file would receive signed requests of
    this site. `exempted` lists the `host:port` pairs that operators permit as well.
    """
    entries = _read(text)
    if problem := _problem(entries, exempted):
        raise BadInput("This is not the key of a service account.", hint=_HINT, fields={"key": problem})
    kept = {name: entries[name] for name in _KEPT if isinstance(entries.get(name), str)}
    return json.dumps({**kept, "token_uri": entries.get("token_uri") or TOKEN_ADDRESS}, separators=(",", ":"))


def ending_of(service_account: str) -> str:
    """Return the key id in a key file. The site shows its last characters, so that people recognise the key."""
    return str(json.loads(service_account).get("private_key_id", ""))


def _read(text: str) -> Mapping[str, Any]:
    try:
        entries = json.loads(text) if len(text) <= MAX_CHARS else None
    except (ValueError, RecursionError):
        entries = None
    return entries if isinstance(entries, dict) else {}


def _problem(entries: Mapping[str, Any], exempted: Sequence[str]) -> str:
    if not entries:
        return "must be the JSON file that Google created, as a whole"
    if entries.get("type") != "service_account":
        return "must have the type service_account"
    if not isinstance(entries.get("client_email"), str) or "@" not in entries["client_email"]:
        return "has no valid client_email"
    if not _is_rsa_key(entries.get("private_key")):
        return "has no valid private_key"
    if entries.get("universe_domain") not in (None, "googleapis.com"):
        return "belongs to another cloud than Google's public one"
    if not _is_token_address(entries.get("token_uri"), exempted):
        return f"must have the token_uri {TOKEN_ADDRESS}"
    return ""


def _is_rsa_key(text: object) -> bool:
    try:
        return isinstance(text, str) and isinstance(load_pem_private_key(text.encode(), None), RSAPrivateKey)
    except (ValueError, TypeError):
        return False


def _is_token_address(address: object, exempted: Sequence[str]) -> bool:
    if address in (None, "", TOKEN_ADDRESS):
        return True
    try:
        return isinstance(address, str) and urlsplit(address).netloc in exempted
    except ValueError:
        return False
