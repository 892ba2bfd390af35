"""Find here-documents with a quoted delimiter, in which bash expands nothing.

The bash grammar of tree-sitter cannot parse some of them, such as those that contain `${{ x }}`.
"""

import re
from collections.abc import Iterator
from typing import Final

_MAX_CHARS: Final = 8_000
_BEGINS: Final = re.compile(r"^(?P<line>.*<<-?[ \t]*(?:'(\w+)'|\"(\w+)\"|\\(\w+)).*)\n", re.MULTILINE)
_TARGET: Final = re.compile(r"(?:>{1,2}\|?|\btee(?:[ \t]+-\w+)*)[ \t]*([\w./@+-]+|'[^'\n]+'|\"[^\"\n$`]+\")")


def quoted_documents(text: str) -> Iterator[tuple[str, str]]:
    """Yield the name of each file that a here-document with a quoted delimiter is written to, and its text."""
    at = 0
    while begins := _BEGINS.search(text, at):
        name = next(filter(None, begins.groups()[1:]))
        end = re.compile(rf"^\t*{name}$", re.MULTILINE).search(text, begins.end())
        at = end.end() if end else begins.end()
        target = _TARGET.search(begins["line"])
        if target and end:
            yield target[1].strip("'\""), text[begins.end() : end.start()][:_MAX_CHARS]
