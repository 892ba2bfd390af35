"""tasks_of(): the tasks in a list of tasks, such as `mix do deps.get, hex.publish`."""

from collections.abc import Mapping, Sequence
from typing import Final

from tools_app.permission.names import names
from tools_app.permission.shell.words import Field

_LISTS: Final[Mapping[str, frozenset[str]]] = {
    "mix": names("do"), "rebar3": names("do as"), "lein": names("do with-profile with-profiles"),
}  # fmt: skip
"""Tools, and their actions behind which other actions stand, perhaps after the name of a profile."""
_MAX_TASKS: Final = 16


def tasks_of(name: str, args: Sequence[Field]) -> list[list[Field]]:
    """Return each task of a list as a command of its own. A task behind a name counts with and without this name."""
    before = _LISTS.get(name)
    starts = [index for index, each in enumerate(args, 1) if each.text in before] if before else []
    tasks = [task for start in starts for task in (*_split(args[start:]), *_split(args[start + 1 :])[:1])]
    return [[Field(name), *task] for task in tasks[:_MAX_TASKS] if task]


def _split(words: Sequence[Field]) -> list[list[Field]]:
    """Return the words between commas and `+`, which both separate tasks."""
    found: list[list[Field]] = [[]]
    for each in words:
        text = each.text.rstrip(",")
        if text and text != "+":
            found[-1].append(Field(text, each.known) if text != each.text else each)
        if text != each.text or text == "+":
            found.append([])
    return found
