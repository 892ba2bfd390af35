"""options_of(): the options that a program takes from variables, such as TAR_OPTIONS."""

import re
from collections.abc import Iterator, Mapping
from typing import Final

_OTHER_NAMES: Final[Mapping[str, str]] = {
    "pytest": "PYTEST_ADDOPTS", "py.test": "PYTEST_ADDOPTS", "mvn": "MAVEN_ARGS", "mvnw": "MAVEN_ARGS",
}  # fmt: skip
"""Programs, and variables that are not called like them or whose values do not begin with a dash."""
_ENDING: Final = re.compile(r"5?_?(?:DEFAULT_|TOOL_)?(?:OPTIONS?|OPTS?|FLAGS|ARGS)?")


def options_of(program: str, values: Mapping[str, str]) -> Iterator[str]:
    """Yield the values of variables that are called like the program and contain options: TAR_OPTIONS, PERL5OPT."""
    if (other := _OTHER_NAMES.get(program)) and values.get(other):
        yield values[other]
    begin = program.upper()
    for name, value in values.items() if begin else ():
        plain = name.removeprefix("GNU")
        if value[:1] == "-" and plain.startswith(begin) and _ENDING.fullmatch(plain.removeprefix(begin)):
            yield value
