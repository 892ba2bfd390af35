"""usage_of_command(): what a simple command touches and runs.

The name decides how arguments are interpreted: by a function of its own, as a wrapper around another command, by a
table of options, or, for unknown commands, by which arguments look like paths.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Final

from tools_app.permission.shell import arity
from tools_app.permission.shell.assignments import is_harmless
from tools_app.permission.shell.options import ArgumentSpec, may_split, parse_arguments, path_like_parts
from tools_app.permission.shell.programs import PROGRAMS
from tools_app.permission.shell.tables_files import KNOWN, STRICT
from tools_app.permission.shell.tables_projects import PROJECT
from tools_app.permission.shell.tables_wrappers import (
    ENV,
    INTERPRETERS,
    MODULES_THAT_RUN,
    NPM_VERBS,
    OPAQUE,
    RUNNERS,
    RUNS_OTHERS,
    SHELL_SPEC,
    SHELLS,
    WRAPPERS,
    XARGS,
)
from tools_app.permission.shell.usage import CommandUsage, usage_of
from tools_app.permission.shell.words import Field

_MAX_READINGS: Final = 16  # interpretations of options before a subcommand
_ASSIGNMENT: Final = re.compile(r"[A-Za-z_]\w*=")
_VERSIONED: Final = re.compile(r"(python|node|perl|ruby|php|lua|pip|gcc|clang)[\d.]+")
_NO_EFFECT: Final = frozenset({":", "true", "false", "exit", "return", "break", "continue", "shift", "times"})
_ONLY_BASH: Final = re.compile(
    r"\$['\"\[]|\{[^}]*(?:,|\.\.)|\[\[|[<>]\(|&>|\|&|\bfunction\b|\(\(|=\(|<<<|\$\{[^}]*[/!^,@:\[]|\bsource\b|;;?&"
    r"|>&|\bselect\b|\btime\b|\bcoproc\b|\+=|\{\w+\}[<>]"
)
"""Syntax that other shells interpret differently from bash."""
_FORMATTERS: Final = frozenset({"black", "ruff", "isort", "autopep8", "yapf"})
_PLAIN_MAKE: Final = re.compile(r"-j\d*|-[skwB]|--silent|--no-print-directory|--always-make")


def usage_of_command(name: str, args: Sequence[Field]) -> CommandUsage:
    """Return what the command `name` does with `args`. `name` may contain the directory of the program."""
    base = name.rpartition("/")[2]
    usage = _usage(base if is_known(base) else name, args)
    words = [arg.text for arg in args if not arg.text.startswith("-")][:1]
    if (base, *words) in RUNS_OTHERS or (base,) in RUNS_OTHERS:
        usage.doubt(f"what `{' '.join((base, *words))}` runs is not analysed")
    if base.startswith(("ld-linux", "ld.so", "ld-musl")):
        usage.doubt("the dynamic loader runs another program")
    if "/" in name:
        _runs_file(name, [Field(name)], usage)
    usage.spellings += _without_options(base, args) if base != "git" else []
    if len(usage.spellings) >= _MAX_READINGS:
        usage.doubt(f"`{name}` has too many options to determine its subcommand")
    return usage


def is_known(name: str) -> bool:
    """Return whether the analysis has a table or a function for the command."""
    return (
        name in STRICT or name in KNOWN or name in PROGRAMS or name in WRAPPERS or name in SHELLS or name in OPAQUE
        or name in {"env", "xargs", "command", "eval"} or name in INTERPRETERS or bool(_VERSIONED.fullmatch(name))
    )  # fmt: skip


def _usage(name: str, args: Sequence[Field]) -> CommandUsage:
    if name in _NO_EFFECT:
        return CommandUsage()
    if name in PROGRAMS:
        return _with_special_cases(name, args, PROGRAMS[name](args))
    if special := _wrapper(name, args):
        return special
    if name in STRICT:
        usage = usage_of(parse_arguments(name, args, STRICT[name]), STRICT[name])
        return _with_special_cases(name, args, usage)
    if name in KNOWN:
        return _with_special_cases(name, args, usage_of(parse_arguments(name, args, KNOWN[name]), KNOWN[name]))
    return _by_appearance(name, args)


_LINK_FOLLOWING_OPTIONS: Final[Mapping[str, re.Pattern[str]]] = {
    "ls": re.compile(r"-\w*L\w*|--dereference"),
    "du": re.compile(r"-\w*L\w*|--dereference"),
    "cp": re.compile(r"-\w*[LH]\w*|--dereference"),
    "tar": re.compile(r"-?\w*h\w*|--dereference"),
    "zip": re.compile(r"-\w*r\w*"),
    "tree": re.compile(r"-\w*l\w*"),
    "fd": re.compile(r"-\w*L\w*|--follow"),
    "diff": re.compile(r"-\w*r\w*|--recursive"),
}


def _with_special_cases(name: str, args: Sequence[Field], usage: CommandUsage) -> CommandUsage:
    following = _LINK_FOLLOWING_OPTIONS.get(name)
    if name == "fd" and following and any(following.fullmatch(arg.text) for arg in args):
        usage.paths.append((Field("."), "tree"))
    if following and (usage.deep or name in {"tree", "fd"}) and any(following.fullmatch(arg.text) for arg in args):
        usage.follow = usage.deep = True
    if (
        name in {"split", "csplit"} and len([arg for arg in args if not arg.text.startswith("-")]) < 2
    ) or name == "csplit":
        usage.paths.append((Field("."), "write"))
    if name in {"gzip", "bzip2", "xz", "zstd", "gunzip"}:
        usage.paths += [(Field(f"{arg.text}.{name[0]}z"), "write") for arg in args if arg.text[:1] != "-" and arg.known]
    if name == "wait" and any(not re.fullmatch(r"-n|%?\d*", arg.text) for arg in args):
        usage.doubt("`wait` sets a variable")
    if name == "strings" and any(arg.text.startswith("@") for arg in args):
        usage.doubt(f"`{name}` reads options from a file")
    if name in {"date", "hostname"} and any(arg.text[:1] not in {"+", "-"} for arg in args if not _follows(args, arg)):
        usage.doubt(f"`{name}` may change a system setting")
    return usage


def _follows(args: Sequence[Field], arg: Field) -> bool:
    index = next(number for number, each in enumerate(args) if each is arg)
    return index > 0 and args[index - 1].text in {"-d", "--date", "-r", "--reference", "--rfc-3339", "-f", "--file"}


def _by_appearance(name: str, args: Sequence[Field]) -> CommandUsage:
    """Return the usage of an unknown command: every argument that looks like a path is treated as one."""
    table = PROJECT.get(name)
    usage = usage_of(parse_arguments(name, args, table), table) if table else CommandUsage()
    for arg in args:
        if not arg.known and not arg.number:
            usage.doubt(f"the value of `{arg.source}` is not known")
        usage.paths.extend((part, "read") for part in path_like_parts(arg))
        if arg.pattern is not None and not list(path_like_parts(arg)):
            usage.paths.append((arg, "read"))
    if name in _FORMATTERS and not any(arg.text in {"--check", "--diff", "check"} for arg in args):
        usage.touch([arg for arg in args if not arg.text.startswith("-") and arg.text != "format"], "write")
    if name in {"make", "gmake"}:
        if all((arg.known and not arg.text.startswith("-")) or _PLAIN_MAKE.fullmatch(arg.text) for arg in args):
            usage.canonical = [Field(name), *(arg for arg in args if not arg.text.startswith("-"))]
        usage.runs += [Field(each) for each in ("Makefile", "makefile", "GNUmakefile")]
    if name == "cmake" and any(arg.text == "--" for arg in args):
        usage.doubt("`cmake --build` passes options on to another program")
    if table and table.sets and any("=" in arg.text and not arg.text.startswith("-") for arg in args):
        usage.doubt(f"`{name}` gets a variable, which can change what runs")
    return usage


def _without_options(name: str, args: Sequence[Field]) -> list[list[Field]]:
    """Return the command without the options before its subcommand, in every possible interpretation.

    It is not known here whether such an option takes the next word as its value, so there may be several.
    """
    if arity.prefix((name,)) == arity.prefix((name, "x")) or not args or not args[0].text.startswith("-"):
        full = _unabbreviated(name, args) if args else args
        return [[Field(name), *full]] if full is not args else []
    index = 0
    while index < len(args) and args[index].text.startswith("-"):
        index += 1
    readings = [args[index:], args[index + 1 :]] if "=" not in args[index - 1].text else [args[index:]]
    while index + 1 < len(args) and args[index + 1].text.startswith("-") and len(readings) < _MAX_READINGS:
        index += 2
        readings.append(args[index:])
        readings.append(args[index + 1 :])
    return [[Field(name), *_unabbreviated(name, each)] for each in readings if each]


def _unabbreviated(name: str, args: Sequence[Field]) -> Sequence[Field]:
    """Expand an abbreviated npm subcommand: npm accepts every unambiguous prefix."""
    verbs = [verb for verb in NPM_VERBS if len(args[0].text) > 2 and verb.startswith(args[0].text)]
    return [Field(verbs[0]), *args[1:]] if name == "npm" and len(verbs) == 1 else args


def _wrapper(name: str, args: Sequence[Field]) -> CommandUsage | None:
    """Return the usage of a command that runs other commands or code; None if it is not one."""
    if name in OPAQUE:
        return _by_appearance(name, args).doubt(f"what `{name}` does is not analysed")
    if name in SHELLS:
        return _shell(name, args)
    base = found[1] if (found := _VERSIONED.fullmatch(name)) else name
    if base in INTERPRETERS:
        return _interpreter(name, args, INTERPRETERS[base])
    if special := {"env": _env, "command": _command, "xargs": _xargs, "eval": _eval}.get(name):
        return special(args)
    if name in WRAPPERS:
        return _wrapped(name, args, *WRAPPERS[name])
    table = RUNNERS.get((name, args[0].text)) if args else None
    return _wrapped(f"{name} {args[0].text}", args[1:], table, 0) if table else None


def _wrapped(name: str, args: Sequence[Field], table: ArgumentSpec, before: int) -> CommandUsage:
    found = parse_arguments(name, args, table)
    usage = CommandUsage(list(found.paths), list(found.doubts))
    inner = list(found.rest[before:])
    if any(may_split(each) or not (each.known or each.number or each.before) for each in found.rest[:before]):
        usage.doubt(f"a word before the command that `{name}` runs may expand to several words")
    while inner and name == "time" and inner[0].source == "!":
        inner.pop(0)
    while inner and inner[0].known and _ASSIGNMENT.match(inner[0].text):
        usage.doubt(f"`{name}` sets {inner.pop(0).text.partition('=')[0]}, which can change what runs")
    if inner and inner[0].text in {"-c", "--command"}:
        usage.texts.extend(inner[1:2])
        return usage.doubt(f"`{name}` runs a shell command")
    if name == "flock":
        usage.touch(found.rest[:1], "write")
    if inner:
        usage.inner.append(list(inner))
    elif name == "exec" and not found.rest:
        usage.doubt("`exec` redirects the input or output of the shell itself")
    return usage


def _env(args: Sequence[Field]) -> CommandUsage:
    table = ENV
    found = parse_arguments("env", args, table)
    usage = CommandUsage(list(found.paths), list(found.doubts))
    usage.folders = [value for name, value in found.options if name in {"-C", "--chdir"} and value is not None]
    rest = list(found.rest)
    if rest and rest[0].text == "-":
        rest.pop(0)
    while rest and ("=" in rest[0].text or not rest[0].known):
        name = rest[0].text.partition("=")[0]
        if not is_harmless(name) or not rest[0].known:
            usage.doubt(f"`env` sets {name or 'a variable'}, which can change what runs")
        rest.pop(0)
    if rest:
        usage.inner.append(rest)
    return usage


def _command(args: Sequence[Field]) -> CommandUsage:
    rest = list(args)
    while rest and rest[0].known and re.fullmatch(r"-[pvV]+", rest[0].text):
        if "p" not in rest[0].text:
            return CommandUsage()
        rest.pop(0)
    if rest and rest[0].text == "--":
        rest.pop(0)
    return CommandUsage(inner=[rest] if rest else [])


def _xargs(args: Sequence[Field]) -> CommandUsage:
    found = parse_arguments("xargs", args, XARGS)
    usage = CommandUsage(list(found.paths), list(found.doubts))
    replaced = next((value.text for name, value in found.options if name in {"-I", "--replace"} and value), None)
    if replaced is None and found.has("-i"):
        replaced = "{}"
    unknown = Field("", known=False, split=True, source="the input of xargs")
    rest = found.rest or [Field("echo")]
    if replaced:
        rest = [Field(each.text, known=False, source=each.source) if replaced in each.text else each for each in rest]
    else:
        rest = [*rest, unknown]
    usage.inner.append(rest)
    return usage


def _eval(args: Sequence[Field]) -> CommandUsage:
    usage = CommandUsage()
    args = args[1:] if args and args[0].text == "--" else args
    if all(arg.known and arg.pattern is None for arg in args):
        usage.texts.append(Field(" ".join(arg.text for arg in args)))
        return usage
    return usage.doubt("`eval` runs a command that is not known")


def _shell(name: str, args: Sequence[Field]) -> CommandUsage:
    found = parse_arguments(name, _without_plus(args), SHELL_SPEC)
    usage = CommandUsage(list(found.paths), list(found.doubts))
    if found.has("--version", "--help"):
        return usage
    if not found.rest:
        return usage.doubt(f"`{name}` runs commands from its standard input")
    if name not in {"bash", "sh", "dash", "ash", "rbash"}:
        usage.doubt(f"`{name}` has a different syntax from bash")
    if found.has("-c"):
        text = found.rest[0]
        if name != "bash" and _ONLY_BASH.search(text.text):
            usage.doubt(f"`{name}` may interpret this command differently from bash")
        if text.known and text.pattern is None:
            usage.texts.append(text)
        else:
            usage.doubt(f"`{name} -c` runs a command that is not known")
        return usage
    _runs_file(name, found.rest[:1], usage)
    _touch_path_like(usage, found.rest[1:])
    return usage


def _without_plus(args: Sequence[Field]) -> Sequence[Field]:
    """Remove `+o name` and `+x`, which switch options off, from the arguments before the command text."""
    kept: list[Field] = []
    index = 0
    while index < len(args):
        if kept and kept[-1].text in {"-c", "-o", "-O"}:
            kept += args[index : index + 1]
        elif not re.fullmatch(r"\+[A-Za-z]+", args[index].text):
            if not args[index].text.startswith("-"):
                return [*kept, *args[index:]]
            kept.append(args[index])
        elif args[index].text[-1] in "oO":
            index += 1
        index += 1
    return kept


def _runs_file(name: str, files: Sequence[Field], usage: CommandUsage) -> None:
    usage.touch(files, "read")
    usage.runs.extend(files)
    if any(each.text.startswith(("/dev/", "/proc/")) for each in files):
        usage.doubt(f"`{name}` runs what it reads from another program or its standard input")


def _interpreter(name: str, args: Sequence[Field], table: ArgumentSpec) -> CommandUsage:
    if name.startswith("python") and (module := _module(args)) is not None:
        return module
    found = parse_arguments(name, args, table)
    usage = CommandUsage(list(found.paths))
    if found.doubts:
        usage.doubt(f"`{name}` may run code from its arguments")
    asks_version = found.has("--version", "-V", "-v", "--help", "-h", "-version") and not found.rest
    rest = found.rest if table.stops else found.operands
    if not rest and not asks_version:
        usage.doubt(f"`{name}` runs code from its standard input")
    if rest and rest[0].text == "-":
        usage.doubt(f"`{name}` runs code from its standard input")
    if name == "node" and found.has("--test"):
        usage.doubts = [each for each in usage.doubts if "from its standard input" not in each]
    elif rest:
        _runs_file(name, rest[:1], usage)
    _touch_path_like(usage, rest[1:])
    return usage


def _module(args: Sequence[Field]) -> CommandUsage | None:
    """Return the usage of `python -m module`, judged like the command of that name; None if there is no `-m`."""
    for index, arg in enumerate(args):
        if arg.text == "-m" and arg.known and index + 1 < len(args):
            if any(each.text not in {"-B", "-u", "-I", "-s", "-E", "-O"} for each in args[:index]):
                return None
            module = args[index + 1]
            if not module.known:
                return None
            usage = _by_appearance(module.text, args[index + 2 :])
            return usage.doubt(f"the module {module.text} runs code") if module.text in MODULES_THAT_RUN else usage
        if not arg.text.startswith("-") or arg.text in {"-c", "-"}:
            return None
    return None


def _touch_path_like(usage: CommandUsage, args: Sequence[Field]) -> None:
    for arg in args:
        if not arg.known and not arg.number:
            usage.doubt(f"the value of `{arg.source}` is not known")
        usage.paths.extend((part, "read") for part in path_like_parts(arg))
