r"""split_as_env(): the words into which `env -S` splits a text (env(1), "-S/--split-string usage in scripts").

The rules are not those of a shell: `\_` is a blank, `\c` ends the text, and only `${NAME}` is expanded.
"""

import re
from collections.abc import Callable
from typing import Final

SPLITS: Final = re.compile(r"-[i0v]*S(?P<joined>.*)|--s(?:p|pl|pli|plit-?[a-z]*)?(?:=(?P<value>.*))?", re.DOTALL)
"""The option that splits a text, which is joined to it or is the next word."""
MAX_SPLITS: Final = 3
"""How many texts that contain each other are split."""
_PART: Final = re.compile(
    r"(?P<space>[ \t\n\v\f\r]+)|(?P<quote>['\"])|\\(?P<escaped>.)|\$\{(?P<name>\w+)\}|(?P<plain>[^\s'\"\\$]+|.)",
    re.DOTALL,
)
_ESCAPES: Final = {"f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}


def split_as_env(text: str, value_of: Callable[[str], str]) -> list[str]:
    """Return the words of a text. `value_of` returns the value of a variable."""
    words: list[str] = []
    word: str | None = None
    quote = ""
    for found in _PART.finditer(text):
        kind, part = found.lastgroup, found[0]
        if kind == "escaped" and quote == "'":
            part = found["escaped"] if found["escaped"] in "'\\" else part
        elif kind == "escaped" and found["escaped"] == "c" and not quote:
            break
        elif kind == "quote" and quote in {"", part}:
            quote = "" if quote else part
            part = ""
        elif not quote and (kind == "space" or part == r"\_"):
            words += [] if word is None else [word]
            word = None
            continue
        elif kind == "escaped":
            part = " " if part == r"\_" else _ESCAPES.get(found["escaped"], found["escaped"])
        elif kind == "name" and quote != "'":
            part = value_of(found["name"])
        elif kind == "plain" and word is None and not quote and part[0] == "#":
            break
        word = (word or "") + part
    return words if word is None else [*words, word]
