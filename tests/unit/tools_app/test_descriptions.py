"""Every number in the description of a tool is a number in its code.

The test searches the constants of the tool's module and of our modules that it uses, the bounds of its parameters, and
its time limit. `ELSEWHERE` contains the few numbers that are true for another reason.
"""

import re
import sys
from collections.abc import Iterator, Mapping
from types import ModuleType
from typing import Any, Final

import pytest

from sandbox.runner import processes
from sessions_app.memory.rules import MAX_TOTAL_BYTES
from tools_app import text as text_module
from tools_app.browser.browsers import IDLE_SECONDS
from tools_app.registry import catalogue
from tools_app.schema import parameters_schema
from tools_app.spec import Tool

WORDS: Final = {
    "one": 1,
    "two": 2,
    "three": 3,
    "four": 4,
    "five": 5,
    "six": 6,
    "seven": 7,
    "eight": 8,
    "nine": 9,
    "ten": 10,
}
UNITS: Final = {
    "second": (1, 1000),
    "minute": (60, 60_000),
    "hour": (3600, 3_600_000),
    "day": (86_400,),
    "KiB": (1024,),
    "MiB": (1024 * 1024, 1),
    "byte": (1,),
    "character": (1,),
    "line": (1,),
    "file": (1,),
    "call": (1,),
    "result": (1,),
    "item": (1,),
    "token": (1,),
    "question": (1,),
    "redirect": (1,),
    "name": (1,),
    "suggestion": (1,),
}
_NUMBER: Final = re.compile(rf"(?<![\d.,])(\d[\d,]*(?:\.\d+)?|{'|'.join(WORDS)})[ -]({'|'.join(UNITS)})s?\b")
# A number of one thing is no limit ("one file", "one line").
ELSEWHERE: Final[dict[str, dict[str, float]]] = {
    "bash_stop": {"three second": processes.TERM_TO_KILL},
    "browser": {"ten minute": IDLE_SECONDS / 60},
    "memory": {"16 KiB": MAX_TOTAL_BYTES / 1024},
}


TIMES: Final = frozenset({"second", "minute", "hour", "day"})


def promises(text: str) -> list[tuple[str, float, str]]:
    """Return the numbers of a text with their units: (as found, number, unit).

    The number 1 is ignored, and so are numbers in words, such as "three lines", except for times, because limits are
    written in digits.
    """
    read = [
        (f"{number} {unit}", WORDS[number] if number in WORDS else float(number.replace(",", "")), unit)
        for number, unit in _NUMBER.findall(text)
        if number not in WORDS or unit in TIMES
    ]
    return [each for each in read if each[1] != 1]


def constants(tool: Tool[Any]) -> set[float]:
    own = sys.modules[type(tool).__module__]
    modules = {own, text_module, *_modules_used(own)}
    values = {value for module in modules for value in _numbers(vars(module).values())}
    return values | set(_bounds(parameters_schema(tool.parameters))) | ({tool.timeout} if tool.timeout else set())


def _modules_used(module: ModuleType) -> Iterator[ModuleType]:
    for value in vars(module).values():
        name = value.__name__ if isinstance(value, ModuleType) else getattr(value, "__module__", "")
        if isinstance(name, str) and name.startswith("tools_app.") and name in sys.modules:
            yield sys.modules[name]


def _numbers(values: Any) -> Iterator[float]:
    """Yield the numbers in `values` and in the mappings that `values` contains, but not in nested mappings."""
    for value in values:
        if isinstance(value, int | float) and not isinstance(value, bool):
            yield value
        elif isinstance(value, Mapping):
            yield from (each for each in value.values() if isinstance(each, int | float))


def _bounds(schema: Any) -> Iterator[float]:
    if isinstance(schema, dict):
        for name, value in schema.items():
            if name in ("minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems", "default"):
                yield from _numbers([value])
            yield from _bounds(value)


@pytest.mark.parametrize("tool_id", sorted(catalogue()))
def test_every_number_of_a_description_is_one_of_the_code(tool_id: str) -> None:
    tool = catalogue()[tool_id]
    known = constants(tool)
    elsewhere = ELSEWHERE.get(tool_id, {})
    texts = [tool.description, *_parameter_descriptions(parameters_schema(tool.parameters))]
    wrong = [
        whole
        for text in texts
        for whole, number, unit in promises(text)
        if elsewhere.get(whole) != number and not known & {number * factor for factor in UNITS[unit]}
    ]
    assert wrong == []


def _parameter_descriptions(schema: Any) -> Iterator[str]:
    if isinstance(schema, dict):
        for name, value in schema.items():
            if name == "description" and isinstance(value, str):
                yield value
            else:
                yield from _parameter_descriptions(value)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("At most 2,000 lines.", [("2,000 line", 2000, "line")]),
        ("after two minutes", [("two minute", 2, "minute")]),
        ("one file, 1 line, three lines and 3 sheep", []),
        ("up to 3.75 MiB each", [("3.75 MiB", 3.75, "MiB")]),
    ],
)
def test_numbers_are_found_in_words_and_digits(text: str, found: list[tuple[str, float, str]]) -> None:
    assert promises(text) == found


@pytest.mark.parametrize("tool_id", sorted(catalogue()))
def test_a_description_names_only_tools_and_parameters_that_exist(tool_id: str) -> None:
    """Every text in backquotes in a tool's description that looks like the name of a tool or parameter is one."""
    tool = catalogue()[tool_id]
    parameters = {name for each in catalogue().values() for name in _names(parameters_schema(each.parameters))}
    aliases = {alias for each in catalogue().values() for alias in each.aliases}
    quoted = set(re.findall(r"`([a-z]+(?:_[a-z]+)+|[a-z]+[A-Z]\w+)`", tool.description))
    assert quoted <= parameters | aliases | set(catalogue())


def _names(schema: Any) -> Iterator[str]:
    if isinstance(schema, dict):
        yield from schema.get("properties", {})
        for value in schema.values():
            yield from _names(value)
