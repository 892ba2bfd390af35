"""What a route says about itself beside its path and shapes. The marks stand below the route's own decorator."""

from collections.abc import Callable
from typing import Any, Final, TypeVar

from ninja.operation import Operation

View = TypeVar("View", bound=Callable[..., Any])

_ONCE: Final = "_agentsite_once"
_CONDITIONAL: Final = "_agentsite_conditional"


def idempotent(view: View) -> View:
    """For a POST that answers 200 and changes something: it, too, takes an Idempotency-Key. One that waits (`async`)
    heeds the key itself."""
    setattr(view, _ONCE, True)
    return view


def conditional(view: View) -> View:
    """For a change of what has an edition: it heeds `If-Match`."""
    setattr(view, _CONDITIONAL, True)
    return view


def is_idempotent(operation: Operation) -> bool:
    return hasattr(operation.view_func, _ONCE)


def takes_match(operation: Operation) -> bool:
    return hasattr(operation.view_func, _CONDITIONAL)
