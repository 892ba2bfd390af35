"""Parse JSON request bodies and socket frames; reject text and numbers that PostgreSQL or JSON cannot store."""

import json
import math
from typing import Any, NoReturn

from django.http import HttpRequest
from ninja.parser import Parser

from agentsite.base.error_codes import ErrorCode
from agentsite.base.errors import BadInput


def read_json(text: str | bytes) -> Any:
    """Parse strict JSON.

    Raises ValueError for anything outside RFC 8259 (NaN, Infinity), for nesting too deep to parse, and for numbers
    that overflow a float, such as 1e999."""
    try:
        return json.loads(text, parse_constant=_refuse_constant, parse_float=_finite)
    except RecursionError as error:
        raise ValueError("the JSON is nested too deeply") from error


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def _finite(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise ValueError(f"{digits[:40]} is too large a number")
    return number


def require_plain(value: Any) -> None:
    """Raise BadInput when any string in the value contains NUL or a lone surrogate, which databases cannot store."""
    if not _is_plain(value):
        raise BadInput(
            "The request contains a NUL character or a lone surrogate.",
            code=ErrorCode.UNSTORABLE_TEXT,
            hint="Remove it and send the request again.",
        )


def _is_plain(value: Any) -> bool:
    if isinstance(value, str):
        return _is_storable(value)
    if isinstance(value, dict):
        return all(_is_storable(key) and _is_plain(item) for key, item in value.items())
    return not isinstance(value, list) or all(map(_is_plain, value))


def _is_storable(text: str) -> bool:
    try:
        return b"\0" not in text.encode()
    except UnicodeEncodeError:
        return False


class PlainParser(Parser):
    """Parser of request bodies of the REST API, which refuses text that databases cannot store."""

    def parse_body(self, request: HttpRequest) -> dict[str, Any]:
        value: dict[str, Any] = read_json(request.body)
        require_plain(value)
        return value
