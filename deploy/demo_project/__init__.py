"""The demo project: a small Python project with one bug, which is copied into each new workspace of the project.

The folder `files/` holds its files as data. They are not part of this site's code: they are not linted, type-checked or
collected by pytest. `fix` holds the correction of the bug.
"""

from pathlib import Path
from typing import Final

NAME: Final = "Tea shop"
SLUG: Final = "tea-shop"
DESCRIPTION: Final = "The checkout of a small tea shop, with one failing test."
SUGGESTED_PROMPT: Final = "Fix the failing test"
TEST_COMMAND: Final = "python3 -m pytest -q"

_FILES: Final = Path(__file__).parent / "files"


def files() -> dict[str, bytes]:
    """Return the content of each file by its path in the workspace."""
    return {
        path.relative_to(_FILES).as_posix(): path.read_bytes()
        for path in sorted(_FILES.rglob("*"))
        if path.is_file() and "__pycache__" not in path.parts
    }
