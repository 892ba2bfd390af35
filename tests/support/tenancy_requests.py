"""The operations in the API document, their requests with the fields of the tenancy matrix, and the comparison of two
responses."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final
from urllib.parse import urlencode

from django.core.files.uploadedfile import SimpleUploadedFile

from tests.support.parsed_once import committed_api
from tests.support.tenancy_callers import Caller
from tests.support.tenancy_exceptions import DOCUMENTS
from tests.support.tenancy_matrix import ROUTES
from tests.support.tenancy_route import Route
from tests.support.tenancy_world import FIXED

CHANGING: Final = re.compile(rb'"(?:request_id": ?"[^"]*"|last_used_at": ?[^,}]*)')
OWN_HEADERS: Final = frozenset({"X-Request-ID", "Date", "RateLimit-Remaining", "RateLimit-Reset"})
METHODS_THAT_READ: Final = frozenset({"GET", "HEAD"})


class Operation:
    """One route: its name, method, path, and the fields that it reads."""

    def __init__(self, method: str, path: str, described: Mapping[str, Any]) -> None:
        self.name: str = described["operationId"]
        self.method, self.path = method.upper(), path
        self._described = described

    def __str__(self) -> str:
        return self.name

    @property
    def row(self) -> Route:
        return ROUTES[self.name]

    @property
    def path_ids(self) -> list[str]:
        return re.findall(r"{(\w+)}", self.path)

    @property
    def row_ids(self) -> list[str]:
        return [name for name in self.path_ids if name not in FIXED]

    @property
    def reads(self) -> bool:
        return self.method in METHODS_THAT_READ

    @property
    def parameters(self) -> dict[str, Any]:
        given = self._described.get("parameters", [])
        return {one["name"]: one["schema"] for one in given if one["in"] == "query"}

    def texts(self) -> set[str]:
        """Return the names of the parameters and fields that accept any text."""
        bodies = self._described.get("requestBody", {}).get("content", {}).values()
        found = {name for name, schema in self.parameters.items() if _takes_text(schema)}
        return found.union(*(_texts_of(body["schema"]) for body in bodies))

    def ask(self, caller: Caller, ids: Mapping[str, str], **more: Any) -> Any:
        """Send a request with the table's fields and the additional fields `more`, in the query or body as the
        operation needs."""
        query = {**self.row.query, **{name: value for name, value in more.items() if name in self.parameters}}
        body = {name: value for name, value in more.items() if name not in self.parameters}
        address = self.path.format(**ids) + _query(query)
        if self.row.file:
            form = {"file": SimpleUploadedFile("a.txt", b"tea"), **body}
            return caller.browser.post(address, form, headers=caller.headers)
        content = {**self.row.body, **body} if isinstance(self.row.body, dict) else body or self.row.body
        text = b"" if self.reads and content is None else json.dumps(content or {}).encode()
        return caller.browser.generic(
            self.method, address, text, content_type="application/json", headers=dict(caller.headers)
        )


def _query(values: Mapping[str, str]) -> str:
    return f"?{urlencode(values)}" if values else ""


def _resolve(schema: Any) -> Any:
    name = schema.get("$ref", "").rpartition("/")[2]
    return committed_api()["components"]["schemas"][name] if name else schema


def _texts_of(schema: Any, depth: int = 0) -> set[str]:
    """Return the names of a schema's text fields. Documents (policies, agents) are left out: they have their own
    schemas."""
    schema = _resolve(schema)
    found: set[str] = set()
    for name, given in schema.get("properties", {}).items():
        if _takes_text(given):
            found.add(name)
        elif name not in DOCUMENTS and depth < 4:
            for inner in _inside(given):
                found |= _texts_of(inner, depth + 1)
    return found


def _inside(schema: Any) -> Iterator[Any]:
    """Yield the schema and, recursively, its alternatives (`anyOf`, `oneOf`, `allOf`) and the items of a list."""
    schema = _resolve(schema)
    for one in (*schema.get("anyOf", ()), *schema.get("oneOf", ()), *schema.get("allOf", ())):
        yield from _inside(one)
    if schema.get("type") == "array":
        yield from _inside(schema.get("items", {}))
    yield schema


def _takes_text(schema: Any) -> bool:
    return any(
        one.get("type") == "string" and not {"enum", "const", "format", "pattern"} & set(one) for one in _inside(schema)
    )


def operations() -> list[Operation]:
    return [
        Operation(method, path, described)
        for path, methods in committed_api()["paths"].items()
        for method, described in methods.items()
    ]


def seen(answer: Any, *, asked: Mapping[str, str], instead: Mapping[str, str]) -> tuple[Any, ...]:
    """Return everything that a caller can see of a response, with the requested ids replaced by `instead`."""
    content = b"" if answer.streaming else answer.content
    own = OWN_HEADERS | {"ETag"} if b"last_used_at" in content else OWN_HEADERS  # it is made of the whole answer
    headers = {name: value for name, value in answer.headers.items() if name not in own}
    text = CHANGING.sub(b"", content).decode("utf-8", "replace") + json.dumps(headers) + str(answer.cookies)
    for name, value in asked.items():
        text = text.replace(value, instead[name]) if len(value) > 8 else text
    return answer.status_code, text
