"""Usage of test runners, linters, build tools and package managers: the meaning of their operands."""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Final

from tools_app.permission.names import names
from tools_app.permission.shell.addresses import touch_folders_of_results, values_of_unlisted
from tools_app.permission.shell.debuggers import starts_debugger
from tools_app.permission.shell.given_commands import follows_input, gives_command, runs_input
from tools_app.permission.shell.hook_tools import touch_hooks
from tools_app.permission.shell.kinds import touch_kinds
from tools_app.permission.shell.options import ParsedArguments, may_split, parse_arguments
from tools_app.permission.shell.path_like import gives_code, names_in_parts, path_like_parts
from tools_app.permission.shell.project_trees import takes_trees, with_trees
from tools_app.permission.shell.recorded import touch_recorded
from tools_app.permission.shell.reporting import USUAL, reports_elsewhere
from tools_app.permission.shell.specs import ArgumentSpec, spec
from tools_app.permission.shell.tables_projects import PROJECT
from tools_app.permission.shell.tex_code import SIGN, TEX, files_of_lua, files_of_tex
from tools_app.permission.shell.unpackers import touch_unpacked
from tools_app.permission.shell.usage import CommandUsage, UnnamedTree, usage_of
from tools_app.permission.shell.words import Field

_FILE_NAME: Final = re.compile(r"[\w@%+,][\w@%+,.-]*\.[A-Za-z]\w*")
"""A file in the working directory, whose name contains no slash."""
_VALUE: Final = re.compile(r"(?:--?[\w-]+=|-\w)(.+)", re.DOTALL)
"""An option that is joined to its value."""
_RENAMERS: Final = names("rename rename.ul prename file-rename perl-rename mmv zmv vidir rnm f2 detox")
"""Programs that choose new names for files."""
_LINKERS: Final = names("ld ld.bfd ld.gold gold")
_OF_OBJECTS: Final = _LINKERS | {"as"}
"""Tools that read files which their input names: scripts for the linker, `.incbin` and `.include`."""
_READ_ARGUMENTS: Final = _OF_OBJECTS | names("mypy ruff tsc pytest swift dotnet")
"""Tools that read more arguments from the file in `@file`."""
_READ_OPERANDS: Final = _OF_OBJECTS | names("rustc swiftc nasm yasm")
"""Tools that read each operand, whatever its name, and print its text or the lines that they do not understand."""
_PACKERS: Final = names("npm pnpm yarn bun")
_PACKING: Final = names("pack publish")
_PACKS: Final[Mapping[str, frozenset[str]]] = {
    **dict.fromkeys(("uv", "poetry", "hatch", "flit", "pdm", "gem"), names("build")),
    **dict.fromkeys(("pip", "pip3"), names("wheel")),
    "cargo": names("package publish"), "composer": names("archive"), "dotnet": names("pack"),
}  # fmt: skip
"""Package managers, and their commands that copy files of the project into a package."""
_REWRITES: Final[Mapping[str, frozenset[str]]] = {
    **dict.fromkeys(("shfmt", "goimports", "gofumpt"), names("-w --write")),
    **dict.fromkeys(("sqlfluff", "zig"), names("fix format fmt")),
    **dict.fromkeys(("semistandard", "markdownlint"), names("--fix")),
    **dict.fromkeys(("ktlint", "djlint"), names("-F --format --reformat")),
    **dict.fromkeys(("scalafmt", "mdformat", "stylua"), frozenset[str]()),
}
"""Formatters that no table describes, and the words with which they change files of the working directory; none: they
always do."""
_GOALS: Final[Mapping[str, re.Pattern[str]]] = {
    "mvn": re.compile(r"[a-z][\w.-]*:[\w.:-]+|deploy|install|site|site-deploy"),
    "gradle": re.compile(r"(?:\w*:)*(?:pub|upl|dep|rel|run|exec|inst)\w*", re.IGNORECASE),
    "tox": re.compile("exec|e"),
}
"""Words with which build tools publish, or run other programs."""
_REPORT_TO: Final[Mapping[str, re.Pattern[str]]] = {
    "pytest": re.compile(r"(?:--cov-report=)?(?:html|xml|json|lcov|annotate|markdown(?:-append)?):(.+)"),
    "pylint": re.compile(r"(?:--output-format=|-f)?[\w.,-]+:([^,]+).*"),
    "golangci-lint": re.compile(r"(?:--out-format=)?[\w-]+:([^,]+).*"),
    "mocha": re.compile(r"(?:.*[=,O])?(?:output|reportDir|mochaFile|reportFilename)=([^,]+).*"),
}
"""Words that name a format and, behind a colon, the file to write."""
_FORMAT_OPTION: Final = re.compile(r"(?:--output-f[a-z-]*=?|-f)")
_FORMAT_CLASS: Final = re.compile(r"(?:.*,)?\w+\.[\w.]+(?:[:,].*)?")
"""A format of `pylint` with a dot: a class in a module."""
_MAX_WORDS: Final = 200  # of a value
_OF_CMAKE: Final = ("CMakeCache.txt", "*.cmake", "Makefile", "*.ninja")
MAKEFILES: Final = ("Makefile", "makefile", "GNUmakefile")
_TAKE_FOLDERS: Final = names("tar copy_directory copy_directory_if_different copy_directory_if_newer cat copy")
"""Commands of `cmake -E` that read folders, or whole files."""
_PLAIN_MAKE: Final = re.compile(r"-j\d*|-[skwB]|--silent|--no-print-directory|--always-make")
_PLAIN_TASKS: Final[Mapping[str, re.Pattern[str]]] = {
    "gradle": re.compile(
        r"(?:[\w-]*:)*(?:test|check|build|assemble|clean|(?:test)?[cC]lasses|compile\w*|jar|lint\w*|javadoc|help|tasks"
        r"|(?:spotless|ktlint)Check|detekt|checkstyle\w*|pmd\w*|integrationTest|dependencies|projects|properties)"
    ),
    "cmake": re.compile(r"all|test|tests|check|build|clean|lint|help|ALL_BUILD|RUN_TESTS|RUN_TEST"),
    "dotnet": re.compile(r"build|rebuild|clean|restore|compile|vstest|test", re.IGNORECASE),
}
"""Tasks that only test and build, beyond those that rules name."""
_LOOKS_ONLY: Final = names("-n --dry-run --just-print --recon --dry")
_NEXTEST: Final = names("run r list show-config help")


def usage_by_appearance(name: str, args: Sequence[Field]) -> CommandUsage:
    """Return the usage of a tool of the project, or of an unknown command. Arguments that look like paths are treated
    as paths."""
    table = PROJECT.get(name)
    found = parse_arguments(name, args, table) if table else ParsedArguments(operands=list(args))
    usage = usage_of(found, table) if table else CommandUsage()
    plain = {id(each) for each in found.plain}
    usage.possible += [arg for arg in args if id(arg) not in plain]
    for arg in args:
        if not arg.known and not arg.number:
            usage.doubt(f"the value of `{arg.source}` is not known")
        parts = list(path_like_parts(arg))
        usage.touch([arg] if arg.is_input else [], "read" if table else "any")
        usage.paths.extend((part, "read" if table else "any") for part in parts)
        usage.words += [arg] if not table and (not parts or " " in arg.text) else []
        usage.words += names_in_parts(arg) if not table and parts else []
        if _FILE_NAME.fullmatch(arg.text):
            usage.touch([arg], "read" if table else "any")
        elif not table and (value := _VALUE.fullmatch(arg.text)) and _FILE_NAME.fullmatch(value[1]):
            usage.touch([Field(value[1], arg.known)], "any")
        if arg.pattern is not None and not parts:
            usage.paths.append((arg, "read" if table else "any"))
    _touch_values(args, table, usage)
    touch_folders_of_results(name, args, found, table, usage)
    usage.words += values_of_unlisted(args, table) if table else []
    touch_hooks(name, args, usage)
    touch_unpacked(name, args, usage)
    _find_files(name, usage)
    _doubt_values(name, args, usage, table)
    _touch_parts_of_words(name, args, usage, table)
    with_trees(name, found, table or spec(strict=False), usage)
    if name in _READ_OPERANDS:
        usage.touch(found.operands, "read")
    if name == "make":
        _make(args, found, usage)
    _write_results(name, args, found, usage)
    _load_formats(name, args, usage)
    _judge_words(name, args, usage, table)
    _judge_tasks(name, found, usage)
    if table and table.sets and any("=" in arg.text and not arg.text.startswith("-") for arg in args):
        usage.doubt(f"`{name}` gets a variable, which can change what runs")
    return usage


def _touch_parts_of_words(name: str, args: Sequence[Field], usage: CommandUsage, table: ArgumentSpec | None) -> None:
    """Record files of which words say only the ending, and files that code of TeX in a word names."""
    if not (table and takes_trees(name)):
        touch_kinds(args, usage)
    if name in TEX:
        usage.touch((each for arg in args for each in _files_of_tex(arg)), "any")


def _files_of_tex(word: Field) -> Iterator[Field]:
    """Yield the files that a word of a program of TeX names, if it is code."""
    if SIGN in word.text:
        for each in (*files_of_tex(word.text), *files_of_lua(word.text)):
            yield Field(each, word.known)


def _doubt_values(name: str, args: Sequence[Field], usage: CommandUsage, table: ArgumentSpec | None) -> None:
    """Add a doubt if the value of an option that no table describes may be code or a command."""
    if not table and gives_code(args):
        usage.doubt(f"`{name}` may run code from its arguments")
    if not table and runs_input(name, args):
        usage.doubt(f"`{name}` runs the commands in what it reads")
    if follows_input(name, args):
        usage.doubt(f"`{name}` reads the files that its input names")
    if starts_debugger(name, args):
        usage.doubt(f"`{name}` starts a debugger, which runs the code in its input")
    if reports_elsewhere(name, args):
        usage.doubt(f"`{name}` uses an account or a server")
        usage.spellings.append([*map(Field, USUAL)])
    if option := gives_command(args, table):
        usage.doubt(f"`{name} {option}` may set what runs")


def _touch_values(args: Sequence[Field], table: ArgumentSpec | None, usage: CommandUsage) -> None:
    """Record the words of a value that is a list of options or files: `CFLAGS='-MMD -MF HEAD'`."""
    for arg in args:
        name, equals, value = arg.text.partition("=")
        sets = bool(table and table.sets and equals and name[:1] != "-")
        words = (value if equals else name).split()
        if sets or (len(words) > 1 and any(each.startswith("-") for each in words)):
            fields = [Field(each, arg.known) for each in words[:_MAX_WORDS]]
            usage.possible += fields
            usage.words += fields


def _find_files(name: str, usage: CommandUsage) -> None:
    """Mark the analysis as incomplete for programs that choose by a pattern, or read from their input, the files that
    they use. Renaming programs may also write any file below the working directory."""
    if name in _RENAMERS:
        usage.trees.append(UnnamedTree(Field("."), "write", "made"))
        usage.doubt(f"`{name}` chooses new names by a pattern or by code")
    if name in _OF_OBJECTS:
        usage.doubt(f"`{name}` reads files that its input names")


def _write_results(name: str, args: Sequence[Field], found: ParsedArguments, usage: CommandUsage) -> None:
    """Record the files that build tools write into the working directory, or into another one."""
    if name == "cmake" and [each.text for each in args[:1]] == ["-E"]:
        _use_of_cmake(args[1:], usage)
    if name == "cmake" and not found.has("-B", "--build", "-P", "-E", "--install", "--open", "--version", "--help"):
        usage.trees.append(UnnamedTree(Field("."), "write", "made", _OF_CMAKE))
    if name == "ctest":
        tops = found.values_of("--test-dir") or [Field(".")]
        usage.trees += [UnnamedTree(top, "write", "made", ("LastTest*.log", "CTestCostData.txt")) for top in tops]
    if name in _LINKERS and not found.has("-o", "--output"):
        usage.touch([Field("a.out")], "write")


def _use_of_cmake(args: Sequence[Field], usage: CommandUsage) -> None:
    """Record the folders and files that a command of `cmake -E` reads or unpacks."""
    action, *rest = [each.text for each in args[:2]] or [""]
    if action in _TAKE_FOLDERS:
        usage.touch([each for each in args[1:] if each.text[:1] != "-"], "tree")
    if any(each.text.startswith("--files-from") for each in args):
        usage.touch([Field(".")], "tree")
    if action == "tar" and "x" in "".join(rest):
        usage.trees.append(UnnamedTree(Field("."), "write", "nothing"))


def _load_formats(name: str, args: Sequence[Field], usage: CommandUsage) -> None:
    """Record that `pylint` imports the module of an output format such as `module.Class`, and so runs its code."""
    for before, arg in pairwise([Field(""), *args]) if name == "pylint" else ():
        option = _FORMAT_OPTION.match(arg.text)
        value = arg.text if _FORMAT_OPTION.fullmatch(before.text) else arg.text[option.end() :] if option else ""
        if _FORMAT_CLASS.fullmatch(value):
            usage.doubt("`pylint` loads a format from a module")


def _make(args: Sequence[Field], found: ParsedArguments, usage: CommandUsage) -> None:
    if all((arg.known and not arg.text.startswith("-")) or _PLAIN_MAKE.fullmatch(arg.text) for arg in args):
        usage.canonical = [Field("make"), *(arg for arg in args if not arg.text.startswith("-"))]
    usage.runs += [Field(each) for each in MAKEFILES]
    looks = found.has(*_LOOKS_ONLY)
    goals = [each for each in found.operands if "=" not in each.text and not looks]
    usage.words += goals
    for each in goals:  # also by implicit rules: `make a.lock` copies `a.lock.sh`
        folder, slash, base = each.text.rpartition("/")
        if slash or _FILE_NAME.fullmatch(base):
            usage.trees.append(
                UnnamedTree(Field(folder or slash or ".", each.known), "write", "made", (base,), flat=True)
            )
    usage.touch(found.values_of("-I", "--include-dir"), "tree")


def _run_goal_of_maven(args: Sequence[Field], usage: CommandUsage) -> None:
    """Record the program that Maven's goal `exec:exec` runs, if properties on the command line name the program."""
    given = dict(each.text.removeprefix("-D").split("=", 1) for each in args if re.match(r"-Dexec\.\w+=", each.text))
    if program := given.get("exec.executable"):
        usage.inner.append([Field(program), *map(Field, given.get("exec.args", "").split())])


def _judge_words(name: str, args: Sequence[Field], usage: CommandUsage, table: ArgumentSpec | None) -> None:
    words = [arg.text for arg in args]
    if name == "cmake" and "--" in words:
        usage.doubt("`cmake --build` passes options on to another program")
    if name in _READ_ARGUMENTS and any(word.startswith("@") for word in words):
        usage.doubt(f"`{name}` reads more arguments from a file")
        usage.touch([Field(each.text[1:], each.known) for each in args if each.text.startswith("@")], "read")
    plain = [word for word in words if word[:1] != "-"]
    judged = plain[1:] if name in {"mvn", "gradle"} else words  # the first goal is judged by its name
    if table and "--" in words:
        usage.words += args[words.index("--") + 1 :]
    touch_recorded(name, args, usage)
    if name == "mvn":
        _run_goal_of_maven(args, usage)
    _judge_projects(name, args, usage)
    if name in _GOALS and any(map(_GOALS[name].fullmatch, judged)):
        usage.doubt(f"`{name}` does more than build and test")
    if name == "cargo" and plain[:1] == ["nextest"] and not _NEXTEST.issuperset(plain[1:2]):
        usage.doubt("`cargo nextest` does more than test")
    for report in filter(None, map(_REPORT_TO[name].fullmatch, words)) if name in _REPORT_TO else ():
        usage.touch([Field(report[1])], "output")


def _judge_projects(name: str, args: Sequence[Field], usage: CommandUsage) -> None:
    """Record the files of the project that a command copies into a package, or rewrites."""
    words = [arg.text for arg in args]
    plain = [word for word in words if word[:1] != "-"]
    if name in _PACKERS and not _PACKING.isdisjoint(plain):
        usage.touch([part for each in args for part in path_like_parts(each)] or [Field(".")], "tree")
    if name in _PACKS and _PACKS[name].intersection(plain[:1]):
        usage.trees.append(UnnamedTree(Field("."), "read", "worktree"))
    if name in _REWRITES and (not _REWRITES[name] or _REWRITES[name] & {*words}):
        usage.trees.append(UnnamedTree(Field("."), "write", "worktree"))


def _judge_tasks(name: str, found: ParsedArguments, usage: CommandUsage) -> None:
    """Add each task of a build tool to the usage, so that all tasks are judged and not only the first."""
    operands = [each for each in found.operands if "=" not in each.text]
    before = {"turbo": 1, "zig": 1}.get(name, 0)
    if name in {"make", "rake", "gradle", "turbo", "zig"}:
        tasks = operands[before:]
        is_plain = _PLAIN_TASKS.get(name)
        looks = name in {"make", "rake"} and found.has(*_LOOKS_ONLY)
        if any(map(may_split, tasks)):
            usage.doubt(f"it is not known what `{name}` runs")
        others = [each for each in tasks if not (is_plain and is_plain.fullmatch(each.text))]
        if len(tasks) > 1 and not looks:
            usage.tasks += [[Field(name), *operands[:before], each] for each in others]
    elif name in {"cmake", "dotnet"}:
        targets = found.values_of("-t", "-target", "--target") + (found.operands if name == "cmake" else [])
        builds = name == "dotnet" or found.has("--build")
        named = [part for each in targets for part in re.split("[;,]", each.text) if part]
        if builds and not all(map(_PLAIN_TASKS[name].fullmatch, named)):
            usage.doubt(f"`{name}` builds a target that may do more than build and test")
