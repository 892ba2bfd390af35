"""Every route of the API document gets random requests: some match its schema, others violate it.

The site must not fail, and must return no status, content type or body that the document does not describe. Half of the
requests are about existing objects, sent by their owner; half use ids that do not exist. `FUZZ_EXAMPLES` sets the
number of requests.
"""

import json
import os
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, Final

import pytest
import requests
import schemathesis
from django.db import transaction
from django.test import Client
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from pytest_django import DjangoDbBlocker
from pytest_django.fixtures import Settings
from schemathesis import GenerationMode

from tests.support.builders import browser_of
from tests.support.lanes import EVERYTHING, sampled
from tests.support.parsed_once import committed_api
from tests.support.tenancy_matrix import ROUTES
from tests.support.tenancy_world import Tenant, make_tenant

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]

EXAMPLES: Final = int(os.environ.get("FUZZ_EXAMPLES", "4" if EVERYTHING else "1"))
DOCUMENT: Final = committed_api()
# Not what the site is asked with, or what would change the answer's shape.
LEFT_OUT: Final = frozenset({"fields", "If-None-Match"})
OURS: Final = frozenset({"idempotency-key", "if-match", "last-event-id", "content-type"})
MODES: Final = (GenerationMode.POSITIVE, GenerationMode.NEGATIVE)


def _operations() -> Iterator[tuple[str, str, str, dict[str, Any]]]:
    for path, methods in DOCUMENT["paths"].items():
        for method, described in methods.items():
            yield described["operationId"], method, path, described


NAMES: Final = [name for name, _, _, _ in _operations()]


@cache
def _generators() -> Mapping[str, Any]:
    schema = schemathesis.openapi.from_dict(_without(DOCUMENT))
    results: Iterator[Any] = schema.get_all_operations()
    found = (result.ok() for result in results)
    return {operation.definition.raw["operationId"]: operation for operation in found}


def _without(document: Mapping[str, Any]) -> dict[str, Any]:
    copy = json.loads(json.dumps(document))
    for methods in copy["paths"].values():
        for described in methods.values():
            described["parameters"] = [one for one in described["parameters"] if one["name"] not in LEFT_OUT]
            described.pop("security", None)
    return dict(copy)


@pytest.fixture(autouse=True)
def _no_limits(settings: Settings) -> None:
    settings.RATE_LIMITS = {"token": "", "person": "", "team": ""}


@pytest.fixture(scope="module")
def tenant(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[Tenant]:
    """Create a team with a row of each kind once for all tests, because each request is rolled back."""
    with django_db_blocker.unblock(), transaction.atomic():
        yield make_tenant()
        transaction.set_rollback(True)


@pytest.mark.parametrize("name", sampled(NAMES, every=2))
def test_whatever_comes_in_the_answer_is_one_of_those_that_the_document_tells(name: str, tenant: Tenant) -> None:
    operation = _generators()[name]
    browser = browser_of(tenant.owner)
    browser.raise_request_exception = False
    described = operation.definition.raw
    cases = st.one_of(*(operation.as_strategy(generation_mode=mode) for mode in MODES))

    @seed(1)
    @settings(
        max_examples=EXAMPLES,
        phases=[Phase.explicit, Phase.generate],
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(case=cases, real=st.booleans())
    def ask(case: Any, real: bool) -> None:
        if real and not ROUTES[name].asks:
            case.path_parameters = {**(case.path_parameters or {}), **_ids(tenant, case.path_parameters or {})}
        with transaction.atomic():
            answer = _send(browser, case)
            transaction.set_rollback(True)
        _check(described, answer)

    ask()


def _ids(tenant: Tenant, named: Mapping[str, Any]) -> dict[str, str]:
    return {name: value for name, value in tenant.ids.items() if name in named}


def _send(browser: Client, case: Any) -> Any:
    """Send the request of schemathesis to the application itself, without a network."""
    options = case.as_transport_kwargs(base_url="http://testserver")
    prepared = requests.Request(**{**options, "cookies": None}).prepare()
    headers = {key: value for key, value in prepared.headers.items() if key.lower() in OURS}
    body = prepared.body or b""
    return browser.generic(
        str(prepared.method),
        str(prepared.path_url),
        body if isinstance(body, bytes) else body.encode(),
        content_type=headers.pop("Content-Type", "application/json"),
        headers={key: value for key, value in headers.items() if value.isprintable()},
    )


def _check(described: Mapping[str, Any], answer: Any) -> None:
    told = described["responses"].get(str(answer.status_code))
    words = b"" if answer.streaming else answer.content[:400]
    assert answer.status_code < 500 or answer.status_code == 503, words
    assert told is not None, (answer.status_code, words)
    if "$ref" in told:
        told = DOCUMENT["components"]["responses"][told["$ref"].rpartition("/")[2]]
    media_type = answer.headers.get("Content-Type", "").partition(";")[0]
    content = told.get("content", {})
    if not content:
        assert not answer.content
        return
    assert media_type in content or "application/octet-stream" in content, media_type
    if media_type == "application/json" and not answer.streaming:
        problems = list(_validator(json.dumps(content[media_type]["schema"])).iter_errors(answer.json()))
        assert not problems, [problem.message[:300] for problem in problems[:3]]


@cache
def _validator(schema: str) -> Draft202012Validator:
    return Draft202012Validator({**json.loads(schema), "components": DOCUMENT["components"]})
