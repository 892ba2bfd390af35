"""Complete tables of options with the reports of the programs in the sandbox image.

`program_options.json` is written by `python -m sandbox.image.options`; `sandbox/image/options/parse.py` describes its
notation. The tables written by people judge what an option does. The program reports which options exist, their other
names, and whether they take a value. An option that no table judges is not known.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Final

from tools_app.permission.shell.specs import ArgumentSpec, Option, Takes

_FILE: Final = Path(__file__).with_name("program_options.json")
_EXACT: Final = frozenset({"git archive", "git cherry-pick", "git diff", "git revert"})
"""Commands of git that read their options in several passes. Those with the options of `git diff` are among them."""
_TAKES: Final[Mapping[str, Takes | None]] = {"": "nothing", "=": "value", "[=]": "joined", "?": None}


@dataclass(frozen=True, slots=True)
class ImageOption:
    """An option of a program. `takes` is None if the program does not report whether it takes a value."""

    names: tuple[str, ...]
    takes: Takes | None


@dataclass(frozen=True, slots=True)
class ImageProgram:
    version: str
    is_complete: bool
    """The program has no other options."""
    options: tuple[ImageOption, ...]


@cache
def image_programs() -> Mapping[str, ImageProgram]:
    """Return the programs of the sandbox image whose options are known; git's commands are named like `git log`."""
    return {
        name: ImageProgram(each["version"], each["from"] == "table", tuple(_options(each["options"])))
        for name, each in json.loads(_FILE.read_text()).items()
    }


def _options(text: str) -> Iterator[ImageOption]:
    for word in text.split(" "):
        sign = next((sign for sign in ("[=]", "=", "?") if len(word) > 2 and word.endswith(sign)), "")
        if word:
            yield ImageOption(tuple(word.removesuffix(sign).split(",")), _TAKES[sign])


def of_image(spec: ArgumentSpec, *programs: str) -> ArgumentSpec:
    """Return the option table completed with all options that the container image reports for the program.

    `programs` are the names of the program. The table is returned unchanged if the program is not in the image.
    """
    found = [image_programs()[name] for name in programs if name in image_programs()]
    given = [each for program in found for each in program.options]
    if not given:
        return spec
    options = {} if all(each.is_complete for each in found) else dict(spec.options)
    done: set[str] = set()
    for each in given:
        option = _completed([spec.options[name] for name in each.names if name in spec.options], each.takes)
        options |= {name: option for name in each.names if name not in done}
        done.update(each.names)
    exact = not _EXACT.isdisjoint(programs)
    return replace(spec, options=options, abbreviates=not exact, exact=exact, negates=programs[0].startswith("git "))


def _completed(judged: list[Option], takes: Takes | None) -> Option:
    """Return one option that combines the table entries of all its names with `takes`, reported by the program."""
    takes = takes or (judged[0].takes if judged else "nothing")
    kinds = [each.kind for each in judged if each.kind not in {None, "text"}]
    return Option(
        takes,
        None if takes == "nothing" else kinds[0] if kinds else "text",
        known=bool(judged),
        runs=any(each.runs for each in judged),
        deep=any(each.deep for each in judged),
        writes=any(each.writes for each in judged),
        uploads=any(each.uploads for each in judged),
    )
