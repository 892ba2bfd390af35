"""ForgeClient: bounded HTTP requests to one forge, and its errors as plain sentences."""

import json
from collections.abc import Mapping
from typing import Any, Final, Protocol
from urllib.parse import quote

import httpx

from sessions_app.llm.guarded_http import EndpointRefused
from sessions_app.repositories.forges.port import ForgeError

TIMEOUT_SECONDS: Final = 15.0  # for each request
MAX_ANSWER_BYTES: Final = 8 << 20
SHOWN_CHARS: Final = 300  # of a forge's own words
RENEW: Final = "Ask an admin of the team to replace the connection's token in the team settings, Repositories."


class GitClient(Protocol):
    """A client that sends requests of git's own protocol to a repository."""

    async def send(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, str | int] | None = None,
        content: Mapping[str, Any] | bytes | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> bytes:
        """Send a request and return the body of a successful response. Raises ForgeError."""
        ...


class ForgeClient:
    """An HTTP client for a forge's API below `base_url`. It does not follow redirects, because they would send the
    credential to another address."""

    def __init__(self, base_url: str, headers: Mapping[str, str], transport: httpx.AsyncBaseTransport) -> None:
        self.base_url = base_url.rstrip("/")
        self._headers = {"User-Agent": "agentsite", **headers}
        self._transport = transport

    async def get(self, path: str, **query: str | int) -> Any:
        """Send a GET request, and return the JSON of the forge's answer. Raises ForgeError."""
        return _json(await self.send("GET", path, query=query))

    async def find(self, path: str, **query: str | int) -> Any:
        """Send a GET request, and return the JSON of the forge's answer; None if the forge answers that the object does
        not exist."""
        try:
            return await self.get(path, **query)
        except ForgeError as error:
            if error.problem == "missing":
                return None
            raise

    async def post(self, path: str, content: Mapping[str, Any]) -> Any:
        return _json(await self.send("POST", path, content=content))

    async def change(self, path: str, content: Mapping[str, Any], *, method: str = "PATCH") -> Any:
        return _json(await self.send(method, path, content=content))

    async def text(self, path: str, *, headers: Mapping[str, str] | None = None, **query: str | int) -> str | None:
        """Send a GET request, and return the text of the forge's answer; None if the forge answers that the object does
        not exist."""
        try:
            return (await self.send("GET", path, query=query, headers=headers)).decode("utf-8", "replace")
        except ForgeError as error:
            if error.problem == "missing":
                return None
            raise

    async def send(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, str | int] | None = None,
        content: Mapping[str, Any] | bytes | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> bytes:
        """Send a request and return the body of a successful response. Raises ForgeError."""
        body = json.dumps(content).encode() if isinstance(content, Mapping) else content
        kind = {"Content-Type": "application/json"} if isinstance(content, Mapping) else {}
        request = httpx.Request(
            method,
            f"{self.base_url}{path}",
            params=dict(query) if query else None,
            content=body,
            headers={**self._headers, **kind, **(headers or {})},
            extensions={"timeout": httpx.Timeout(TIMEOUT_SECONDS).as_dict()},
        )
        try:
            status, received, answered = await self._exchange(request)
        except EndpointRefused as error:
            raise ForgeError("address", f"{self.base_url} cannot be used: {error}.") from None
        except httpx.HTTPError as error:
            raise ForgeError("address", f"{request.url.host} does not answer ({type(error).__name__}).") from None
        if status >= 300:
            raise _problem(request, status, received, answered)
        return received

    async def _exchange(self, request: httpx.Request) -> tuple[int, bytes, httpx.Headers]:
        response = await self._transport.handle_async_request(request)
        response.request = request
        try:
            received = bytearray()
            async for piece in response.aiter_bytes():
                received += piece
                if len(received) > MAX_ANSWER_BYTES:
                    raise ForgeError("broken", f"The answer of {request.url.host} is larger than 8 MiB.")
        finally:
            await response.aclose()
        return response.status_code, bytes(received), response.headers


def in_path(text: str) -> str:
    """Quote a text, so that it is one segment of a URL's path."""
    return quote(text, safe="")


def in_paths(text: str) -> str:
    """Quote a text with slashes, so that it is several segments of a URL's path."""
    return quote(text, safe="/")


def _json(received: bytes) -> Any:
    if not received:
        return None
    try:
        return json.loads(received)
    except ValueError:
        raise ForgeError("broken", "The server's answer is not JSON.", "Check the address of the connection.") from None


def _problem(request: httpx.Request, status: int, received: bytes, headers: httpx.Headers) -> ForgeError:
    host, said = request.url.host, _words(received)
    if status == 401:
        return ForgeError(
            "credential", f"{host} does not accept the credential: it is wrong, expired or revoked.", RENEW
        )
    if status == 429 or (status == 403 and headers.get("x-ratelimit-remaining") == "0"):
        return ForgeError("limit", f"{host} allows no more requests for now.", "Try again in a few minutes.")
    if status == 403:
        return ForgeError(
            "right", f"The credential may not do this at {host}{said}.", "Give the token this right, or replace it."
        )
    if status in (404, 410):
        return ForgeError(
            "missing", f"{host} knows no such repository or object, or the credential may not see it.",
            "Check the name, and that the token includes the repository.",
        )  # fmt: skip
    if status < 400:
        return ForgeError(
            "broken", f"{host} answered with a redirect.", "The repository or the forge has moved: use its new address."
        )
    if status < 500:
        return ForgeError("refused", f"{host} refused the request{said}.")
    return ForgeError("broken", f"{host} has a problem of its own (status {status}).", "Try again in a few minutes.")


def _words(received: bytes) -> str:
    """Return the error message in a forge's answer as ": message"; "" if there is none."""
    try:
        answer = json.loads(received)
    except ValueError:
        return ""
    if not isinstance(answer, Mapping):
        return ""
    said = answer.get("message") or answer.get("error_description") or answer.get("error") or ""
    details = [each.get("message", "") for each in answer.get("errors") or () if isinstance(each, Mapping)]
    if isinstance(said, Mapping):  # Bitbucket
        said = said.get("message", "")
    elif isinstance(said, list):  # GitLab
        said = "; ".join(map(str, said))
    text = "; ".join(filter(None, [str(said), *map(str, details)]))
    return f": {text[:SHOWN_CHARS].rstrip('.')}" if text else ""
