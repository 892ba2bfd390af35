"""Check whether a configuration of prettier is plain data. It can also be a program, or load packages."""

import json
import re
from typing import Any, Final

from tools_app.languages.formatters import PRETTIER_DATA

_MAPPING: Final = re.compile(r"[\"']?[A-Za-z]\w*[\"']?\s*[:=]")


def is_plain(name: str, text: str) -> bool:
    """Return whether a configuration file only sets options and loads neither plugins nor other files.

    A file with a backslash does not count as plain, since escapes could hide the word `plugins`.
    """
    if name == "package.json":
        return _is_plain_package(text)
    return name in PRETTIER_DATA and "plugins" not in text and "\\" not in text and _is_mapping(text)


def _is_plain_package(text: str) -> bool:
    try:
        content: Any = json.loads(text)
    except (ValueError, RecursionError):
        return False
    settings = content.get("prettier", {}) if isinstance(content, dict) else None
    return isinstance(settings, dict) and "plugins" not in json.dumps(settings)


def _is_mapping(text: str) -> bool:
    """Return whether the text seems to be a mapping in JSON, YAML or TOML and not a single string, which would name a
    package to load."""
    for line in text.splitlines():
        stripped = line.strip()
        if stripped and not stripped.startswith(("#", "//", "---")):
            return stripped.startswith("{") or _MAPPING.match(stripped) is not None
    return True
