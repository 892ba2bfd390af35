"""unbraced(): a text in which words with braces such as `{git,push}` are replaced by the words that bash expands them
to.

bash expands braces before everything else, but never inside quotes.
"""

import re
from typing import Final

from tools_app.permission.shell.braces import Atom, expand_braces

_PIECE: Final = re.compile(
    r"\\.|\$?'[^']*'|\$?\"(?:\\.|[^\"\\])*\"|`[^`]*`|\$\{[^}]*\}|\$\([^()]*\)|(?P<end>[\s;|&()<>])|.", re.DOTALL
)
_SUBSTITUTION: Final = re.compile(r"(?<!\\)(\$\(|`)([^()`]*)(\)|`)")
_ONE_STEP: Final = re.compile(r"\{(\w+)\.\.\1\.\.-?\d+\}")
_MAX_ADDED: Final = 2_000  # characters


def unbraced(text: str) -> str:
    """Return a shell text with its braces expanded, or the unchanged text if it has no braces or would become too
    long."""
    if not _has_braces(text):
        return text
    found: list[str] = []
    word: list[Atom] = []
    text = _ONE_STEP.sub(lambda found: f"{{{found[1]},{found[1]}}}", text)
    for piece in _PIECE.finditer(text):
        if piece["end"] is None:
            word.append((_SUBSTITUTION.sub(_unbraced_inside, piece[0]), len(piece[0]) == 1))
            continue
        found += [_expanded(word), piece[0]]
        word = []
    plain = "".join([*found, _expanded(word)])
    return plain if len(plain) <= len(text) + _MAX_ADDED else text


def _has_braces(text: str) -> bool:
    """Return whether a line of the text has braces around a comma or two dots. It takes linear time; a regular
    expression would take minutes for thousands of unclosed braces."""
    for line in text.split("\n") if "{" in text else ():
        inside = line[line.find("{") : line.rfind("}") + 1] if "{" in line else ""
        if "," in inside or ".." in inside:
            return True
    return False


def _unbraced_inside(found: re.Match[str]) -> str:
    return f"{found[1]}{unbraced(found[2])}{found[3]}"


def _expanded(word: list[Atom]) -> str:
    words = (expand_braces(word) if ("{", True) in word else None) or [word]
    return " ".join("".join(atom[0] for atom in each if isinstance(atom, tuple)) for each in words)
