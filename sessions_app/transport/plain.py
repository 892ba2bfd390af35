"""JSON from outside: what our stores cannot hold is refused at the door, with a reason."""

import json
import math
from typing import Any, NoReturn

from django.http import HttpRequest
from ninja.parser import Parser

from agentsite.errors import BadInput
from tools_app.text import is_clean


def read_json(text: str | bytes) -> Any:
    """Raises ValueError for anything that is not JSON to the letter (NaN and bottomless nesting included), and for a
    number beyond all that can be stored, such as 1e999."""
    try:
        return json.loads(text, parse_constant=_refuse_constant, parse_float=_finite)
    except RecursionError as error:
        raise ValueError("nested too deeply") from error


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def _finite(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise ValueError(f"{digits[:40]} is too large a number")
    return number


def require_plain(value: Any) -> None:
    """Raises BadInput when a text in the value holds a NUL or half of a character."""
    if not _is_plain(value):
        raise BadInput(
            "The request holds a NUL or half of a character (a lone surrogate) in a text.",
            code="unstorable_text",
            hint="Remove it and send the request again.",
        )


def _is_plain(value: Any) -> bool:
    if isinstance(value, str):
        return is_clean(value)
    if isinstance(value, dict):
        return all(is_clean(key) and _is_plain(item) for key, item in value.items())
    return not isinstance(value, list) or all(map(_is_plain, value))


class PlainParser(Parser):
    """The body parser of the REST API."""

    def parse_body(self, request: HttpRequest) -> dict[str, Any]:
        value: dict[str, Any] = read_json(request.body)
        require_plain(value)
        return value
