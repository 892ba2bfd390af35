"""Send HTTP requests with the API token, convert error responses to exceptions, and retry temporary failures."""

import time
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final, TypeVar

import httpx
from pydantic import BaseModel, ValidationError

from agentsite.client.errors import ApiError, Unreachable
from agentsite.client.types import ErrorBody, FailureView

API: Final = "/api/v1"
MAX_ATTEMPTS: Final = 4
FIRST_PAUSE: Final = 0.5  # seconds; doubles with each retry
MAX_PAUSE = 30.0  # seconds
DOWNLOAD_TIMEOUT: Final = 600.0  # seconds
RETRYABLE_STATUSES: Final = frozenset({429, 502, 503, 504})

Model = TypeVar("Model", bound=BaseModel)


class Connection:
    """An HTTP connection to one site. It can be used from several threads.

    Every write carries an idempotency key, so a retried request is executed only once.
    """

    def __init__(self, address: str, token: str, *, timeout: float, transport: httpx.BaseTransport | None) -> None:
        headers = {"Authorization": f"Bearer {token}"}
        base = address.rstrip("/") + API
        self._http = httpx.Client(base_url=base, headers=headers, timeout=timeout, transport=transport)

    def close(self) -> None:
        self._http.close()

    def get(self, kind: type[Model], path: str, /, **query: Any) -> Model:
        """Send a GET and parse the response. Query parameters that are None are left out."""
        return kind.model_validate_json(self._send("GET", path, params=_without_none(query)).content)

    def send(self, kind: type[Model], method: str, path: str, body: Mapping[str, Any] | None = None) -> Model:
        """Send a JSON body (by default an empty object) and parse the response."""
        return kind.model_validate_json(self._send(method, path, json={} if body is None else body).content)

    def delete(self, path: str) -> None:
        self._send("DELETE", path)

    def upload(self, kind: type[Model], path: str, name: str, content: bytes) -> Model:
        return kind.model_validate_json(self._send("POST", path, files={"file": (name, content)}).content)

    def put_bytes(self, kind: type[Model], path: str, content: bytes, **query: Any) -> Model:
        """Send a PUT with bytes as the whole body, and parse the response."""
        headers = {"Content-Type": "application/octet-stream"}
        return kind.model_validate_json(self._send("PUT", path, content=content, params=query, headers=headers).content)

    def download(self, path: str, /, **query: Any) -> bytes:
        """Return the body of a response that may take minutes to create. Query parameters that are None are left
        out."""
        return self._send("GET", path, timeout=DOWNLOAD_TIMEOUT, params=_without_none(query)).content

    @contextmanager
    def stream(self, path: str, *, headers: Mapping[str, str], timeout: float) -> Iterator[httpx.Response]:
        """Send a GET, and yield a response whose body continues for a long time.

        Raises httpx.ReadTimeout after `timeout` seconds without data.
        """
        with self._http.stream("GET", path, headers=dict(headers), timeout=timeout) as answer:
            if answer.is_error:
                answer.read()
                raise _api_error(answer)
            yield answer

    def _send(self, method: str, path: str, **options: Any) -> httpx.Response:
        headers = {} if method == "GET" else {"Idempotency-Key": uuid.uuid4().hex}
        headers |= options.pop("headers", {})
        for attempt in range(1, MAX_ATTEMPTS + 1):
            is_last = attempt == MAX_ATTEMPTS
            try:
                answer = self._http.request(method, path, headers=headers, **options)
            except httpx.TransportError as error:
                if is_last:
                    raise Unreachable(f"{self._http.base_url.host} does not answer: {error}.") from error
                time.sleep(_pause(attempt, None))
                continue
            if not answer.is_error:
                return answer
            if is_last or answer.status_code not in RETRYABLE_STATUSES:
                raise _api_error(answer)
            time.sleep(_pause(attempt, answer.headers.get("Retry-After")))
        raise AssertionError("unreachable")


def _pause(attempt: int, retry_after: str | None) -> float:
    pause = float(retry_after) if retry_after and retry_after.isdecimal() else FIRST_PAUSE * 2 ** (attempt - 1)
    return min(pause, MAX_PAUSE)


def _without_none(query: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in query.items() if value is not None}


def _api_error(answer: httpx.Response) -> ApiError:
    """Convert an error response to an exception. A proxy may have sent the response in another format than the site."""
    try:
        error = ErrorBody.model_validate_json(answer.content).error
    except ValidationError:
        message = f"The site answered {answer.status_code}, without an error description."
        error = FailureView(code="unknown", message=message, hint="", fields={}, request_id="")
    return ApiError(answer.status_code, error)
