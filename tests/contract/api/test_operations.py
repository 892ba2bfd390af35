"""Every API operation has a description, and its request body refuses unknown fields at every depth."""

from collections.abc import Iterator
from inspect import getsource
from typing import Any, get_args

from django.http import HttpRequest, HttpResponse
from django.test import RequestFactory
from ninja import Schema, Status
from ninja.operation import Operation
from pydantic import BaseModel

from agentsite.api.operations import DocumentedAPI, render_result
from agentsite.api.root import api


class _Thing(Schema):
    name: str


OPERATIONS = {str(operation.operation_id): operation for operation in api.operations()}


def _models_in(annotation: Any) -> Iterator[type[BaseModel]]:
    """Yield the models in an annotation such as `list[A] | dict[str, B]`."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for argument in get_args(annotation):
        yield from _models_in(argument)


def _body_models(operation: Operation) -> set[type[BaseModel]]:
    parameters: Any = (model for model in operation.models if model.__ninja_param_source__ in ("body", "form"))
    waiting = [
        model for one in parameters for field in one.model_fields.values() for model in _models_in(field.annotation)
    ]
    found: set[type[BaseModel]] = set()
    while waiting:
        model = waiting.pop()
        if model not in found:
            found.add(model)
            waiting += [inner for field in model.model_fields.values() for inner in _models_in(field.annotation)]
    return found


def test_a_body_and_what_is_in_it_forbid_unknown_fields() -> None:
    lenient = [
        f"{name}: {model.__name__}"
        for name, operation in OPERATIONS.items()
        for model in _body_models(operation)
        if model.model_config.get("extra") != "forbid"
    ]
    assert lenient == [], "inherit from agentsite.http.request_body.RequestBody"


def test_most_writes_were_looked_at() -> None:
    assert sum(bool(_body_models(operation)) for operation in OPERATIONS.values()) > 40


def test_every_operation_has_a_description() -> None:
    """Every operation has a description: the docstring of its view function. Nothing is generated for a function
    without one."""
    assert [name for name, operation in OPERATIONS.items() if not operation.description] == []


def test_ninja_renders_a_result_as_for_its_own_responses() -> None:
    """`render_result` calls the private function of ninja that `Operation.run` calls for its own responses."""
    site = DocumentedAPI(urls_namespace="rendering", auth=None)

    @site.post("/things", response={201: _Thing, 409: _Thing}, operation_id="create_thing")
    def create_thing(request: HttpRequest) -> Status[dict[str, str]]:
        return Status(201, {"name": "a", "secret": "b"})

    (operation,) = (found for found in site.operations() if found.operation_id == "create_thing")
    request = RequestFactory().post("/things")
    rendered = render_result(operation, request, create_thing(request), operation.api.create_temporal_response(request))
    sent = operation.run(request)
    assert isinstance(sent, HttpResponse)
    assert (rendered.status_code, rendered.content) == (sent.status_code, sent.content) == (201, b'{"name": "a"}')
    assert "self._result_to_response(request, result, temporal_response)" in getsource(Operation.run)
