"""Where the sandbox keeps what was too long for an answer, and copies of attached files. Pure."""

import re
from typing import Final

from sandbox.ports import HOME

TOOL_OUTPUT_DIRECTORY: Final = f"{HOME}/.tool-output"

_UNSAFE: Final = re.compile(r"[^A-Za-z0-9._-]")


def place_of_copy(attachment_id: str, name: str) -> str:
    """A path of plain characters that ends as the file's name does."""
    return f"{TOOL_OUTPUT_DIRECTORY}/{attachment_id}-{_UNSAFE.sub('_', name)}"
