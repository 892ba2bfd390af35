"""usage_of_command(): the paths that a simple command touches, and the commands that it runs.

The command's name decides how its arguments are interpreted: by a special function, as a wrapper around another
command, or by a table of options. For unknown commands, words that look like paths are taken for paths.
"""

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Final

from tools_app.permission.names import names
from tools_app.permission.shell import nested_shells
from tools_app.permission.shell.actions import folders_before, forwarded_commands, options_before
from tools_app.permission.shell.addresses import touch_addresses, touch_argument_files
from tools_app.permission.shell.assignments import is_harmless, names_file
from tools_app.permission.shell.commands_in_options import commands_in_options, completed_folders
from tools_app.permission.shell.compilers import COMPILERS
from tools_app.permission.shell.debuggers import DEBUGGERS, commands_in_debugger
from tools_app.permission.shell.default_secrets import touch_default_secrets
from tools_app.permission.shell.env_files import ENV_FILES, touch_env_files
from tools_app.permission.shell.env_texts import MAX_SPLITS, split_as_env
from tools_app.permission.shell.interpreters import interpreter
from tools_app.permission.shell.lock_makers import touch_made
from tools_app.permission.shell.named_by_addresses import touch_named_by_addresses
from tools_app.permission.shell.nested_shells import runs_file
from tools_app.permission.shell.options import ParsedArguments, may_split, parse_arguments
from tools_app.permission.shell.other_names import usual_name
from tools_app.permission.shell.packages import without_version
from tools_app.permission.shell.path_like import gives_code, path_like_parts
from tools_app.permission.shell.piped_words import commands_in_pipes
from tools_app.permission.shell.possible_commands import (
    MAX_READINGS,
    commands_in_lists,
    possible_commands,
    without_options,
)
from tools_app.permission.shell.programs import PROGRAMS
from tools_app.permission.shell.project_tools import MAKEFILES, usage_by_appearance
from tools_app.permission.shell.recorded import projects_of, touch_refreshed
from tools_app.permission.shell.settings_tools import touch_settings
from tools_app.permission.shell.special_cases import with_special_cases
from tools_app.permission.shell.specs import ArgumentSpec
from tools_app.permission.shell.spellings import add_other_spellings
from tools_app.permission.shell.suffixes import touch_suffixed
from tools_app.permission.shell.tables_changes import CHANGING
from tools_app.permission.shell.tables_files import READING
from tools_app.permission.shell.tables_projects import PROJECT
from tools_app.permission.shell.tables_wrappers import (
    ENV,
    INTERPRETERS,
    OPAQUE,
    RUNNERS,
    RUNS_OTHERS,
    SHELLS,
    WRAPPERS,
)
from tools_app.permission.shell.task_files import TASK_FILES
from tools_app.permission.shell.usage import CommandUsage, usage_of, usage_of_options
from tools_app.permission.shell.usual_form import SAME, usual_form
from tools_app.permission.shell.whole_folders import touch_started, touch_whole_folders
from tools_app.permission.shell.words import UNKNOWN, Field
from tools_app.permission.shell.xargs_command import xargs

TABLES: Final[Mapping[str, ArgumentSpec]] = {**READING, **CHANGING}
_WITH_SCRIPTS: Final = names("sed gsed awk gawk mawk nawk jq git")
"""Programs in tables that have a language of their own, or options that run commands."""
_GIT_COMMAND: Final = re.compile(r"git-(?!shell$)([a-z-]+)")
"""A program that is a command of git, as in `/usr/lib/git-core/git-push`."""
_ASSIGNMENT: Final = re.compile(r"[A-Za-z_]\w*=")
_ALIAS: Final = re.compile(r"(?:--config=)?alias(?:es)?\.[\w-]+\s*=\s*(.+)", re.DOTALL)
"""A setting on the command line that gives an action another name."""
_WITH_ALIASES: Final = names("cargo hg chg sl jj")
_VERSIONED: Final = re.compile(r"(python|node|perl|ruby|php|lua|pip|gcc|clang)[\d.]+")
_NO_EFFECT: Final = frozenset({":", "true", "false", "exit", "return", "break", "continue", "shift", "times"})
_LOADERS: Final = ("ld-linux", "ld.so", "ld-musl")
_SCRIPT_RUNNERS: Final = frozenset({"yarn", "pnpm", "bun"})
_LIKE_NODE: Final = names("bun deno tsx ts-node nodejs")
"""Programs that run a file of JavaScript."""
_RUN_BY_SCRIPTS: Final = SHELLS | names("env xargs find git npm npx nice timeout nohup command")
"""Programs that run others, for which projects have no scripts of the same name."""
_CALLERS: Final = frozenset({"npx", "npm exec", "npm x", "pnpm exec", "pnpm dlx"})
"""Wrappers whose option `-c` has a shell text to run."""
_LOAD_SECRETS: Final = frozenset({"pipenv run", "bun x"})
"""Wrappers that put the values of `.env` into the environment of the command."""
_FOLDER_OPTIONS: Final[Mapping[str, tuple[str, ...]]] = {"sudo": ("-D", "--chdir")}
"""Options with which wrappers start the command in another folder."""
_ENTERS: Final = names("bun composer go")
"""Tools that enter a folder which an option names, and find everything else from there."""
_PYTHON_VERSION: Final = re.compile(r"(?:c?python|pypy)?[@=]{0,2}\d[\d.]*\w?|c?python|pypy")


def usage_of_command(name: str, args: Sequence[Field]) -> CommandUsage:
    """Return the usage of the command `name` with the arguments `args`. `name` may contain the directory of the
    program."""
    if (usual := usual_name(name)) != name and not is_known(name):
        usage = usage_of_command(usual, args)
        usage.spellings.append([Field(usual), *args])
        return usage
    form = usual_form(name, args)
    if form is None:
        return _in_its_folder(name, _usage_as_written(name, args))
    usage = _usage_as_written(form.name, form.args)
    usage.canonical = usage.canonical or [Field(form.name), *form.args]
    usage = _in_its_folder(name, usage)
    usage.touch(form.folders, "enter")
    if form.name == "make" and form.folders:
        usage.touch(map(Field, MAKEFILES), "read")
    usage.folders = [*form.folders, *usage.folders]
    return usage


def _in_its_folder(name: str, usage: CommandUsage) -> CommandUsage:
    """Put the folder of a program in front of the usual form of its command.

    A rule that allows `git log` must not allow another program, `./git log`. Rules that deny `git log`, or ask about
    it, hold for both programs.
    """
    folder, slash, _ = name.rpartition("/")
    if slash and usage.canonical:
        base, words = usage.canonical[0].text.rpartition("/")[2], usage.canonical[1:]
        usage.spellings.append([Field(base), *words])
        usage.canonical = [Field(f"{folder}/{base}"), *words]
    return usage


def _usage_as_written(name: str, args: Sequence[Field]) -> CommandUsage:
    base = name.rpartition("/")[2]
    if found := _GIT_COMMAND.fullmatch(base):
        usage = PROGRAMS["git"]([Field(found[1]), *args])
        runs_file(name, [Field(name)] if "/" in name else [], usage)
        touch_named_by_addresses("git", [Field(found[1]), *args], usage)
        add_other_spellings(name, [Field("git"), Field(found[1]), *args], usage)
        return usage
    tool = SAME.get(base, base)
    usage = _usage(base if is_known(base) else tool if tool in PROJECT else name, args)
    before = options_before(base, args)
    words = [arg.text for arg in args if not arg.text.startswith("-")][:1]
    if before.rest and before.rest[0] is not args[0]:
        words = [before.rest[0].text]
    _doubt_action(base, args, before, usage)
    usage.task_files = TASK_FILES.get(tool, ())
    usage.folders = usage.folders or (folders_before(before) if base in _ENTERS else [])
    touch_env_files(base, args, usage)
    if (base, *words) in RUNS_OTHERS or (base,) in RUNS_OTHERS or base == "corepack":
        usage.doubt(f"what `{' '.join((base, *words))}` runs is not analysed")
        usage.spellings += possible_commands(args)
    is_described = _is_described(base, tool)
    usage.texts += commands_in_options(tool, args) if usage.doubts or not is_described else []
    usage.texts += commands_in_pipes(base, args) if base in INTERPRETERS or not is_described else []
    usage.inner += commands_in_lists(args)
    _touch_unnamed(base, args, usage)
    if base in _WITH_ALIASES:
        usage.spellings += _of_aliases(base, args)
    if base.startswith(_LOADERS):
        usage.doubt("the dynamic loader runs another program")
    if "/" in name:
        runs_file(name, [Field(name)], usage)
    usage.spellings += without_options(base, args) if base != "git" else []
    is_opaque = base in OPAQUE or base.startswith(_LOADERS)
    usage.described = usage.described and not is_opaque and is_described
    usage.follows += [] if is_described else args
    usage.spellings += possible_commands(args) if is_opaque or not is_described else []
    touch_started(usage.spellings[:MAX_READINGS] if is_opaque else (), usage)
    if len(usage.spellings) >= MAX_READINGS and base not in OPAQUE:
        usage.doubt(f"`{name}` has too many options to determine its subcommand")
    add_other_spellings(name, [Field(base), *args], usage)
    touch_made([[Field(base), *args], *usage.spellings], usage)
    return usage


def _touch_unnamed(name: str, args: Sequence[Field], usage: CommandUsage) -> None:
    """Record files of a command whose names are only a part of a word, or stand in none."""
    touch_addresses(args, usage)
    touch_settings(name, args, usage)
    touch_default_secrets(name, args, usage)
    touch_suffixed(name, args, usage)
    touch_whole_folders(name, args, usage)
    touch_named_by_addresses(name, args, usage)
    touch_argument_files([] if name in TABLES else args, usage)


def _of_aliases(name: str, args: Sequence[Field]) -> list[list[Field]]:
    """Return the commands that the aliases in `cargo --config alias.x=...` stand for."""
    values = [found[1] for each in args if (found := _ALIAS.match(each.text))]
    return [[Field(name), *map(Field, re.findall(r"[^\s\[\]'\",]+", each)), *args[-1:]] for each in values]


def _doubt_action(name: str, args: Sequence[Field], before: ParsedArguments, usage: CommandUsage) -> None:
    """Record that the action is uncertain, and the possible commands, if options hide the action of a program. For
    `yarn`, `pnpm` and `bun`, always add the commands that they may run."""
    if before.doubts and before.rest:
        usage.doubts += before.doubts
        usage.spellings += possible_commands(args)
    if name in _LIKE_NODE:
        usage.spellings += nested_shells.as_program([each for each in before.rest if each.text not in {"run", "x"}])
    if name in _SCRIPT_RUNNERS:
        usage.spellings += forwarded_commands(before.rest)
    if name == "npm" and [each.text for each in before.rest[:2]] in (["run", "env"], ["run-script", "env"]):
        usage.inner.append([Field("env"), *(each for each in before.rest[2:] if each.text != "--")])


@lru_cache(maxsize=1024)
def _is_described(name: str, tool: str) -> bool:
    """Return whether the analysis knows the command well enough to exclude that one of its arguments is a command to
    run."""
    return is_known(name) or tool in PROJECT or name in _NO_EFFECT


def is_known(name: str) -> bool:
    """Return whether the analysis has a table or a function for the command."""
    return (
        name in TABLES or name in PROGRAMS or name in WRAPPERS or name in SHELLS or name in OPAQUE or name in COMPILERS
        or name in {"env", "xargs", "command", "eval"} or name in INTERPRETERS or bool(_VERSIONED.fullmatch(name))
    )  # fmt: skip


def may_be_code(name: str) -> bool:
    """Return whether an incomplete analysis must treat the command's words as code; otherwise they are files and
    options."""
    base = name.rpartition("/")[2]
    return base in _WITH_SCRIPTS or not (base in TABLES or base in PROGRAMS)


def _usage(name: str, args: Sequence[Field]) -> CommandUsage:
    if name in _NO_EFFECT:
        return CommandUsage()
    if name in COMPILERS:
        return COMPILERS[name](args)
    if name == "coverage" and (index := _place_of_module(args)):
        return _coverage_of_module(args, index)
    if name in PROGRAMS:
        return PROGRAMS[name](args)
    if name in _SCRIPT_RUNNERS and (tool := _tool_of_project(name, args)):
        usage = usage_by_appearance(name, args)
        usage.inner.append(tool)
        return usage
    if special := _wrapper(name, args):
        return special
    if table := TABLES.get(name):
        found = parse_arguments(name, args, table)
        usage = usage_of(found, table)
        if not table.strict:  # `--section .x=file`
            named = (each for each in found.operands if "=" in each.text)
            usage.touch([part for each in named for part in path_like_parts(each)], "read")
        return with_special_cases(name, found, usage)
    return usage_by_appearance(name, args)


def _tool_of_project(name: str, args: Sequence[Field]) -> list[Field]:
    """Return the words of the tool that `yarn [run] tool` runs if the project has no script of this name."""
    for words in forwarded_commands(options_before(name, args).rest):
        tool = words[0].text
        if (tool in PROJECT or tool in INTERPRETERS or tool in _RUN_BY_SCRIPTS) and tool not in _SCRIPT_RUNNERS:
            return words
    return []


def _place_of_module(args: Sequence[Field]) -> int:
    """Return the index of `-m` in `coverage run -m module`; 0 if it is not there."""
    words = [each.text for each in args]
    return words.index("-m") if words[:1] == ["run"] and "-m" in words else 0


def _coverage_of_module(args: Sequence[Field], index: int) -> CommandUsage:
    usage = usage_by_appearance("coverage", args[:index])
    usage.inner.append([Field("python"), *args[index:]])
    return usage


def _wrapper(name: str, args: Sequence[Field]) -> CommandUsage | None:
    """Return the usage of a command that runs other commands or code; None for any other command."""
    if name in OPAQUE:
        usage = usage_by_appearance(name, args).doubt(f"what `{name}` does is not analysed")
        usage.touch(completed_folders(args) if name == "compgen" else [], "list")
        usage.texts += commands_in_debugger(args) if name in DEBUGGERS else []
        return usage
    if name in SHELLS:
        return nested_shells.shell(name, args)
    base = found[1] if (found := _VERSIONED.fullmatch(name)) else name
    if base in INTERPRETERS:
        return interpreter(name, args, INTERPRETERS[base])
    if special := {"env": _env, "command": _command, "xargs": xargs, "eval": _eval}.get(name):
        return special(args)
    if name in WRAPPERS:
        return _wrapped(name, args, *WRAPPERS[name])
    before = options_before(name, args)
    table = RUNNERS.get((name, before.rest[0].text)) if before.rest else None
    if not table:
        return None
    usage = _wrapped(f"{name} {before.rest[0].text}", before.rest[1:], table, 0)
    usage.doubts += before.doubts
    usage.paths += before.paths
    usage.possible += before.possible
    usage.folders = [*folders_before(before), *usage.folders]
    return usage


def _wrapped(name: str, args: Sequence[Field], table: ArgumentSpec, before: int) -> CommandUsage:
    found = parse_arguments(name, args, table)
    usage = usage_of_options(found)
    usage.folders = found.values_of(*_FOLDER_OPTIONS.get(name, ()))[-1:]
    inner = list(found.rest[before:])
    if any(may_split(each) or not (each.known or each.number or each.before) for each in found.rest[:before]):
        usage.doubt(f"a word before the command that `{name}` runs may expand to several words")
    while inner and name == "time" and inner[0].source == "!":
        inner.pop(0)
    while inner and inner[0].known and _ASSIGNMENT.match(inner[0].text):
        usage.doubt(f"`{name}` sets {inner.pop(0).text.partition('=')[0]}, which can change what runs")
    if any(not _PYTHON_VERSION.fullmatch(each.text) for each in found.values_of("--python", "-p")) and name == "uv run":
        usage.doubt("`uv run --python` runs another program")
    _run_of_project(name, args, found, inner, usage)
    if name in _CALLERS and found.has("-c", "--call", "--shell-mode"):
        usage.texts.extend(found.values_of("-c", "--call") or inner[:1])
        return usage
    if inner and inner[0].text in {"-c", "--command"}:
        usage.texts.extend(inner[1:2])
        return usage.doubt(f"`{name}` runs a shell command")
    if name == "flock":
        usage.touch(found.rest[:1], "write")
    if name == "exec":
        nested_shells.judge_exec(found, inner, usage)
    nested_shells.judge_started(name, found, inner, usage)
    if inner:
        usage.inner.append(without_version(name, inner))
        loads = name in _LOAD_SECRETS and (not runs_project_code(inner[0].text) or gives_code(inner[1:]))
        usage.possible += map(Field, ENV_FILES if loads else ())  # the environment of the command then contains it
    return usage


def _run_of_project(
    name: str, args: Sequence[Field], found: ParsedArguments, inner: Sequence[Field], usage: CommandUsage
) -> None:
    """Record the files that commands such as `uv run` change, and the words that may be names of files.

    After `uv run`, `test` may be a script of the project instead of the builtin.
    """
    tool, _, action = name.partition(" ")
    options = [option for option, _ in found.options]
    touch_refreshed(tool, options, [action], usage, list(projects_of(args)))
    if action and inner and inner[0].text == "test":
        usage.possible += inner[1:]
        usage.words += inner[1:]


def _env(args: Sequence[Field], depth: int = 0) -> CommandUsage:
    found = parse_arguments("env", args, ENV)
    usage = usage_of_options(found)
    usage.folders = found.values_of("-C", "--chdir")[-1:]  # the last one counts
    rest = list(found.rest)
    for text in found.values_of("-S", "--split-string"):
        words = [*map(Field, split_as_env(text.text, lambda _: UNKNOWN)), *rest]
        usage.spellings += [words, *(_env(words, depth + 1).inner if depth < MAX_SPLITS else [])]
    if rest and rest[0].text == "-":
        rest.pop(0)
    while rest and ("=" in rest[0].text or not rest[0].known):
        name, _, value = rest[0].text.partition("=")
        if not rest[0].known:
            usage.doubt(f"`env` sets {name or 'a variable'}, which can change what runs")
            usage.variables.append((name, rest[0].source.partition("=")[2]))
        else:
            usage.words.append(Field(value))
            usage.possible.append(Field(value))
        if rest[0].known and (names_file(name, value) or not is_harmless(name)):
            usage.variables.append((name, value))
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


def _eval(args: Sequence[Field]) -> CommandUsage:
    usage = CommandUsage()
    args = args[1:] if args and args[0].text == "--" else args
    if all(arg.known and arg.pattern is None for arg in args):
        usage.texts.append(Field(" ".join(arg.text for arg in args)))
        return usage
    return usage.doubt("`eval` runs a command that is not known")


@lru_cache(maxsize=1024)
def runs_project_code(name: str) -> bool:
    """Return whether a command may run files of the project, as interpreters, test runners and unknown programs do."""
    base = name.rpartition("/")[2]
    tool = SAME.get(base, base)
    return tool in PROJECT or tool in INTERPRETERS or base in SHELLS or not _is_described(base, tool)
