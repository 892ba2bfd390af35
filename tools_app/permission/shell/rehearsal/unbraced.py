"""unbraced(): a text in which words with braces such as `{git,push}` are replaced by the words that bash expands them
to.

bash expands braces before everything else, but never inside quotes.
"""

import re
from typing import Final

from tools_app.permission.shell.braces import Atom, expand_braces

_HAS_BRACES: Final = re.compile(r"\{[^\n]*(?:,|\.\.)[^\n]*\}")
_PIECE: Final = re.compile(
    r"\\.|\$?'[^']*'|\$?\"(?:\\.|[^\"\\])*\"|`[^`]*`|\$\{[^}]*\}|\$\([^()]*\)|(?P<end>[\s;|&()<>])|.", re.DOTALL
)
_SUBSTITUTION: Final = re.compile(r"(?<!\\)(\$\(|`)([^()`]*)(\)|`)")
_ONE_STEP: Final = re.compile(r"\{(\w+)\.\.\1\.\.-?\d+\}")
_MAX_ADDED: Final = 2_000  # characters


def unbraced(text: str) -> str:
    """Return a shell text with its braces expanded; the text itself if that changes nothing or is not certain."""
    if not _HAS_BRACES.search(text):
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


def _unbraced_inside(found: re.Match[str]) -> str:
    return f"{found[1]}{unbraced(found[2])}{found[3]}"


def _expanded(word: list[Atom]) -> str:
    words = (expand_braces(word) if ("{", True) in word else None) or [word]
    return " ".join("".join(atom[0] for atom in each if isinstance(atom, tuple)) for each in words)
