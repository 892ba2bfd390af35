"""Usage of `bash`, `sh` and other shells: the options that they get, and the texts and files that they run.

Only options that do not change the meaning of the text are accepted. Other options change how it is parsed (`-k`, `-O
extglob`, `--posix`) or run other files first (`-l`, `-i`, `--rcfile`).
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from tools_app.permission.names import names
from tools_app.permission.shell.options import ParsedArguments, may_split
from tools_app.permission.shell.path_like import path_like_parts
from tools_app.permission.shell.usage import CommandUsage
from tools_app.permission.shell.words import Field

_LIKE_BASH: Final = names("bash sh dash")
_FLAGS: Final = re.compile(r"-[ceuxn]+o?|-o")
_WITH_TEXT: Final = re.compile(r"-[A-Za-z]*c[A-Za-z]*")
_NAMED_OPTIONS: Final = names("pipefail errexit nounset xtrace")
_WITHOUT_EFFECT: Final = names("--norc --noprofile")
_ENDS_OPTIONS: Final = names("- --")
_PORTABLE: Final = re.compile(
    r"(?:[A-Za-z0-9_ \t\n./:@%,*?!\-'\"#)\]]|=(?!\()|\+(?!=)|(?<!\[)\^|~(?![+\-0-9])|;(?!&)|&(?!>)|\|(?!&)|\\[^\n]"
    r"|>&(?=[0-9-])|>(?![(&])|<{1,2}(?![(<&>])|\((?!\()|\[(?!\[)|\$(?:\w+|\{\w+\}|[?#$!@*]|\((?!\()))*",
    re.ASCII,
)
"""Texts that all POSIX shells read as bash does."""
_ONLY_BASH: Final = re.compile(
    r"\b(?:function|select|time|coproc|source|declare|typeset|let|pushd|popd|shopt|mapfile|readarray|enable|builtin)\b"
)
_INSTALLED: Final = re.compile(
    r"(?:^|/)(?:(?:\.?bin|sbin|libexec|git-core)/)?([\w-]+?)(?:-cli\.[cm]?js|\.phar)$"
    r"|(?:^|/)(?:\.?bin|sbin|libexec|git-core)/([\w-]+?)(?:-cli)?(?:\.[cm]?js|\.py)?$"
    r"|(?:^|/)node_modules/(?!corepack/)([\w-]+)(?:/|$)|/(?:dist|site)-packages/(\w+)/__main__\.py$|/corepack/dist/(\w+)\.js$"
    r"|(?:^|/)install-run-(rush)\.js$"
)
"""A script that installed packages have: in a folder for programs, or in that of a package."""
_SPLITS_DECLARATIONS: Final = re.compile(r"\b(?:export|readonly|local)\b.*\$", re.DOTALL)


@dataclass(slots=True)
class _Invocation:
    """The parsed arguments of a shell. `runs_text`: the first of `rest` is a text to run; otherwise it is a file."""

    rest: Sequence[Field]
    runs_text: bool = False
    doubt: str = ""
    prints: bool = False


def shell(name: str, args: Sequence[Field]) -> CommandUsage:
    """Return the usage of the shell `name`."""
    usage = CommandUsage()
    found = _invocation(name, args)
    if found.prints:
        return usage
    if found.doubt:
        usage.doubt(found.doubt)
    if name not in _LIKE_BASH:
        usage.doubt(f"`{name}` has a different syntax from bash")
    if not found.rest:
        return usage.doubt(f"`{name}` runs commands from its standard input")
    if found.runs_text:
        usage.parameters += found.rest[1:]
        return _text(name, found.rest[0], usage)
    runs_file(name, found.rest[:1], usage)
    usage.spellings += as_program(found.rest)
    touch_path_like(usage, found.rest[1:])
    return usage


def _invocation(name: str, args: Sequence[Field]) -> _Invocation:
    found = _Invocation(())
    index = 0
    while index < len(args) and _may_be_option(args[index]):
        text = args[index].text
        index += 1
        if text in _ENDS_OPTIONS:
            break
        if text in {"--version", "--help"}:
            return _Invocation((), prints=True)
        if text in _WITHOUT_EFFECT:
            continue
        found.runs_text = found.runs_text or _WITH_TEXT.fullmatch(text) is not None
        if not _FLAGS.fullmatch(text):
            found.doubt = f"the option `{args[index - 1].source or text}` of `{name}` is not known"
        elif text.endswith("o"):
            if index < len(args) and args[index].text not in _NAMED_OPTIONS:
                found.doubt = f"`{name} -o {args[index].source}` changes how the shell interprets commands"
            index += 1
    found.rest = args[index:]
    if found.rest and not found.rest[0].known and not found.rest[0].before:
        found.doubt = f"`{found.rest[0].source}` may become an option of `{name}`"
    if found.rest and found.rest[0].text.startswith("+"):
        found.doubt = f"`{name} {found.rest[0].text}` changes how the shell interprets commands"
    return found


def _may_be_option(word: Field) -> bool:
    return word.text.startswith("-") or (may_split(word) and word.source != "{}")


def _text(name: str, text: Field, usage: CommandUsage) -> CommandUsage:
    if not text.known or text.pattern is not None:
        usage.described = False
        return usage.doubt(f"`{name} -c` runs a command that is not known")
    if name != "bash" and not _is_portable(text.text):
        usage.doubt(f"`{name}` may interpret this command differently from bash")
    usage.texts.append(text)
    return usage


def _is_portable(text: str) -> bool:
    if not _PORTABLE.fullmatch(text) or _ONLY_BASH.search(text):
        return False
    return not _SPLITS_DECLARATIONS.search(text)


def runs_file(name: str, files: Sequence[Field], usage: CommandUsage) -> None:
    """Record that `name` runs the content of files."""
    usage.touch(files, "read")
    usage.runs.extend(files)
    if any(each.text.startswith(("/dev/", "/proc/")) for each in files):
        usage.doubt(f"`{name}` runs what it reads from another program or its standard input")


def as_program(words: Sequence[Field]) -> list[list[Field]]:
    """Return the usual command for an installed script that an interpreter runs: `npm publish` for `node .../npm-cli.js
    publish`. The list is empty if the path does not belong to an installed script."""
    found = _INSTALLED.search(words[0].text) if words else None
    if not found:
        return []
    name = next(filter(None, found.groups()))
    git = [Field("git"), Field(name.removeprefix("git-"))] if name.startswith("git-") else [Field(name)]
    return [[*git, *words[1:]]]


def touch_path_like(usage: CommandUsage, args: Sequence[Field]) -> None:
    """Record the arguments of a script that look like paths."""
    for arg in args:
        if not arg.known and not arg.number:
            usage.doubt(f"the value of `{arg.source}` is not known")
        parts = list(path_like_parts(arg))
        usage.paths.extend((part, "read") for part in parts)
        usage.words += [*parts, arg]
    usage.possible.extend(args)


_START_SHELL: Final = frozenset({"fakeroot"})
"""Wrappers that start a shell if no word names a command."""


def judge_started(name: str, found: ParsedArguments, inner: Sequence[Field], usage: CommandUsage) -> None:
    """Mark the analysis as incomplete if a wrapper without a command starts a shell that reads its input."""
    if name in _START_SHELL and not inner and not found.has("--help", "--version"):
        usage.doubt(f"`{name}` runs commands from its standard input")


_SAME_PROGRAM: Final[Mapping[str, tuple[str, ...]]] = {
    **dict.fromkeys(("bzip2", "bunzip2", "bzcat"), ("bzip2", "bunzip2")),
    **dict.fromkeys(("xz", "unxz", "xzcat", "lzma", "unlzma", "lzcat"), ("xz", "unxz")),
    "gzip": ("gzip", "gunzip"),
}
"""Programs whose behaviour depends on the name under which they are started, each with the commands that it may then
be."""


def judge_exec(found: ParsedArguments, inner: Sequence[Field], usage: CommandUsage) -> None:
    """Add the effects of `exec` itself to `usage`.

    It may redirect the shell's input and output, or start a program under a name other than its file's.
    """
    if not found.rest:
        usage.doubt("`exec` redirects the input or output of the shell itself")
    if found.has("-a", "-l"):
        usage.doubt("`exec` gives the program another name, which may decide what it does")
        base = inner[0].text.rpartition("/")[2] if inner else ""
        usage.inner += [[Field(each), *inner[1:]] for each in _SAME_PROGRAM.get(base, ())]
