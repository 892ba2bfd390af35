"""Arguments of `git`: global options, read-only subcommands, and files and programs that other subcommands write or
run."""

import re
from collections.abc import Sequence
from typing import Final

from tools_app.permission.names import names
from tools_app.permission.shell import tables_git as git_tables
from tools_app.permission.shell.commands_in_options import commands_in_options
from tools_app.permission.shell.copying import names_of_copies
from tools_app.permission.shell.git_branches import new_branches
from tools_app.permission.shell.git_corrections import corrected
from tools_app.permission.shell.git_others import judge_operands, judge_other
from tools_app.permission.shell.git_places import touch_marks, touch_work_trees
from tools_app.permission.shell.git_trees import shown_trees
from tools_app.permission.shell.options import ParsedArguments, may_be_option, parse_arguments
from tools_app.permission.shell.path_like import path_like_parts
from tools_app.permission.shell.tables_git_changes import CHANGING, SECOND_WORDS
from tools_app.permission.shell.usage import CommandUsage, UnnamedTree, usage_of
from tools_app.permission.shell.words import Field
from tools_app.secret_paths import PROTECTED_NAMES

SETTINGS: Final = ".git/config"
_INCLUDES: Final = re.compile(r"include(?:if\..*)?\.path=(?!/dev/null$)")
_RUNS: Final = re.compile(
    r"(?:\w[^=]*\.)?(?:\w*(?:pager|editor|command|cmd|program|textconv|askpass|external)|pager\.[\w-]+|driver|clean|smudge"
    r"|process|helper)=[^!]",
    re.IGNORECASE,
)
"""A setting whose value is a command."""
_TRACKS: Final = re.compile(r"branch\.autosetup(?:merge=(?!false)|rebase=(?!never))|branch\.autosetup\w+$")
_MAKE_BRANCHES: Final = names("branch checkout switch worktree")


def git(args: Sequence[Field]) -> CommandUsage:
    found = parse_arguments("git", args, git_tables.GLOBAL)
    usage = CommandUsage(list(found.paths), list(found.doubts))
    usage.folders = [value for name, value in found.options if name == "-C" and value is not None]
    _run_aliases([setting.text for setting in found.values_of("-c")], found.rest[1:], usage)
    usage.paths += [(Field(SETTINGS), "write")] * any(map(_INCLUDES.match, _settings_of(found)))
    if any(name in {"--git-dir", "--work-tree"} for name, _ in found.options):
        usage.doubt("git uses the settings of another directory")
    rest = found.rest
    usage.canonical = [Field("git"), *rest]
    if not rest:
        return usage
    if found.doubts and rest[1:]:  # an option that no table lists may take the first word as its value
        usage.spellings.append([Field("git"), *rest[1:]])
    name, arguments = rest[0].text, rest[1:]
    if not rest[0].known:
        return usage.doubt("the subcommand of git is not known")
    inner = _git_command(name, arguments)
    _touch_places(found, usage)
    if name in _MAKE_BRANCHES and any(map(_TRACKS.match, _settings_of(found))):
        inner.touch([Field(SETTINGS)], "write")
    if name in {"init", "clone"} and any(each.startswith("init.templatedir") for each in _settings_of(found)):
        inner.touch([Field(".git/hooks")], "write")
    usage.paths += inner.paths
    usage.doubts += inner.doubts
    usage.links += inner.links
    usage.copied_links += inner.copied_links
    usage.trees += [*inner.trees, *shown_trees(name, arguments)]
    usage.possible += inner.possible
    usage.inner += inner.inner
    usage.texts += commands_in_options(f"git {name}", arguments) if usage.doubts else []
    usage.branches += inner.branches
    usage.patches += inner.patches
    if any("%G" in each.text or each.text.startswith("--show-sig") for each in arguments):
        usage.inner.append([Field("gpg"), Field("--verify")])
    usage.spellings += inner.spellings
    usage.only = inner.only
    usage.deep = inner.deep
    if name in git_tables.READING:
        usage.of_repository = [path for each in arguments for path in _paths_in_revision(each)]
        usage.lists_revisions = name in _SHOWS_FOLDERS
    return usage


def _touch_places(found: ParsedArguments, usage: CommandUsage) -> None:
    """Add what a command of git changes where its options say: files of a working tree, and lists of marks."""
    name, arguments = found.rest[0].text, found.rest[1:]
    if name not in git_tables.READING:
        touch_work_trees(found, usage)
    if name == "fast-import":
        touch_marks(arguments, usage)


def _settings_of(found: ParsedArguments) -> list[str]:
    return [each.text.lower() for each in found.values_of("-c")]


def _run_aliases(settings: Sequence[str], arguments: Sequence[Field], usage: CommandUsage) -> None:
    """Add the commands that settings such as `alias.x=!rm f` and `alias.x=push` stand for. git appends the arguments
    to both. Add those that other settings run, too (`core.pager=x`)."""
    usage.texts += [Field(each.partition("=")[2]) for each in settings if _RUNS.match(each)] if usage.doubts else []
    for value in filter(str.strip, (each.partition("=")[2] for each in settings)):
        name = [] if value[0] == "!" else [Field("git")]
        usage.spellings.append([*name, *map(Field, value.removeprefix("!").split()), *arguments])
        if value[0] == "!":
            usage.texts.append(Field(f'{value[1:]} "$@"'))
            usage.parameters = [Field(value), *arguments]


def _paths_in_revision(word: Field) -> list[Field]:
    """Return the possible paths in `<revision>:<path>`, `:<stage>:<path>` or `-L<lines>:<path>`."""
    if word.text.startswith("-") and not word.text.startswith("-L"):
        return []
    ends = [match.end() for match in re.finditer(":", word.text)]
    return [Field(word.text[end:], word.known) for end in ends if word.known and word.text[end:]]


def _git_command(name: str, arguments: Sequence[Field]) -> CommandUsage:
    table = git_tables.READING.get(name)
    if table is None:
        return _git_other(name, arguments)
    found = parse_arguments(f"git {name}", [_revision(each) for each in arguments], table)
    if name != "blame" and not (name == "diff" and found.has("--no-index")):
        found.operands = [operand for operand in found.operands if not _is_revision(operand)]
    usage = usage_of(found, table)
    if name == "diff" and (found.has("--no-index") or any(map(_may_lead_outside, found.operands))):
        usage.deep = True  # git compares folders outside of the repository without `--no-index`, too
    if name == "var" and found.has("-l"):
        usage.touch([Field(".git/config")], "read")
    if name == "grep":
        usage.deep = True
        _run_pager(arguments, found, usage)
        named = found.operands[0 if found.has("-e", "-f") else 1 :]
        _expand_pathspecs(named, usage)
        if not named and found.has("--no-index", "--untracked"):
            usage.touch([Field(".")], "tree")
    return usage


def _run_pager(arguments: Sequence[Field], found: ParsedArguments, usage: CommandUsage) -> None:
    """Add to `usage` the command that `git grep -O<program>` runs: the program with the matching files as arguments."""
    for each in arguments:
        if each.known and (program := _PAGER.fullmatch(each.text)):
            named = [word for word in found.operands if list(path_like_parts(word))]
            usage.inner.append([*map(Field, program[1].split()), *(named or found.operands[1:] or [Field(".")])])


def _revision(current: Field) -> Field:
    """Return the file name of `<revision>:<path>`, because `HEAD:.env` shows a file. Other words are returned
    unchanged."""
    if (
        current.known
        and not current.text.startswith("-")
        and ":" in current.text[1:]
        and "/" not in current.text.split(":")[0]
    ):
        return Field(current.text.partition(":")[2] or ".", source=current.source)
    return current


def _may_lead_outside(current: Field) -> bool:
    return current.text.startswith(("/", "~")) or _goes_up(current)


def _goes_up(current: Field) -> bool:
    return ".." in current.text.split("/")


def _is_revision(current: Field) -> bool:
    if _goes_up(current):
        return False
    return bool(re.search(r"\.\.|[~^@{]|^HEAD$|^-$", current.text)) and not current.text.startswith(
        ("../", "/", "~", "./")
    )


def _expand_pathspecs(operands: Sequence[Field], usage: CommandUsage) -> None:
    """Record that `git grep` reads the directory tree if an operand is a pattern, because git expands patterns
    itself."""
    if any(_PATHSPEC.search(each.text) for each in operands):
        usage.touch([Field(".")], "tree")
        endings = [_ENDING.fullmatch(each.text) for each in operands if not _EXCLUDES.match(each.text)]
        usage.only_names(each[1] for each in endings if each) if all(endings) else None


_PAGER: Final = re.compile(r"(?:-[A-Za-z]*O|--open[a-z-]*=)(\S.*)")
_ENDING: Final = re.compile(r"[\w/.-]*(\*\.\w+)")
_EXCLUDES: Final = re.compile(r":[!^](?!:)")
"""A pathspec that only leaves files out."""
_PATHSPEC: Final = re.compile(r"[*?\[\\]|^:")
_RISKS: Final = re.compile(r"--(?:upload-pack|receive-pack|exec|template|output|ext-diff|textconv|config)\b|ext::")
_TREE: Final = names(
    "am apply checkout cherry-pick clean merge pull rebase read-tree checkout-index reset restore revert rm stash"
    " switch submodule sparse-checkout bisect"
)
"""Commands that may write or remove any file of the working tree."""
_GOES_ON: Final = names("--abort --continue --quit --resolved --skip -r --show-current-patch")
"""Options with which `git am` gets no new patch."""
_PATHS: Final = names("rm mv restore clean")
"""Commands whose operands are the paths that they write; without any, all files."""
_SHOWS_FOLDERS: Final = names("show cat-file diff grep")
"""Commands that show the names in a folder of a revision (`git show HEAD:src`)."""
_HARMLESS_SETTINGS: Final = re.compile(
    r"(?:user\.(?:name|email)|color\..*|init\.defaultbranch|pull\.rebase)", re.IGNORECASE
)
_READS_SETTINGS: Final = names("--get --get-all --get-regexp --list -l --show-origin --show-scope")
_SETTING_VALUES: Final = names("-f --file --blob --type --default")
"""Options of `git config` that take the next word."""


def _git_config(arguments: Sequence[Field]) -> CommandUsage:
    """Return the usage of `git config`. Settings may name programs that git runs, so writing most of them makes the
    analysis incomplete."""
    usage = CommandUsage()
    words = [each.text for each in arguments]
    plain = [each for each in words if not each.startswith("-")]
    options = _leading_options(words)
    usage.paths.extend((part, "read") for each in arguments for part in path_like_parts(each))
    usage.possible += arguments
    if options & _READS_SETTINGS or (len(plain) == 1 and len(words) == 1):
        if "--get-regexp" in options or not (plain and all(map(_HARMLESS_SETTINGS.fullmatch, plain))):
            usage.paths.append((Field(".git/config"), "read"))  # a remote's URL may contain a password
        return usage
    if not (plain and all(each.known for each in arguments) and _HARMLESS_SETTINGS.fullmatch(plain[0])):
        usage.doubt("`git config` changes a setting that may name a program")
    usage.paths.append((Field(".git/config"), "write"))
    return usage


def _leading_options(words: Sequence[str]) -> set[str]:
    """Return the options before the first operand. `git config` treats an option after the name of a setting as its
    value."""
    found: set[str] = set()
    rest = list(words)
    while rest and rest[0].startswith("-"):
        word = rest.pop(0)
        found.add(word)
        if word in _SETTING_VALUES:
            rest[:1] = []
    return found


def _git_other(name: str, arguments: Sequence[Field]) -> CommandUsage:
    if name == "config":
        return _git_config(arguments)
    usage = CommandUsage()
    listing = arguments[0].text if arguments and arguments[0].known else ""
    listed = listing in git_tables.LISTING_WORDS.get(name, ())
    by_words = name in {"rebase", "bisect", "submodule"}
    if name in git_tables.RUNNING and not listed and (not by_words or _runs(arguments)):
        usage.doubt(f"`git {name}` can run programs")
    if name in git_tables.LINKING and not listed:
        usage.links.append(Field("."))
    found = _parsed(name, arguments, usage)
    _judge_words(name, arguments, usage)
    _judge_places(name, arguments, found, usage)
    judge_other(name, arguments, in_table=name in CHANGING or (name, listing) in SECOND_WORDS, usage=usage)
    judge_operands(name, listing, found, usage)
    usage.spellings += corrected(name, arguments)
    usage.branches += new_branches(name, listing, arguments, found)
    if name == "init" and not found.operands:
        usage.paths.append((Field("."), "write"))
    if name in {"hash-object", "update-index"}:  # what is stored can be shown later
        usage.possible += arguments
    if name in {"add", "rm", "mv", "restore", "checkout"}:
        usage.touch([each for each in found.operands if not list(path_like_parts(each))], "names")
    if name == "mv":  # they could be read under their new names
        usage.touch(found.operands[:-1], "tree")
        usage.copied_links += names_of_copies(found.operands[:-1], found.operands[-1:])
    if name in {"multi-pack-index", "commit-graph"}:
        usage.touch([Field(each.text.partition("=")[2]) for each in arguments if "=" in each.text], "folder")
    if not listed and _changes_files(name, listing, found):
        _write_tree(name, found, usage)
    return usage


def _judge_places(name: str, arguments: Sequence[Field], found: ParsedArguments, usage: CommandUsage) -> None:
    """Record the patches that `git format-patch` writes, and the machines that `git remote show` connects to."""
    words = [each.text for each in arguments]
    if name == "remote" and words[:1] == ["show"] and any(":" in each for each in words):
        usage.doubt("`git remote show` connects to another machine")
    if name == "format-patch" and not found.has("--stdout"):
        folder = (found.values_of("-o", "--output-directory") or [Field(".")])[-1]
        usage.trees.append(UnnamedTree(folder, "write", "revisions", ("*.patch",), flat=True))


def _judge_words(name: str, arguments: Sequence[Field], usage: CommandUsage) -> None:
    for argument in arguments:
        usage.paths.extend((part, "names") for part in path_like_parts(argument))
        if _RISKS.match(argument.text):
            usage.doubt(f"`git {name} {argument.text}` can run programs")
        if name in {"branch", "tag"} and argument.text.startswith("--no-l"):
            usage.doubt(f"`git {name} --no-list` takes an earlier `--list` back")


def _parsed(name: str, arguments: Sequence[Field], usage: CommandUsage) -> ParsedArguments:
    """Parse a git command's arguments by its table of options, and record the files that values of options name."""
    second = arguments[0] if arguments and arguments[0].known else None
    table = SECOND_WORDS.get((name, second.text)) if second else None
    if table is not None:
        found = parse_arguments(f"git {name}", arguments[1:], table)
    elif name in CHANGING:
        table = CHANGING[name]
        found = parse_arguments(f"git {name}", arguments, table)
    else:
        found = ParsedArguments(operands=[each for each in arguments if not each.text.startswith("-")])
        for each in arguments:
            if may_be_option(each):
                usage.doubt(f"`{each.source}` may expand to an option of git")
        return found
    own = usage_of(found, table)
    usage.paths += own.paths
    usage.doubts += own.doubts
    usage.deep = own.deep
    return found


def _changes_files(name: str, second: str, found: ParsedArguments) -> bool:
    """Return whether the command may write or remove files of the working tree."""
    if name == "mv":
        return found.has("--no-dry-run") or not found.has("-n", "--dry-run")
    if name not in _TREE:
        return False
    has = found.has
    if name == "apply":
        return has("--apply") or not has("--check", "--stat", "--numstat", "--summary", "--cached")
    if name in {"checkout", "switch"}:
        return bool(found.operands) or not has("-b", "-c", "--create", "--orphan")
    if name == "reset":
        return has("--hard", "--merge", "--keep")
    if name == "restore":
        return has("-W", "--worktree") or not has("-S", "--staged")
    if name == "stash":
        return second not in {"drop", "clear", "create", "store"}
    return has("--no-dry-run") or not has("-n", "--dry-run", "--cached") if name in {"rm", "clean"} else True


def _write_tree(name: str, found: ParsedArguments, usage: CommandUsage) -> None:
    """Record that files of the working tree are written: those below the named paths, or any file of the repository."""
    named = found.rest or (found.operands if name in _PATHS else [])
    restores = name == "checkout" and len(found.operands) == len(found.rest)
    if name == "checkout" and not named and all(each.known and each.text.startswith(".") for each in found.operands):
        named, restores = found.operands, True
    current = (
        restores or name in {"rm", "mv", "checkout-index"} or (name == "restore" and not found.has("-s", "--source"))
    )
    tops: Sequence[Field | None] = [None] if not named or any(map(_is_pathspec, named)) else named
    if name == "clean" and found.has("-x", "-X"):  # ignored files, too, where people keep secrets
        usage.trees += [UnnamedTree(top or Field("."), "write", "files", PROTECTED_NAMES) for top in tops]
    if name in {"am", "apply"} and not found.has(*_GOES_ON):
        usage.patches += found.operands
        if not found.operands or not all(each.known and each.pattern is None for each in found.operands):
            usage.trees.append(UnnamedTree(Field("."), "write", "nothing"))  # a patch may have any names
    usage.trees += [UnnamedTree(top, "write", "index" if current else "revisions") for top in tops]


def _is_pathspec(word: Field) -> bool:
    return word.pattern is None and bool(_PATHSPEC.search(word.text))


def _runs(arguments: Sequence[Field]) -> bool:
    words = {each.text for each in arguments}
    return bool(words & {"run", "foreach", "-x", "--exec"}) or any(not each.known for each in arguments)
