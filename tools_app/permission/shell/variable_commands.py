"""commands_of_value(): the commands that programs may run because a variable has a certain value.

Most programs give the value to a shell. Some read signs in front of it, or take it for a list of words.
"""

import re
from collections.abc import Iterator
from typing import Final

_SIGNED: Final = re.compile(r"LESS(?:OPEN|CLOSE)|\w*(?:PAGER|EDITOR|BROWSER)|VISUAL")
"""Variables whose values may begin with a sign. `less` reads `|`, `||` and `-` in LESSOPEN."""
_SIGNS: Final = " \t\n|-@!"
_LISTED: Final = re.compile(r"\w+_(?:LAUNCHER|EMULATOR)")
"""Settings of cmake: the words of a command are separated by `;`."""
_WRAPPER: Final = re.compile(r"-wrapper[\s=]+(\S+)")
"""An option of gcc: the words of a command are separated by `,`."""
_IN_TEXT: Final = re.compile(rf"(?:{_SIGNED.pattern})\s*=\s*['\"]?[\s|]*-\s*([A-Za-z./~][^\n;&|]*)")


def commands_of_value(name: str, value: str) -> Iterator[str]:
    """Yield the texts in the value of the variable `name` that may be commands and are not written like one."""
    if _SIGNED.fullmatch(name) and value[:1] in _SIGNS:
        yield value.lstrip(_SIGNS)
    if _LISTED.fullmatch(name) and ";" in value:
        yield value.replace(";", " ")
    if "-wrapper" in value:
        yield from (each.replace(",", " ") for each in _WRAPPER.findall(value))


def commands_in_settings(text: str) -> Iterator[str]:
    """Yield the commands behind a sign that a text assigns to such a variable, as a file of settings does."""
    if "LESS" in text or "PAGER" in text or "EDITOR" in text:
        yield from _IN_TEXT.findall(text)
