"""Every operation is described, and its request body refuses unknown fields at every depth."""

from collections.abc import Iterator
from typing import Any, get_args

import pytest
from ninja.operation import Operation
from pydantic import BaseModel

from agentsite.api.root import api

OPERATIONS = {str(operation.operation_id): operation for operation in api.operations()}


def _models_in(annotation: Any) -> Iterator[type[BaseModel]]:
    """The models in an annotation such as `list[A] | dict[str, B]`."""
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


@pytest.mark.parametrize("name", OPERATIONS)
def test_a_body_and_what_is_in_it_forbid_unknown_fields(name: str) -> None:
    lenient = [
        model.__name__ for model in _body_models(OPERATIONS[name]) if model.model_config.get("extra") != "forbid"
    ]
    assert lenient == [], "inherit from agentsite.http.request_body.RequestBody"


def test_most_writes_were_looked_at() -> None:
    assert sum(bool(_body_models(operation)) for operation in OPERATIONS.values()) > 40


def test_every_operation_has_a_description() -> None:
    """The docstring of the view; nothing is made up for one that has none."""
    assert [name for name, operation in OPERATIONS.items() if not operation.description] == []
