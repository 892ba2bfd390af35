"""Find the commands that `parallel` makes from its template and its inputs."""

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise, product
from typing import Final

from tools_app.permission.shell.rehearsal.scene import MAX_ROUNDS

_SEPARATOR: Final = re.compile(r":{3,4}\+?")
_WITH_VALUE: Final = re.compile(
    r"-[jPnNLaICdsSEX]|--(?:jobs|max-\w+|arg-file|colsep|delimiter|joblog|results|tmpdir|workdir|wd|env|rpl|timeout"
    r"|retries|delay|load|memfree|nice|arg-sep|arg-file-sep|sshlogin|trim|tag-?string|block|recend|recstart)"
)
_PLACE: Final = re.compile(r"\{(\d*)(\.|/|//|/\.|#|%|)\}|\{=.*?=\}")


def jobs(words: Sequence[str], given: str, contents: Callable[[str], str], unknown: str) -> Iterator[str]:
    """Yield the shell texts that `parallel` runs. `contents` returns the content of a file, and `unknown` replaces
    inputs that are not known."""
    options, rest = _options(words[1:])
    separator = _value(options, "--arg-sep")
    rest = [":::" if each == separator else each for each in rest] if separator else rest
    template, sources = _sources(rest, contents)
    if file := _value(options, "-a", "--arg-file"):
        sources.append(contents(file).splitlines())
    sources = sources or [given.splitlines()]
    by = _value(options, "-C", "--colsep")
    size = _value(options, "-N", "-n", "--max-args")
    if size.isdigit() and len(sources) == 1 and 1 < int(size) < MAX_ROUNDS * 2:
        sources = [sources[0][number :: int(size)] for number in range(int(size))]
        options = [*options, "--link"]
    mark = _value(options, "-I")
    own = (_value(options, "--rpl").split() or [""])[0]
    text = " ".join(template)
    chosen = zip(*sources, strict=False) if {"--link", "--xapply"} & set(options) else product(*sources)
    for number, each in enumerate(chosen):
        if number >= MAX_ROUNDS * 2:
            break
        values = [part for one in each for part in (one.split(by) if by else [one])]
        command = text.replace(mark, values[0]) if mark and values else text
        command = command.replace(own, unknown) if own else command
        filled = _PLACE.sub(lambda found: _filled(found, values, unknown), command)  # noqa: B023
        yield filled if filled != text else " ".join(filter(None, (text, *values)))


def _options(words: Sequence[str]) -> tuple[list[str], list[str]]:
    rest, options = list(words), list[str]()
    while rest and rest[0][:1] == "-" and len(rest[0]) > 1:
        options.append(rest.pop(0))
        if _WITH_VALUE.fullmatch(options[-1]) and rest:
            options.append(rest.pop(0))
    return options, rest


def _sources(words: Sequence[str], contents: Callable[[str], str]) -> tuple[list[str], list[list[str]]]:
    """Return the command template of GNU parallel, and its input sources: the words after each `:::`, and the lines of
    the files after each `::::`."""
    at = [index for index, word in enumerate(words) if _SEPARATOR.fullmatch(word)]
    sources: list[list[str]] = []
    for start, end in pairwise((*at, len(words))):
        inside = list(words[start + 1 : end])
        in_files = words[start].startswith("::::")
        sources.append([line for name in inside for line in contents(name).splitlines()] if in_files else inside)
    return list(words[: at[0]] if at else words), sources


def _value(options: Sequence[str], *names: str) -> str:
    for index, option in enumerate(options):
        for name in names:
            if option == name:
                return "".join(options[index + 1 : index + 2])
            if option.startswith(f"{name}=") or (len(name) == 2 and option.startswith(name)):
                return option.removeprefix(name).removeprefix("=")
    return ""


def _filled(found: re.Match[str], values: Sequence[str], unknown: str) -> str:
    if found[1] is None or found[2] in {"#", "%"}:
        return unknown
    value = " ".join(values) if not found[1] else "".join(values[int(found[1]) - 1 : int(found[1])])
    folder, slash, name = value.rpartition("/")
    if found[2] == "//":
        return folder or "."
    if "/" in found[2]:
        value, folder, slash = name, "", ""
    return f"{folder}{slash}{name.rpartition('.')[0] or name}" if "." in found[2] else value
