"""Reading Python source."""

import ast


def parse(text: str) -> ast.Module | None:
    """The syntax tree; None when the text is no Python, or nested too deeply to be read."""
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
