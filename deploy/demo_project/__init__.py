"""The demo project: a small Python project with one bug, copied into a workspace when a site is seeded.

Its files lie in `files/` as data. They are no part of our own code: never linted, type-checked or collected by pytest.
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
    """Path inside the workspace -> content, ready to be written and committed as the first commit."""
    return {
        path.relative_to(_FILES).as_posix(): path.read_bytes()
        for path in sorted(_FILES.rglob("*"))
        if path.is_file() and "__pycache__" not in path.parts
    }
