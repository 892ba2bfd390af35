"""The REST API in this process, called by a program with an API token."""

from typing import Any

from django.test import Client

from agentsite.tenancy.models import User
from tests.support.builders import bearer


class RestApi:
    """A client of the REST API with an API token of the user."""

    def __init__(self, user: User) -> None:
        self._client = Client()
        self._headers = bearer(user)

    def __call__(self, method: str, path: str, body: Any = None, *, expect: int = 200) -> Any:
        options = {} if body is None else {"data": body, "content_type": "application/json"}
        answer = getattr(self._client, method)(f"/api/v1{path}", headers=self._headers, **options)
        assert answer.status_code == expect, answer.content
        return answer.json() if answer.content else None

    def error(self, method: str, path: str, body: Any = None, *, expect: int) -> dict[str, Any]:
        error: dict[str, Any] = self(method, path, body, expect=expect)["error"]
        assert set(error) == {"code", "message", "hint", "fields", "request_id"}
        assert error["message"].endswith(".")
        assert error["request_id"]
        return error
