"""Access: a forge or git server with a credential. Builds request headers and git logins from the credential."""

import base64
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

import httpx
import jwt

from sessions_app.repositories.forges.client import ForgeClient
from sessions_app.repositories.forges.port import ForgeError
from tools_app.network.git.ssh_keys import SshLogin

APP_JWT_SECONDS: Final = 540  # GitHub accepts at most ten minutes
RENEW_BEFORE_SECONDS: Final = 300  # of a token's end
GITHUB: Final = "https://github.com"
GIT_USERS: Final = {"github": "x-access-token", "gitlab": "oauth2", "bitbucket": "x-token-auth"}
WRONG_APP: Final = "Check the app's id, its private key, and that it is installed."


@dataclass(frozen=True, slots=True)
class Access:
    """A forge or git server and the credential for it. `token` is "" for public repositories.

    With `app` {app_id, private_key, installation_id}, GitHub issues the tokens, which are valid for an hour.
    """

    kind: str
    base_url: str
    username: str = ""
    token: str = field(default="", repr=False)
    app: Mapping[str, str] | None = field(default=None, repr=False)
    ssh: SshLogin | None = None

    def with_token(self, token: str) -> "Access":
        return Access(self.kind, self.base_url, self.username, token)

    @property
    def git_authorization(self) -> str:
        """The Authorization header for git, or "" without a credential."""
        return basic(self.username or GIT_USERS.get(self.kind, "git"), self.token) if self.token else ""


def basic(username: str, password: str) -> str:
    return f"Basic {base64.b64encode(f'{username}:{password}'.encode()).decode()}"


def github_api(base_url: str) -> str:
    """Return the address of GitHub's API, at github.com or on a company's own GitHub Enterprise Server."""
    return "https://api.github.com" if base_url == GITHUB else f"{base_url}/api/v3"


GITHUB_HEADERS: Final = {"Accept": "application/vnd.github+json", "X-GitHub-Api-Version": "2022-11-28"}


@dataclass
class AppTokens:
    """The installation tokens of GitHub Apps, each of which is used until shortly before it expires."""

    _known: dict[tuple[str, str, str], tuple[str, float]] = field(default_factory=dict)

    async def opened(self, access: Access, transport: httpx.AsyncBaseTransport) -> Access:
        """Return the access with an installation token of its GitHub App. An access without an app is returned
        unchanged. Raises ForgeError."""
        app = access.app
        if app is None:
            return access
        key = (access.base_url, app["app_id"], app["private_key"])
        token, ends = self._known.get(key, ("", 0.0))
        if ends - RENEW_BEFORE_SECONDS < time.time():
            token, ends = await _installation_token(access, app, transport)
            self._known[key] = (token, ends)
        return access.with_token(token)

    def forget(self, access: Access) -> None:
        """Forget the installation token of an access, because the forge no longer accepts it."""
        if (app := access.app) is not None:
            self._known.pop((access.base_url, app["app_id"], app["private_key"]), None)


async def _installation_token(
    access: Access, app: Mapping[str, str], transport: httpx.AsyncBaseTransport
) -> tuple[str, float]:
    now = int(time.time())
    claims = {"iat": now - 60, "exp": now + APP_JWT_SECONDS, "iss": app["app_id"]}
    try:
        signed = jwt.encode(claims, app["private_key"], algorithm="RS256")
    except (jwt.PyJWTError, ValueError, TypeError):
        raise ForgeError("credential", "The app's private key is not a valid PEM key.", WRONG_APP) from None
    headers = {**GITHUB_HEADERS, "Authorization": f"Bearer {signed}"}
    client = ForgeClient(github_api(access.base_url), headers, transport)
    try:
        installation = app.get("installation_id") or await _only_installation(client)
        made = await client.post(f"/app/installations/{installation}/access_tokens", {})
    except ForgeError as error:
        if error.problem in ("credential", "missing"):
            raise ForgeError("credential", "GitHub does not accept the app.", WRONG_APP) from None
        raise
    return made["token"], datetime.fromisoformat(made["expires_at"]).timestamp()


async def _only_installation(client: ForgeClient) -> Any:
    found = await client.get("/app/installations")
    if len(found) != 1:
        names = ", ".join(str(each["account"]["login"]) for each in found[:10]) or "nowhere"
        raise ForgeError(
            "credential", f"The app is installed in {len(found)} places ({names}).", "Enter the id of one installation."
        )
    return found[0]["id"]
