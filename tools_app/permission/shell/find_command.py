"""Arguments of `find`: starting points, tests, and the commands that it runs on what it finds."""

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from tools_app.permission.shell.names import names
from tools_app.permission.shell.usage import PLAIN_GLOB, CommandUsage
from tools_app.permission.shell.words import Field

_FIND_VALUES: Final = names(
    "-name -iname -path -ipath -wholename -iwholename -regex -iregex -type -xtype -size -mtime -mmin -ctime -cmin"
    " -atime -amin -maxdepth -mindepth -perm -user -group -uid -gid -links -inum -fstype -lname -ilname -printf"
    " -regextype -used -context"
)
_FIND_FLAGS: Final = names(
    "-print -print0 -ls -empty -depth -d -mount -xdev -prune -quit -true -false -not -and -or -a -o ! ( ) ,"
    " -readable -writable -executable -daystart -noleaf -nouser -nogroup -ignore_readdir_race -noignore_readdir_race"
    " -warn -nowarn -help --help -version --version"
)
_FIND_FILES: Final = re.compile(r"-(?:newer(?:[aBcm][aBcm])?|anewer|cnewer|samefile)")
_FIND_NEWER_THAN_TIME: Final = re.compile(r"-newer[aBcm]t")
_FIND_WRITES: Final = frozenset({"-fprint", "-fprint0", "-fls", "-fprintf"})
_FIND_RUNS: Final = frozenset({"-exec", "-execdir", "-ok", "-okdir"})


def find(args: Sequence[Field]) -> CommandUsage:
    usage = CommandUsage()
    index = 0
    while index < len(args) and args[index].text in {"-H", "-L", "-P"} and args[index].known:
        if args[index].text == "-L":
            usage.follow = True
        index += 1
    starts: list[Field] = []
    while index < len(args) and not (args[index].known and re.match(r"[-(!,]", args[index].text)):
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
    starts = starts or [Field(".")]
    usage.deep = True
    usage.touch(starts, "list")
    while index < len(args):
        index = _find_test(args, index, starts, usage)
    return usage


def _find_test(args: Sequence[Field], index: int, starts: Sequence[Field], usage: CommandUsage) -> int:
    current = args[index]
    text = current.text if current.known else ""
    if text in _FIND_VALUES or _FIND_NEWER_THAN_TIME.fullmatch(text):
        return index + 2
    if text in _FIND_FLAGS:
        return index + 1
    if _FIND_FILES.fullmatch(text):
        usage.touch(args[index + 1 : index + 2], "names")
        return index + 2
    if text in _FIND_WRITES:
        usage.touch(args[index + 1 : index + 2], "write")
        usage.doubt(f"`find {text}` writes a file")
        return index + (3 if text == "-fprintf" else 2)
    if text == "-delete":
        usage.touch(starts, "write")
        usage.doubt("`find -delete` deletes the files that it finds")
        return index + 1
    if text in _FIND_RUNS:
        return _find_runs(args, index + 1, starts, usage)
    usage.doubt(f"the test `{current.source or current.text}` of `find` is not known")
    return index + 1


def _find_runs(args: Sequence[Field], index: int, starts: Sequence[Field], usage: CommandUsage) -> int:
    end = index
    while end < len(args) and not (args[end].known and args[end].text == ";"):
        if args[end].text == "+" and args[end - 1].text == "{}":
            break
        end += 1
    name = _only_name(args)
    words = [arg.text for arg in args]
    links = not any(word == "-type" and kind in {"f", "d"} for word, kind in pairwise(words))
    usage.inner.extend([_found(word, start, name, links=links) for word in args[index:end]] for start in starts)
    return end + 1


def _only_name(args: Sequence[Field]) -> str:
    """Return `/` and the only `-name` pattern, which every result matches; "" if that is not certain."""
    words = [arg.text for arg in args]
    names = [args[index + 1] for index, word in enumerate(words[:-1]) if word == "-name"]
    if len(names) != 1 or not names[0].known or {"-o", "-or", "!", "-not", ",", "-iname"} & {*words}:
        return ""
    if not PLAIN_GLOB.fullmatch(names[0].text):
        return ""
    return f"/{names[0].text}"


def _found(word: Field, start: Field, name: str, *, links: bool) -> Field:
    """Return a word of an `-exec` command, with `{}` replaced by a glob for the paths below `start`."""
    if word.text == "{}" and start.known:
        base = start.pattern or start.text
        return Field(start.text, pattern=f"{base.rstrip('/') or '/'}/**{name}", source="{}", links=links)
    return Field(word.text, known=False, source=word.source) if "{}" in word.text else word
