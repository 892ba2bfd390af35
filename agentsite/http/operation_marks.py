"""Decorators that mark properties of a route. They stand below the route's own decorator."""

from collections.abc import Callable
from typing import Any, Final, TypeVar

from ninja.operation import Operation

View = TypeVar("View", bound=Callable[..., Any])

_IDEMPOTENT: Final = "_agentsite_idempotent"
_CONDITIONAL: Final = "_agentsite_conditional"


def idempotent(view: View) -> View:
    """Mark a POST that answers 200 but changes something: it accepts an Idempotency-Key too.

    An `async` operation has to evaluate the key itself.
    """
    setattr(view, _IDEMPOTENT, True)
    return view


def conditional(view: View) -> View:
    """Mark an operation that changes an object with a version: it evaluates `If-Match`."""
    setattr(view, _CONDITIONAL, True)
    return view


def is_idempotent(operation: Operation) -> bool:
    return hasattr(operation.view_func, _IDEMPOTENT)


def takes_match(operation: Operation) -> bool:
    return hasattr(operation.view_func, _CONDITIONAL)
