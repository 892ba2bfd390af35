"""Paths in the sandbox of full tool outputs and of copies of attached files. Pure."""

import re
from typing import Final

from sandbox.ports import HOME

TOOL_OUTPUT_DIRECTORY: Final = f"{HOME}/.tool-output"

_UNSAFE: Final = re.compile(r"[^A-Za-z0-9._-]")


def path_of_copy(attachment_id: str, name: str) -> str:
    """Return the path of an attachment's copy: plain ASCII characters, ending with the file's name."""
    return f"{TOOL_OUTPUT_DIRECTORY}/{attachment_id}-{_UNSAFE.sub('_', name)}"
