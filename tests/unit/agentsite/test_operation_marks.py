"""What will go away says so in its answers and in the document."""

from datetime import UTC, datetime

from django.http import HttpRequest
from ninja.testing import TestClient

from agentsite.api.documented_api import DocumentedAPI
from agentsite.http.operation_marks import deprecated

SINCE = datetime(2026, 1, 1, tzinfo=UTC)
SUNSET = datetime(2026, 7, 1, tzinfo=UTC)

api = DocumentedAPI(urls_namespace="going-away")


@api.get("/old", operation_id="read_old", response=dict[str, str])
@deprecated(since=SINCE, sunset=SUNSET, instead="/api/v1/new")
def read_old(request: HttpRequest) -> dict[str, str]:
    return {"tea": "cold"}


@api.get("/new", operation_id="read_new", response=dict[str, str])
def read_new(request: HttpRequest) -> dict[str, str]:
    return {"tea": "hot"}


def test_an_answer_says_since_when_until_when_and_what_instead() -> None:
    headers = TestClient(api).get("/old").headers
    assert headers["Deprecation"] == "@1767225600"
    assert headers["Sunset"] == "Wed, 01 Jul 2026 00:00:00 GMT"
    assert headers["Link"] == '</api/v1/new>; rel="successor-version"'


def test_what_stays_says_nothing() -> None:
    assert "Deprecation" not in TestClient(api).get("/new").headers


def test_the_document_says_it_too() -> None:
    paths = api.get_openapi_schema(path_prefix="/")["paths"]
    assert paths["/old"]["get"]["deprecated"] is True
    assert set(paths["/old"]["get"]["responses"][200]["headers"]) >= {"Deprecation", "Sunset", "Link"}
    assert "deprecated" not in paths["/new"]["get"]
