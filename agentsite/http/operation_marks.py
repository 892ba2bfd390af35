"""Properties of routes: decorators that mark a route (placed below the route's own decorator), and functions that read
the marks."""

from collections.abc import Callable
from typing import Any, Final, TypeVar

from ninja.operation import Operation

View = TypeVar("View", bound=Callable[..., Any])

_IDEMPOTENT: Final = "_agentsite_idempotent"
_CONDITIONAL: Final = "_agentsite_conditional"

CREATED_STATUSES: Final = frozenset({201, 202})


def idempotent(view: View) -> View:
    """Mark a POST that answers 200 but changes something, so that it accepts an Idempotency-Key.

    An `async` operation has to evaluate the key itself.
    """
    setattr(view, _IDEMPOTENT, True)
    return view


def conditional(view: View) -> View:
    """Mark an operation that changes a versioned object, and therefore evaluates `If-Match`."""
    setattr(view, _CONDITIONAL, True)
    return view


def is_idempotent(operation: Operation) -> bool:
    return hasattr(operation.view_func, _IDEMPOTENT)


def accepts_key(operation: Operation) -> bool:
    """Return whether the operation accepts an Idempotency-Key.

    A synchronous POST accepts one if it creates something or is marked as idempotent, and takes no file.
    """
    if "POST" not in operation.methods or operation.is_async or not operation.auth_callbacks:
        return False
    if any(model.__ninja_param_source__ == "file" for model in operation.models):
        return False
    return bool(CREATED_STATUSES & set(operation.response_models)) or is_idempotent(operation)


def takes_match(operation: Operation) -> bool:
    return hasattr(operation.view_func, _CONDITIONAL)
