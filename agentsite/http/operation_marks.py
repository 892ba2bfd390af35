"""What a route says about itself beside its path and shapes. The marks stand below the route's own decorator."""

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, Final, TypeVar

from django.utils.http import http_date
from ninja.operation import Operation
from ninja.utils import contribute_operation_callback

View = TypeVar("View", bound=Callable[..., Any])

_ONCE: Final = "_agentsite_once"
_CONDITIONAL: Final = "_agentsite_conditional"
_DEPRECATION: Final = "_agentsite_deprecation"


def once(view: View) -> View:
    """For a POST that answers 200 and changes something: it, too, takes an Idempotency-Key. One that waits (`async`)
    heeds the key itself."""
    setattr(view, _ONCE, True)
    return view


def conditional(view: View) -> View:
    """For a change of what has an edition: it heeds `If-Match`."""
    setattr(view, _CONDITIONAL, True)
    return view


def is_once(operation: Operation) -> bool:
    return hasattr(operation.view_func, _ONCE)


def takes_match(operation: Operation) -> bool:
    return hasattr(operation.view_func, _CONDITIONAL)


def deprecated(*, since: datetime, sunset: datetime, instead: str) -> Callable[[View], View]:
    """This operation goes away at `sunset`; `instead` is the path of what to use."""

    def mark(view: View) -> View:
        headers = {
            "Deprecation": f"@{int(since.timestamp())}",
            "Sunset": http_date(sunset.timestamp()),
            "Link": f'<{instead}>; rel="successor-version"',
        }
        setattr(view, _DEPRECATION, headers)
        contribute_operation_callback(view, _mark_deprecated)
        return view

    return mark


def _mark_deprecated(operation: Operation) -> None:
    operation.deprecated = True


def deprecation_of(operation: Operation) -> Mapping[str, str]:
    return getattr(operation.view_func, _DEPRECATION, {})
