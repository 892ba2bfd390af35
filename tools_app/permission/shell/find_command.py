"""Arguments of `find`: starting points, tests, and the commands that it runs on what it finds."""

import re
from collections.abc import Sequence
from typing import Final

from tools_app.permission.shell.names import names
from tools_app.permission.shell.usage import PLAIN_GLOB, CommandUsage
from tools_app.permission.shell.words import Field

VALUES: Final = names(
    "-name -iname -path -ipath -wholename -iwholename -regex -iregex -type -xtype -size -mtime -mmin -ctime -cmin"
    " -atime -amin -maxdepth -mindepth -perm -user -group -uid -gid -links -inum -fstype -lname -ilname -printf"
    " -regextype -used -context"
)
OPERATORS: Final = names("-o -or ! -not ( ) ,")
_NOT: Final = names("! -not")
FLAGS: Final = names(
    "-print -print0 -ls -empty -depth -d -mount -xdev -prune -quit -true -false -and -a -readable -writable"
    " -executable -daystart -noleaf -nouser -nogroup -ignore_readdir_race -noignore_readdir_race -warn -nowarn -help"
    " --help -version --version -follow"
)
FILES: Final = re.compile(r"-(?:newer(?:[aBcm][aBcm])?|anewer|cnewer|samefile)")
_NEWER_THAN_TIME: Final = re.compile(r"-newer[aBcm]t")
WRITES: Final = frozenset({"-fprint", "-fprint0", "-fls", "-fprintf"})
RUNS: Final = frozenset({"-exec", "-execdir", "-ok", "-okdir"})
_EXPRESSION: Final = re.compile(r"[-(!,)]")

MAX_RUNS: Final = 400
"""Commands that one `find` runs and that are looked at."""

Tests = list[tuple[str, Field | None]]
"""The tests and operators before an action, in their order, with their values."""


def find(args: Sequence[Field]) -> CommandUsage:
    usage = CommandUsage()
    index = 0
    while index < len(args) and args[index].text in {"-H", "-L", "-P"} and args[index].known:
        usage.follow = usage.follow or args[index].text == "-L"
        index += 1
    starts: list[Field] = []
    while index < len(args) and not (args[index].known and _EXPRESSION.match(args[index].text)):
        starts.append(args[index])
        index += 1
    for start in starts:
        if start.split and not start.known:
            usage.doubt(f"`{start.source}` may expand to an option of `find`")
    for arg in args[index:]:
        if arg.split and not arg.known:
            usage.doubt(f"`{arg.source}` may expand to several arguments of `find`")
        elif arg.pattern is not None:
            usage.touch([arg], "names")
    starts = _bounded(starts or [Field(".")], args, usage)
    usage.deep = True
    usage.touch(starts, "list")
    tests: Tests = []
    while index < len(args):
        index = _part(args, index, starts, tests, usage)
    return usage


def _bounded(starts: Sequence[Field], args: Sequence[Field], usage: CommandUsage) -> list[Field]:
    """Return so many of the places that each action can be looked at with each of them."""
    actions = sum(each.text in RUNS or each.text == "-delete" for each in args)
    most = MAX_RUNS // max(actions, 1)
    if len(starts) > max(most, 1):
        usage.doubt("`find` does too much in too many places to list")
    return list(starts[: max(most, 1)])


def _part(args: Sequence[Field], index: int, starts: Sequence[Field], tests: Tests, usage: CommandUsage) -> int:
    """Add what one test or action does to the usage. Returns the index after it."""
    current = args[index]
    text = current.text if current.known else ""
    value = args[index + 1] if index + 1 < len(args) else None
    tests.append((text, value))
    if text in VALUES or _NEWER_THAN_TIME.fullmatch(text):
        return index + 2
    if text in FLAGS or text in OPERATORS:
        usage.follow = usage.follow or text == "-follow"
        return index + 1
    if FILES.fullmatch(text):
        usage.touch([value] if value else [], "names")
        return index + 2
    if text in RUNS:
        return _runs(args, index, starts, tests, usage)
    return _writes(args, index, starts, tests, usage)


def _writes(args: Sequence[Field], index: int, starts: Sequence[Field], tests: Tests, usage: CommandUsage) -> int:
    current = args[index]
    text = current.text if current.known else ""
    if text in WRITES:
        usage.touch(args[index + 1 : index + 2], "write")
        usage.doubt(f"`find {text}` writes a file")
        return index + (3 if text == "-fprintf" else 2)
    if text == "-delete":
        name = _only_name(tests)
        found = [_found(Field("{}"), start, name, links=usage.follow) for start in starts]
        usage.inner.extend([Field("rm"), Field("-d"), each] for each in found)
        return index + 1
    if text == "-files0-from":
        usage.touch(args[index + 1 : index + 2], "read")
        usage.doubt("`find -files0-from` reads from a file where it starts")
        return index + 2
    usage.doubt(f"the test `{current.source or current.text}` of `find` is not known")
    return index + 1


def _runs(args: Sequence[Field], action: int, starts: Sequence[Field], tests: Tests, usage: CommandUsage) -> int:
    """Add the command of an action such as `-exec`. What it runs on is limited by the tests before it only."""
    index = end = action + 1
    while end < len(args) and not (args[end].known and args[end].text == ";"):
        if args[end].text == "+" and args[end - 1].text == "{}":
            break
        end += 1
    command = args[index:end]
    if any(not (word.known or word.number) for word in command):
        usage.doubt("a word of a command that `find` runs is not known, and may be the end of the command")
    if args[action].text.endswith("dir"):
        usage.doubt(f"`find {args[action].text}` runs its command in many folders")
    name = _only_name(tests)
    links = usage.follow or not any(test == "-type" and kind and kind.text in {"f", "d"} for test, kind in tests)
    usage.inner.extend([_found(word, start, name, links=links) for word in command] for start in starts)
    return end + 1


def _only_name(tests: Tests) -> str:
    """Return `/` and the pattern of `-name`, which every result matches; "" if that is not certain."""
    before = ["", *(test for test, _ in tests)]
    given = [value for index, (test, value) in enumerate(tests) if test == "-name" and before[index] not in _NOT]
    alternatives = any(test in OPERATORS - _NOT for test in before)
    if len(given) != 1 or given[0] is None or not given[0].known or alternatives:
        return ""
    return f"/{given[0].text}" if PLAIN_GLOB.fullmatch(given[0].text) else ""


def _found(word: Field, start: Field, name: str, *, links: bool) -> Field:
    """Return a word of an `-exec` command, with `{}` replaced by a glob for the paths below `start`."""
    if word.text == "{}" and start.known:
        base = start.pattern or start.text
        return Field(start.text, pattern=f"{base.rstrip('/') or '/'}/**{name}", source="{}", links=links)
    return Field(word.text, known=False, source=word.source) if "{}" in word.text else word
