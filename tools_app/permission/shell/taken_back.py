"""is_taken_back(): whether a later word says the opposite of an option, such as `--dry-run --no-dry-run`."""

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Final

_FALSE: Final = re.compile("false|0|no|off", re.IGNORECASE)


def is_taken_back(options: Iterable[str], words: Sequence[str]) -> bool:
    """Return whether a word switches one of the options off: `--no-x` for `--x`, `--x=false`, or `--x false`."""
    names = {each.lstrip("-").lower() for each in options}
    for word, after in pairwise([*words, ""]):
        option, _, value = word.partition("=")
        name = option.lstrip("-").lower()
        if option[:1] == "-" and (
            (name.startswith("no-") and name[3:] in names) or (name in names and _FALSE.fullmatch(value or after))
        ):
            return True
    return False
