"""Arguments of `find`: starting points, tests, and the commands that it runs on the files that it finds."""

import re
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Final

from tools_app.permission.names import names
from tools_app.permission.shell.find_conditions import Conditions
from tools_app.permission.shell.usage import CommandUsage
from tools_app.permission.shell.words import Field

VALUES: Final = names(
    "-name -iname -path -ipath -wholename -iwholename -regex -iregex -type -xtype -size -mtime -mmin -ctime -cmin"
    " -atime -amin -maxdepth -mindepth -perm -user -group -uid -gid -links -inum -fstype -lname -ilname -printf"
    " -regextype -used -context"
)
OPERATORS: Final = names("-o -or ! -not ( ) ,")
FLAGS: Final = names(
    "-print -print0 -ls -empty -depth -d -mount -xdev -prune -quit -true -false -and -a -readable -writable"
    " -executable -daystart -noleaf -nouser -nogroup -ignore_readdir_race -noignore_readdir_race -warn -nowarn -help"
    " --help -version --version -follow"
)
FILES: Final = re.compile(r"-(?:newer(?:[aBcm][aBcm])?|anewer|cnewer|samefile)")
_NEWER_THAN_TIME: Final = re.compile(r"-newer[aBcm]t")
WRITES: Final = frozenset({"-fprint", "-fprint0", "-fls", "-fprintf"})
RUNS: Final = frozenset({"-exec", "-execdir", "-ok", "-okdir"})
_NAMES: Final = re.compile(r"[^/]+")
_BLANK: Final = re.compile(r"\s")
_AROUND: Final = re.compile(r"[^\s'\";|&()<>]*\{\}[^\s'\";|&()<>]*")
"""A word with `{}` in a shell text."""
_EXPRESSION: Final = re.compile(r"[-(!,)]")

MAX_RUNS: Final = 400
"""The most commands of one `find` that are examined."""
_MAX_NAMES: Final = 12
"""The most globs for names that are examined one by one for an action."""


def find(args: Sequence[Field]) -> CommandUsage:
    usage = CommandUsage()
    index = 0
    while index < len(args) and args[index].text in {"-H", "-L", "-P"} and args[index].known:
        usage.follow = usage.follow or args[index].text == "-L"
        index += 1
    usage.follow = usage.follow or any(each.text == "-follow" for each in args)  # wherever it stands
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
    conditions = Conditions()
    while index < len(args):
        index = _part(args, index, starts, conditions, usage)
    names = conditions.certain.names
    places = [(start, f"/{name}") for start in starts for name in names] if len(names) <= _MAX_NAMES else []
    usage.prints = [
        _found(Field("{}"), *each, links=False, through=usage.follow)
        for each in places or [(start, "") for start in starts]
    ]
    return usage


def _bounded(starts: Sequence[Field], args: Sequence[Field], usage: CommandUsage) -> list[Field]:
    """Limit the number of starting points of `find`, because every action is analysed with each starting point."""
    actions = sum(each.text in RUNS or each.text == "-delete" for each in args)
    most = MAX_RUNS // max(actions, 1)
    if len(starts) > max(most, 1):
        usage.doubt("`find` does too much in too many places to list")
    return list(starts[: max(most, 1)])


def _part(
    args: Sequence[Field], index: int, starts: Sequence[Field], conditions: Conditions, usage: CommandUsage
) -> int:
    """Add the effects of one test or action of `find` to `usage`. Returns the index after it."""
    current = args[index]
    text = current.text if current.known else ""
    value = args[index + 1] if index + 1 < len(args) else None
    if text in OPERATORS:
        conditions.operator(text)
        return index + 1
    before = conditions.certain
    conditions.test(text, value)
    if text in VALUES or _NEWER_THAN_TIME.fullmatch(text):
        return index + 2
    if text in FLAGS:
        return index + 1
    if FILES.fullmatch(text):
        usage.touch([value] if value else [], "names")
        return index + 2
    found = before.names if len(before.names) * len(starts) <= max(_MAX_NAMES, len(starts)) else ()
    places = [(start, f"/{name}" if name else "") for start in starts for name in found or ("",)]
    if text in RUNS:
        return _runs(args, index, places, usage, links=usage.follow or not before.no_links)
    return _writes(args, index, places, usage)


def _writes(args: Sequence[Field], index: int, places: Sequence[tuple[Field, str]], usage: CommandUsage) -> int:
    current = args[index]
    text = current.text if current.known else ""
    if text in WRITES:
        usage.touch(args[index + 1 : index + 2], "write")
        usage.doubt(f"`find {text}` writes a file")
        return index + (3 if text == "-fprintf" else 2)
    if text == "-delete":
        found = [_found(Field("{}"), *each, links=usage.follow, through=usage.follow) for each in places]
        usage.inner.extend([Field("rm"), Field("-d"), each] for each in found)
        return index + 1
    if text == "-files0-from":
        usage.touch(args[index + 1 : index + 2], "read")
        usage.doubt("`find -files0-from` reads from a file where it starts")
        return index + 2
    usage.doubt(f"the test `{current.source or current.text}` of `find` is not known")
    return index + 1


def _runs(
    args: Sequence[Field], action: int, places: Sequence[tuple[Field, str]], usage: CommandUsage, *, links: bool
) -> int:
    """Add the command of an action such as `-exec`, once for each starting point and name pattern for which it runs."""
    index = end = action + 1
    while end < len(args) and not (args[end].known and args[end].text == ";"):
        if args[end].text == "+" and args[end - 1].text == "{}":
            break
        end += 1
    command = args[index:end]
    found = partial(_found, links=links, through=usage.follow)
    if any(not (word.known or word.number) for word in command):
        usage.doubt("a word of a command that `find` runs is not known, and may be the end of the command")
    if args[action].text.endswith("dir"):
        usage.doubt(f"`find {args[action].text}` runs its command in many folders")
        ends = [Field(f"/{each.text.rpartition('/')[2]}") for each in command[1:] if each.text not in {"{}", ""}]
        usage.touch([found(Field("{}"), start, end.text) for start, _ in places for end in ends], "any")
    usage.inner.extend([found(word, start, name) for word in command] for start, name in places)
    texts = [piece for word in command if _BLANK.search(word.text) for piece in _AROUND.findall(word.text)]
    usage.touch([found(Field(piece), *place) for piece in texts for place in places], "any")
    return end + 1


def _found(word: Field, start: Field, name: str, *, links: bool, through: bool = False) -> Field:
    """Return a word of an `-exec` command, with `{}` replaced by a glob for the paths below `start`."""
    if word.text == "{}" and start.known:
        base = start.pattern or start.text
        return Field(
            start.text, pattern=f"{base.rstrip('/') or '/'}/**{name}", source="{}", links=links, through=through
        )
    if "{}" not in word.text:
        return word
    globs = _globs_around(word.text, start, name) if start.known else ()
    return Field(word.text, known=False, source=word.source, globs_of_found=tuple(globs))


def _globs_around(text: str, start: Field, name: str) -> Iterator[str]:
    """Yield globs for the paths that a word may become when `find` replaces its `{}` by a name: `{}/a`, `x/{}`,
    `{}.bak`, `--file={}`."""
    before, (*_, after) = text.partition("{}")[0], text.split("{}")
    folder = "" if before[:1] == "-" and "=" not in before else before.rpartition("=")[2]
    base = (start.pattern or start.text).rstrip("/") or "/"
    top = f"{folder}{base.removeprefix('./') if folder else base}"
    last = after.rpartition("/")[2]
    up = "/.." * _NAMES.findall(after).count("..")
    if text.count("{}") > 1 or last in {".", ".."}:
        yield f"{top}{up}/**"
    elif "/" in after:
        yield f"{top}{up}/**/{last or '*'}"
    else:
        yield from (f"{top}/**{name or '/*'}{after}", f"{top}{after}")
