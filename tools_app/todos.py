"""The to-do list as a model reads it."""

import json
from collections.abc import Mapping, Sequence
from typing import Any


def todos_as_text(todos: Sequence[Mapping[str, Any]]) -> str:
    remaining = sum(todo["status"] not in ("completed", "cancelled") for todo in todos)
    return f"{remaining} of {len(todos)} to do.\n{json.dumps(list(todos), indent=2, ensure_ascii=False)}"
