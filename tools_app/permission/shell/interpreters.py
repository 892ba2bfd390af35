"""interpreter(): the usage of programs that run code from a file, an argument or their input: `python3 -c`."""

import re
from collections.abc import Sequence
from typing import Final

from tools_app.permission.shell import nested_shells
from tools_app.permission.shell.debuggers import starts_debugger
from tools_app.permission.shell.env_files import touch_env_files
from tools_app.permission.shell.hook_tools import touch_hooks
from tools_app.permission.shell.nested_shells import runs_file, touch_path_like
from tools_app.permission.shell.options import parse_arguments
from tools_app.permission.shell.path_like import CODE, gives_code
from tools_app.permission.shell.possible_commands import possible_commands
from tools_app.permission.shell.python_modules import usage_of_module
from tools_app.permission.shell.specs import ArgumentSpec
from tools_app.permission.shell.tables_wrappers import JSON_TOOL, RUNS_OTHERS
from tools_app.permission.shell.usage import CommandUsage, UnnamedTree, usage_of
from tools_app.permission.shell.words import Field

_REPORTERS: Final = frozenset({"spec", "tap", "dot", "junit", "lcov"})
_TESTS: Final = ("*.js", "*.cjs", "*.mjs", "*.ts", "*.cts", "*.mts")
_GLOB: Final = re.compile(r"[*?\[{(!]")
_JOINED_MODULE: Final = re.compile(r"-[A-Za-z0-9]*?m([\w.]*)")
"""`-m` among other letters, and perhaps with the name of the module: `-Imtwine`."""


def interpreter(name: str, args: Sequence[Field], table: ArgumentSpec) -> CommandUsage:
    """Return the usage of an interpreter. The code that it runs is not analysed; it is only searched for names and
    commands."""
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
    ends_options = name == "php" and any(each.text == "--" for each in args[: len(args) - len(rest)])
    if rest and (rest[0].text == "-" or ends_options):  # the words behind `php --` are arguments of its input
        usage.doubt(f"`{name}` runs code from its standard input")
    if name == "node" and found.has("--test"):
        usage.doubts = [each for each in usage.doubts if "from its standard input" not in each]
        runs_file(name, rest, usage)
        _find_tests(rest, usage)
    elif rest and not (found.doubts and CODE.search(rest[0].text)):
        runs_file(name, rest[:1], usage)
    if any(each.text not in _REPORTERS for each in found.values_of("--test-reporter")):
        usage.doubt(f"`{name} --test-reporter` loads code")
    _judge_script(rest, usage)
    touch_path_like(usage, rest[1:])
    usage.spellings += nested_shells.as_program(rest)
    _touch_hooks(rest, usage)
    usage.spellings += _module_behind(args) if name.startswith("python") else []
    usage.touch([each for each in args if each.is_input], "any")
    usage.possible += args
    return usage


def _find_tests(words: Sequence[Field], usage: CommandUsage) -> None:
    """Record the folders in which `node --test` searches for tests by patterns; the search follows links.

    Without an argument, `node --test` searches the working directory.
    """
    globs = [(each, found) for each in words if (found := _GLOB.search(each.text))]
    tops = [Field(each.text[: found.start()].rpartition("/")[0] or ".", each.known) for each, found in globs]
    tops = tops if words else [Field(".")]
    usage.touch(tops, "tree")
    usage.trees += [UnnamedTree(each, "read", "files", contents=False, follow=True) for each in tops]
    usage.follow, usage.only = bool(tops), _TESTS if tops else ()


def _judge_script(words: Sequence[Field], usage: CommandUsage) -> None:
    """Mark the analysis as incomplete if a script of the project may run code from its arguments or its input:
    `python3 manage.py shell`."""
    given = [each.text.rpartition("/")[2] for each in words[:1]] + [each.text for each in words[1:2]]
    if given:
        touch_env_files(given[0], words[1:], usage)
    if tuple(given) in RUNS_OTHERS or gives_code(words[1:]) or starts_debugger("", words[1:]):
        usage.doubt(f"`{' '.join(given)}` may run code from its words or its input")
        usage.spellings += possible_commands(words[1:])


def _touch_hooks(words: Sequence[Field], usage: CommandUsage) -> None:
    """Record the git hooks that an installed script changes: `node node_modules/husky/lib/bin.js install`."""
    for each in (words, *nested_shells.as_program(words)) if words else ():
        touch_hooks(each[0].text, each[1:], usage)


def _module(args: Sequence[Field]) -> CommandUsage | None:
    """Return the usage of `python -m module`, which is judged like a command with the module's name; None if there
    is no `-m`."""
    for index, arg in enumerate(args):
        if arg.text == "-m" and arg.known and index + 1 < len(args):
            if any(each.text not in {"-B", "-u", "-I", "-s", "-E", "-O"} for each in args[:index]):
                return None
            module = args[index + 1]
            if not module.known:
                return None
            if module.text == "json.tool":
                return usage_of(parse_arguments("json.tool", args[index + 2 :], JSON_TOOL), JSON_TOOL)
            return usage_of_module(module.text, args[index + 2 :])
        if not arg.text.startswith("-") or arg.text in {"-c", "-"}:
            return None
    return None


def _module_behind(args: Sequence[Field]) -> list[list[Field]]:
    """Return the usual spellings of a command that runs a module after other options: `python -W ignore -mtwine`."""
    for index, arg in enumerate(args):
        if found := _JOINED_MODULE.fullmatch(arg.text):
            words = [Field(found[1]), *args[index + 1 :]] if found[1] else list(args[index + 1 :])
            return [[Field("python3"), Field("-m"), *words], words] if words else []
    return []
