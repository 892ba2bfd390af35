"""Format the to-do list for the model."""

import json
from collections.abc import Mapping, Sequence
from typing import Any


def todos_as_text(todos: Sequence[Mapping[str, Any]]) -> str:
    """Return the number of open items and the list as JSON."""
    remaining = sum(todo["status"] not in ("completed", "cancelled") for todo in todos)
    return f"{remaining} of {len(todos)} to do.\n{json.dumps(list(todos), indent=2, ensure_ascii=False)}"
