"""CLASSES: the characters of the classes in globs and regular expressions, such as `[:digit:]`."""

from collections.abc import Mapping
from typing import Final

CLASSES: Final[Mapping[str, str]] = {
    "upper": "A-Z", "lower": "a-z", "digit": "0-9", "alpha": "A-Za-z", "alnum": "A-Za-z0-9", "space": " \t\n\r",
    "blank": " \t", "punct": "!-/:-@[-`{-~", "xdigit": "0-9A-Fa-f",
}  # fmt: skip
