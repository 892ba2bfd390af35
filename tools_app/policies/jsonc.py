"""JSON as people write it into settings: with comments, and with commas before a closing bracket.

The time grows with the length of the text, whatever stands in it: it comes from repositories that nobody checked.
"""

import json
import re
from typing import Any, Final

_STRING: Final = r'"(?:[^"\\]++|\\.)*+"?'  # also one that never ends, so that no text is read twice
_COMMENT: Final = re.compile(rf"({_STRING})|//[^\n]*+|/\*(?:.*?\*/|.*)", re.DOTALL)
_LAST_COMMA: Final = re.compile(rf"({_STRING})|,(?=\s*+[}}\]])", re.DOTALL)


def loads(text: str) -> Any:
    """Raises ValueError for what is no such JSON, RecursionError for what is nested too deeply."""
    return json.loads(_LAST_COMMA.sub(_kept_string, _COMMENT.sub(_kept_string, text)))


def _kept_string(found: re.Match[str]) -> str:
    return found[1] or " "
