"""The credentials of connections: check them, encrypt them for the door, and decrypt them in the door."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from agentsite.base.errors import BadInput
from agentsite.tenancy.door_encryption import DOOR
from agentsite.tenancy.key_pairs import CannotUnseal
from sessions_app.repositories.forges.access import Access
from sessions_app.repositories.forges.client import RENEW
from sessions_app.repositories.forges.port import ForgeError
from sessions_app.repositories.models import Connection
from tools_app.network.git.ssh_keys import SshLogin, new_key

SHOWN_ENDING: Final = 4  # last characters of a token that people can see
MIN_LENGTH_TO_SHOW: Final = 12  # characters; the ending of a shorter token would reveal too much of it
MAX_TOKEN_CHARS: Final = 4_000
MAX_KEY_CHARS: Final = 16_000
_VISIBLE: Final = re.compile(r"[\x21-\x7e]+")
_USERNAME: Final = re.compile(r"[\x21-\x39\x3b-\x7e]{1,200}")  # no colon, which ends it in the header
_NUMBER: Final = re.compile(r"[A-Za-z0-9._-]{1,60}")


@dataclass(frozen=True, slots=True)
class AppCredential:
    """The credential of a GitHub App. Without an `installation_id`, the app must be installed exactly once."""

    app_id: str
    private_key: str
    installation_id: str = ""


@dataclass(frozen=True, slots=True)
class Credential:
    """A credential as people enter it: a token or an app; neither for public repositories."""

    token: str = ""
    username: str = ""
    app: AppCredential | None = None

    @property
    def auth(self) -> Connection.Auth:
        if self.app is not None:
            return Connection.Auth.APP
        return Connection.Auth.TOKEN if self.token else Connection.Auth.NONE


def set_credential(row: Connection, given: Credential) -> None:
    """Check a credential, and set its encrypted form in the row of the connection. Raises BadInput."""
    problems = _problems(row.kind, given)
    if problems:
        raise BadInput("The credential is not valid.", fields=problems)
    row.auth, row.username, row.sealed, row.ending = given.auth, given.username.strip(), "", ""
    if row.kind == Connection.Kind.SSH:
        _make_key(row)
        return
    if given.app is not None:
        app = {
            "app_id": given.app.app_id.strip(),
            "private_key": given.app.private_key.strip() + "\n",
            "installation_id": given.app.installation_id.strip(),
        }
        row.sealed = DOOR.seal(json.dumps(app))
    elif token := given.token.strip():
        row.sealed = DOOR.seal(token)
        row.ending = token[-SHOWN_ENDING:] if len(token) >= MIN_LENGTH_TO_SHOW else ""


def _make_key(row: Connection) -> None:
    """Make an SSH key pair, and delete the stored host key of the server, which the next test of the connection stores
    again."""
    key = new_key(f"agentsite-{row.team.slug}")
    row.auth, row.sealed, row.public_key, row.host_key = Connection.Auth.KEY, DOOR.seal(key.private), key.public, ""


def _problems(kind: str, given: Credential) -> Mapping[str, str]:
    problems: dict[str, str] = {}
    if kind == Connection.Kind.SSH:
        entered = {"token": given.token, "username": given.username, "app": given.app}
        return {name: "the site makes the key itself" for name, value in entered.items() if value}
    token = given.token.strip()
    if token and (len(token) > MAX_TOKEN_CHARS or _VISIBLE.fullmatch(token) is None):
        problems["token"] = "one line without spaces"
    if given.username.strip() and _USERNAME.fullmatch(given.username.strip()) is None:
        problems["username"] = "up to 200 characters without spaces and colons"
    if given.app is not None:
        problems |= _app_problems(kind, given.app)
        if token:
            problems["token"] = "an app has no token of its own"
    elif not token and kind != Connection.Kind.GIT:
        problems["token"] = "missing"
    return problems


def _app_problems(kind: str, app: AppCredential) -> Mapping[str, str]:
    problems = {}
    if kind != Connection.Kind.GITHUB:
        problems["app"] = "only GitHub has apps"
    if _NUMBER.fullmatch(app.app_id.strip()) is None:
        problems["app.app_id"] = "the app's id or client id"
    if app.installation_id.strip() and _NUMBER.fullmatch(app.installation_id.strip()) is None:
        problems["app.installation_id"] = "a number, or empty"
    if len(app.private_key) > MAX_KEY_CHARS or "PRIVATE KEY-----" not in app.private_key:
        problems["app.private_key"] = "the content of the PEM file that GitHub made"
    return problems


def access_of(row: Connection) -> Access:
    """Return the decrypted credential of a connection. Only the door can do this. Raises ForgeError if the connection
    has no usable credential."""
    if row.state == Connection.State.REVOKED:
        raise ForgeError("credential", f"The connection '{row.name}' was revoked.", RENEW)
    if row.auth == Connection.Auth.NONE:
        return Access(row.kind, row.base_url)
    try:
        text = DOOR.unseal(row.sealed)
    except CannotUnseal:
        raise ForgeError("credential", f"The credential of '{row.name}' cannot be decrypted.", RENEW) from None
    if row.auth == Connection.Auth.APP:
        return Access(row.kind, row.base_url, app=json.loads(text))
    if row.auth == Connection.Auth.KEY:
        return Access(row.kind, row.base_url, ssh=SshLogin(text, row.host_key))
    return Access(row.kind, row.base_url, row.username, text)
