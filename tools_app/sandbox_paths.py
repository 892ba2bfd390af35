"""Paths in the sandbox: of full tool outputs, copies of attached files, and uploaded skills. Pure."""

import re
from typing import Final

from sandbox.ports import HOME

TOOL_OUTPUT_DIRECTORY: Final = f"{HOME}/.tool-output"
SKILLS_DIRECTORY: Final = f"{HOME}/.skills"

_UNSAFE: Final = re.compile(r"[^A-Za-z0-9._-]")


def path_of_copy(attachment_id: str, name: str) -> str:
    """Return the path of an attachment's copy: plain ASCII characters, ending with the file's name."""
    return f"{TOOL_OUTPUT_DIRECTORY}/{attachment_id}-{_UNSAFE.sub('_', name)}"


def folder_of_skill(name: str, sha256: str) -> str:
    """Return the folder of an uploaded skill. Each content has its own folder, because sessions of several people may
    share a workspace."""
    return f"{SKILLS_DIRECTORY}/{name}-{sha256[:12]}"
