"""The regular expressions of the analysis mean the same in every Python that the site runs on."""

import ast
import re
from pathlib import Path
from typing import Final

import pytest

ENGINE: Final = Path(__file__).resolve().parents[5] / "tools_app" / "permission"
POSSESSIVE_GROUP: Final = re.compile(r"(?<!\\)\)(?:[*+?]|\{[\d,]+\})\+")


@pytest.mark.parametrize("path", sorted(ENGINE.rglob("*.py")), ids=lambda path: path.name)
def test_no_group_is_possessive(path: Path) -> None:
    """No regular expression of the analysis has a possessive group. Before Python 3.11.5 such a group may not match
    what it should (CPython gh-106052)."""
    texts = [node.value for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Constant)]
    assert not [text for text in texts if isinstance(text, str) and POSSESSIVE_GROUP.search(text)]
