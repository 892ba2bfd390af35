"""loads(): parse JSON with comments and trailing commas, as people write it in settings files.

The text comes from repositories and is not trusted, so parsing takes linear time for any text.
"""

import json
import re
from typing import Any, Final

_STRING: Final = r'"(?:[^"\\]++|\\.)*+"?'  # also matches an unclosed string, so that no text is scanned twice
_COMMENT: Final = re.compile(rf"({_STRING})|//[^\n]*+|/\*(?:.*?\*/|.*)", re.DOTALL)
_LAST_COMMA: Final = re.compile(rf"({_STRING})|,(?=\s*+[}}\]])", re.DOTALL)


def loads(text: str) -> Any:
    """Parse a JSON text with comments and trailing commas. Raises ValueError if it is not valid, RecursionError if it
    is nested too deeply."""
    return json.loads(_LAST_COMMA.sub(_kept_string, _COMMENT.sub(_kept_string, text)))


def _kept_string(found: re.Match[str]) -> str:
    return found[1] or " "
