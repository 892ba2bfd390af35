"""ask_oauth(): run one step of a sign-in at a remote MCP server, in a guarded process.

Nothing is stored here: the caller encrypts and keeps the `OAuthState` between the steps.
"""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Final, Literal

from tools_app.web.process import GuardedProcess, ProcessFailed

PROGRAM: Final = "tools_app.mcp.oauth.process"
SECONDS: Final = 60.0  # for the process to start and for all requests of a step
OUT_OF_TIME: Final = "did not answer in time"
BROKEN: Final = "sent something that could not be read"

Step = Literal["begin", "finish", "refresh", "revoke"]


@dataclass(frozen=True, slots=True)
class OAuthClient:
    """The site as a client of authorization servers. `metadata_url` is the address of its client-id metadata document;
    it is "" if the site has no public https address. `registered` is a client that is already known: the answer to a
    registration, or the client that an admin entered."""

    name: str
    uri: str
    redirect_uri: str
    metadata_url: str = ""
    registered: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class OAuthState:
    """The state of a sign-in between two steps, as JSON. `tokens` is the answer of the token endpoint. `expires_at` is
    when the access token expires, in seconds since 1970; None if the server did not say."""

    resource: Mapping[str, Any] | None = None
    server: Mapping[str, Any] | None = None
    issuer: str = ""
    client: Mapping[str, Any] | None = None
    scope: str = ""
    verifier: str = ""
    tokens: Mapping[str, Any] | None = None
    expires_at: float | None = None

    @property
    def access_token(self) -> str:
        return str((self.tokens or {}).get("access_token") or "")

    @property
    def refresh_token(self) -> str:
        return str((self.tokens or {}).get("refresh_token") or "")

    @property
    def secrets(self) -> list[str]:
        """Return the values that must never be shown: tokens, and the client's secret."""
        found = [self.access_token, self.refresh_token, str((self.client or {}).get("client_secret") or "")]
        return [secret for secret in found if secret]

    def as_text(self) -> str:
        return json.dumps(asdict(self))

    @classmethod
    def from_text(cls, text: str) -> "OAuthState":
        return cls(**json.loads(text))


@dataclass(frozen=True, slots=True)
class OAuthOrder:
    """A request for one step of a sign-in.

    begin: find the authorization server of `url`, register if necessary, and return the address where a person signs
    in. `scope` is requested in addition to what the server asks for. `challenge` is the `WWW-Authenticate` header of an
    earlier refusal, which is used if the server does not refuse the first request. finish: exchange `code`, which came
    with the issuer `iss`, for tokens. refresh: get a new access token. revoke: revoke the tokens at the authorization
    server.
    """

    step: Step
    url: str
    client: OAuthClient
    allowed: tuple[str, ...]
    certificates: str
    headers: Mapping[str, str] = field(default_factory=dict)
    state: OAuthState = field(default_factory=OAuthState)
    scope: str = ""
    challenge: str = ""
    code: str = ""
    iss: str | None = None

    @classmethod
    def from_message(cls, data: Mapping[str, Any]) -> "OAuthOrder":
        return cls(
            **{
                **data,
                "client": OAuthClient(**data["client"]),
                "state": OAuthState(**data["state"]),
                "allowed": tuple(data["allowed"]),
            }
        )


@dataclass(frozen=True, slots=True)
class OAuthAnswer:
    """The outcome of one step of an OAuth sign-in.

    `authorize`: the person must sign in at `url`; the server's answer will have `key` as its `state`. `tokens`: the
    tokens are in `state`. `failed`: `problem` is a verb phrase to put after the server's name, and `final` means that
    the authorization server refused, so that a retry does not help.
    """

    kind: Literal["authorize", "tokens", "revoked", "failed"]
    state: OAuthState = field(default_factory=OAuthState)
    url: str = ""
    key: str = ""
    problem: str = ""
    final: bool = False


async def ask_oauth(order: OAuthOrder) -> OAuthAnswer:
    """Run one step of a sign-in, and return its outcome. Failures do not raise; they are in the answer."""
    try:
        async with GuardedProcess(PROGRAM, seconds=SECONDS) as process:
            await process.send(asdict(order))
            message, body = await process.receive()
        data = json.loads(body) if body else {}
        return OAuthAnswer(
            kind=message["kind"],
            state=OAuthState(**data.get("state", {})),
            url=str(data.get("url", "")),
            key=str(data.get("key", "")),
            problem=str(data.get("problem", ""))[:1_000],
            final=data.get("final") is True,
        )
    except ProcessFailed as error:
        return OAuthAnswer("failed", problem=OUT_OF_TIME if error.late else BROKEN)
    except (ValueError, TypeError, KeyError):
        return OAuthAnswer("failed", problem=BROKEN)
