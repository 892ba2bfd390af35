"""What a simple command would touch and run, by its name: programs of their own kind, wrappers, tables, then looks."""

import re
from collections.abc import Sequence
from typing import Final

from tools_app.permission.shell.options import Form, looks_like_paths, sort_out
from tools_app.permission.shell.programs import PROGRAMS
from tools_app.permission.shell.tables_files import KNOWN, STRICT
from tools_app.permission.shell.tables_projects import PROJECT
from tools_app.permission.shell.tables_wrappers import (
    INTERPRETERS,
    OPAQUE,
    RUNNERS,
    SHELL_FORM,
    SHELLS,
    WRAPPERS,
)
from tools_app.permission.shell.usage import Usage, usage_of
from tools_app.permission.shell.words import Field

_ASSIGNMENT: Final = re.compile(r"[A-Za-z_]\w*=")
_VERSIONED: Final = re.compile(r"(python|node|perl|ruby|php|lua|pip|gcc|clang)[\d.]+")
_HARMLESS_WITHOUT_TRACE: Final = frozenset(
    {":", "true", "false", "wait", "exit", "return", "break", "continue", "shift", "times"}
)
_XARGS: Final = "0rtpxo"


def usage_of_command(name: str, args: Sequence[Field]) -> Usage:
    """`name` is a plain name without its folder; `args` the words after it."""
    if name in _HARMLESS_WITHOUT_TRACE:
        return Usage()
    if name in PROGRAMS:
        return PROGRAMS[name](args)
    if special := _wrapper(name, args):
        return special
    if name in STRICT:
        usage = usage_of(sort_out(name, args, STRICT[name]), STRICT[name])
        return _with_oddities(name, args, usage)
    if name in KNOWN:
        return usage_of(sort_out(name, args, KNOWN[name]), KNOWN[name])
    return _by_looks(name, args)


def _with_oddities(name: str, args: Sequence[Field], usage: Usage) -> Usage:
    if name in {"date", "hostname"} and any(arg.text[:1] not in {"+", "-"} for arg in args if not _follows(args, arg)):
        usage.doubt(f"`{name}` may change a setting of the system")
    return usage


def _follows(args: Sequence[Field], arg: Field) -> bool:
    index = next(number for number, each in enumerate(args) if each is arg)
    return index > 0 and args[index - 1].text in {"-d", "--date", "-r", "--reference", "--rfc-3339", "-f", "--file"}


def _by_looks(name: str, args: Sequence[Field]) -> Usage:
    """A command that no table knows: whatever looks like a path is one."""
    table = PROJECT.get(name)
    usage = usage_of(sort_out(name, args, table), table) if table else Usage()
    for arg in args:
        if not arg.known and not arg.number:
            usage.doubt(f"the value of `{arg.source}` is not known")
        usage.places.extend((part, "read") for part in looks_like_paths(arg))
        if arg.pattern is not None and not list(looks_like_paths(arg)):
            usage.places.append((arg, "read"))
    if "/" in name:
        usage.places.append((Field(name), "read"))
    return usage


def _wrapper(name: str, args: Sequence[Field]) -> Usage | None:
    if name in OPAQUE:
        return _by_looks(name, args).doubt(f"what `{name}` does is not followed")
    if name in SHELLS:
        return _shell(name, args)
    base = found[1] if (found := _VERSIONED.fullmatch(name)) else name
    if base in INTERPRETERS:
        return _interpreter(name, args, INTERPRETERS[base])
    if name == "env":
        return _env(args)
    if name == "command":
        return _command(args)
    if name == "xargs":
        return _xargs(args)
    if name == "eval":
        return _eval(args)
    if name in WRAPPERS:
        return _wrapped(name, args, *WRAPPERS[name])
    if args and args[0].known and (table := RUNNERS.get((name, args[0].text))):
        return _wrapped(f"{name} {args[0].text}", args[1:], table, 0)
    return None


def _wrapped(name: str, args: Sequence[Field], table: Form, before: int) -> Usage:
    found = sort_out(name, args, table)
    usage = Usage(list(found.places), list(found.doubts))
    inner = found.rest[before:]
    if name == "flock":
        usage.touch(found.rest[:1], "write")
    if inner:
        usage.inner.append(list(inner))
    elif name == "exec" and not found.rest:
        usage.doubt("`exec` changes where the shell reads and writes")
    return usage


def _env(args: Sequence[Field]) -> Usage:
    table = WRAPPER_ENV
    found = sort_out("env", args, table)
    usage = Usage(list(found.places), list(found.doubts))
    usage.folders = [value for name, value in found.options if name in {"-C", "--chdir"} and value is not None]
    rest = list(found.rest)
    while rest and (_ASSIGNMENT.match(rest[0].text) or not rest[0].known):
        from tools_app.permission.shell.assignments import is_harmless

        name = rest[0].text.partition("=")[0]
        if not is_harmless(name) or not rest[0].known:
            usage.doubt(f"`env` sets {name or 'a variable'}, which can change what runs")
        rest.pop(0)
    if rest:
        usage.inner.append(rest)
    return usage


def _command(args: Sequence[Field]) -> Usage:
    rest = list(args)
    while rest and rest[0].known and re.fullmatch(r"-[pvV]+", rest[0].text):
        if "p" not in rest[0].text:
            return Usage()
        rest.pop(0)
    if rest and rest[0].text == "--":
        rest.pop(0)
    return Usage(inner=[rest] if rest else [])


def _xargs(args: Sequence[Field]) -> Usage:
    found = sort_out("xargs", args, WRAPPER_XARGS)
    usage = Usage(list(found.places), list(found.doubts))
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


def _eval(args: Sequence[Field]) -> Usage:
    usage = Usage()
    if all(arg.known and arg.pattern is None for arg in args):
        usage.texts.append(Field(" ".join(arg.text for arg in args)))
        return usage
    return usage.doubt("`eval` runs a text that is not known")


def _shell(name: str, args: Sequence[Field]) -> Usage:
    found = sort_out(name, args, SHELL_FORM)
    usage = Usage(list(found.places), list(found.doubts))
    if found.has("--version", "--help"):
        return usage
    if not found.rest:
        return usage.doubt(f"`{name}` runs what it reads from its input")
    if name not in {"bash", "sh", "dash", "ash", "rbash"}:
        usage.doubt(f"the language of `{name}` is not bash's")
    if found.has("-c"):
        text = found.rest[0]
        if text.known and text.pattern is None:
            usage.texts.append(text)
        else:
            usage.doubt(f"`{name} -c` runs a text that is not known")
        return usage
    usage.touch(found.rest[:1], "read")
    _touch_by_looks(usage, found.rest[1:])
    return usage


def _interpreter(name: str, args: Sequence[Field], table: Form) -> Usage:
    if name.startswith("python") and (module := _module(args)) is not None:
        return module
    found = sort_out(name, args, table)
    usage = Usage(list(found.places))
    if found.doubts:
        usage.doubt(f"`{name}` may run code that stands in its arguments")
    asks_version = found.has("--version", "-V", "-v", "--help", "-h", "-version") and not found.rest
    rest = found.rest if table.stops else found.operands
    if not rest and not asks_version:
        usage.doubt(f"`{name}` runs code that it reads from its input")
    if rest and rest[0].text == "-":
        usage.doubt(f"`{name}` runs code that it reads from its input")
    if rest and not (name == "node" and found.has("--test")):
        usage.touch(rest[:1], "read")
    _touch_by_looks(usage, rest[1:])
    return usage


def _module(args: Sequence[Field]) -> Usage | None:
    """`python -m module`: the module is judged like the command of its name."""
    for index, arg in enumerate(args):
        if arg.text == "-m" and arg.known and index + 1 < len(args):
            if any(each.text not in {"-B", "-u", "-I", "-s", "-E", "-O"} for each in args[:index]):
                return None
            module = args[index + 1]
            if not module.known:
                return None
            return _by_looks(module.text, args[index + 2 :])
        if not arg.text.startswith("-") or arg.text in {"-c", "-"}:
            return None
    return None


def _touch_by_looks(usage: Usage, args: Sequence[Field]) -> None:
    for arg in args:
        if not arg.known and not arg.number:
            usage.doubt(f"the value of `{arg.source}` is not known")
        usage.places.extend((part, "read") for part in looks_like_paths(arg))


from tools_app.permission.shell.options import form  # noqa: E402

WRAPPER_ENV: Final = form(
    "i0v", "-u: -C/ --chdir/ --unset: --ignore-environment --null -S! --split-string!", stops=True
)
WRAPPER_XARGS: Final = form(
    _XARGS,
    "-I: -i -n: -P: -L: -l -d: -E: -s: -a! --arg-file! --null --no-run-if-empty --max-args: --max-procs: --replace:"
    " --delimiter: --verbose --interactive --exit --max-lines: --max-chars:",
    stops=True,
)
