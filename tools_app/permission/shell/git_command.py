"""Arguments of `git`: global options, read-only subcommands, and what the other subcommands may run or write."""

import re
from collections.abc import Sequence
from typing import Final

from tools_app.permission.shell import tables_git as git_tables
from tools_app.permission.shell.names import names
from tools_app.permission.shell.options import parse_arguments, path_like_parts
from tools_app.permission.shell.usage import CommandUsage, usage_of
from tools_app.permission.shell.words import Field


def git(args: Sequence[Field]) -> CommandUsage:
    found = parse_arguments("git", args, git_tables.GLOBAL)
    usage = CommandUsage(list(found.paths), list(found.doubts))
    usage.folders = [value for name, value in found.options if name == "-C" and value is not None]
    if any(name in {"--git-dir", "--work-tree"} for name, _ in found.options):
        usage.doubt("git uses the settings of another directory")
    rest = found.rest
    usage.canonical = [Field("git"), *rest]
    if not rest:
        return usage
    name, arguments = rest[0].text, rest[1:]
    if not rest[0].known:
        return usage.doubt("the subcommand of git is not known")
    inner = _git_command(name, arguments)
    usage.paths += inner.paths
    usage.doubts += inner.doubts
    usage.links += inner.links
    usage.only = inner.only
    usage.deep = inner.deep
    return usage


def _git_command(name: str, arguments: Sequence[Field]) -> CommandUsage:
    table = git_tables.READING.get(name)
    if table is None:
        return _git_other(name, arguments)
    found = parse_arguments(f"git {name}", [_revision(each) for each in arguments], table)
    if name != "diff" or not found.has("--no-index"):
        found.operands = [operand for operand in found.operands if not _is_revision(operand)]
    usage = usage_of(found, table)
    if name == "grep":
        usage.deep = True
        _expand_pathspecs(found.operands[0 if found.has("-e", "-f") else 1 :], usage)
    return usage


def _revision(current: Field) -> Field:
    """Return the file name of `<revision>:<path>`; other words are returned as they are. `HEAD:.env` shows a file."""
    if (
        current.known
        and not current.text.startswith("-")
        and ":" in current.text[1:]
        and "/" not in current.text.split(":")[0]
    ):
        return Field(current.text.partition(":")[2] or ".", source=current.source)
    return current


def _is_revision(current: Field) -> bool:
    return bool(re.search(r"\.\.|[~^@{]|^HEAD$|^-$", current.text)) and not current.text.startswith(
        ("../", "/", "~", "./")
    )


def _expand_pathspecs(operands: Sequence[Field], usage: CommandUsage) -> None:
    """Record that `git grep` reads the tree if an operand is a pattern: git expands patterns itself."""
    if any(_PATHSPEC.search(each.text) for each in operands):
        usage.touch([Field(".")], "tree")
        endings = [_ENDING.fullmatch(each.text) for each in operands]
        usage.only_names(each[1] for each in endings if each) if all(endings) else None


_ENDING: Final = re.compile(r"[\w/.-]*(\*\.\w+)")
_PATHSPEC: Final = re.compile(r"[*?\[\\]|^:")
_GIT_RISKS: Final = re.compile(
    r"--(?:upload-pack|receive-pack|exec|template|output|ext-diff|textconv|config)\b|-u$|-x$|-c$|ext::"
)
_GIT_WRITES: Final = frozenset({"archive", "bundle", "format-patch", "init", "clone", "worktree"})
_HARMLESS_SETTINGS: Final = re.compile(
    r"(?:user\.(?:name|email)|color\..*|init\.defaultbranch|pull\.rebase)", re.IGNORECASE
)
_READS_SETTINGS: Final = names("--get --get-all --get-regexp --list -l --show-origin --show-scope")


def _git_config(arguments: Sequence[Field]) -> CommandUsage:
    """Return the usage of `git config`. Settings may name programs that git runs, so writing adds a doubt."""
    usage = CommandUsage()
    words = [each.text for each in arguments]
    plain = [each for each in words if not each.startswith("-")]
    usage.paths.extend((part, "read") for each in arguments for part in path_like_parts(each))
    if set(words) & _READS_SETTINGS or (len(plain) == 1 and len(words) == 1):
        if not (plain and all(map(_HARMLESS_SETTINGS.fullmatch, plain))):
            usage.paths.append((Field(".git/config"), "read"))  # a remote's URL may contain a password
        return usage
    if not (plain and all(each.known for each in arguments) and _HARMLESS_SETTINGS.fullmatch(plain[0])):
        usage.doubt("`git config` changes a setting that may name a program")
    usage.paths.append((Field(".git/config"), "write"))
    return usage


def _git_other(name: str, arguments: Sequence[Field]) -> CommandUsage:
    if name == "config":
        return _git_config(arguments)
    usage = CommandUsage()
    listing = arguments[0].text if arguments else ""
    listed = listing in git_tables.LISTING_WORDS.get(name, ())
    by_words = name in {"rebase", "bisect", "submodule"}
    if name in git_tables.RUNNING and not listed and (not by_words or _runs(arguments)):
        usage.doubt(f"`git {name}` can run programs")
    if name in git_tables.LINKING and listing not in git_tables.LISTING_WORDS.get(name, ()):
        usage.links.append(Field("."))
    for argument in arguments:
        if not argument.known and argument.split:
            usage.doubt(f"`{argument.source}` may expand to an option of git")
        usage.paths.extend((part, "names") for part in path_like_parts(argument))
        if re.match(
            r"--(?:upload-pack|receive-pack|exec|template|output|ext-diff|textconv|config)\b|-u$|-x$|-c$|ext::",
            argument.text,
        ):
            usage.doubt(f"`git {name} {argument.text}` can run programs")
    if name == "init" and not any(not each.text.startswith("-") for each in arguments):
        usage.paths.append((Field("."), "write"))
    if name in _GIT_WRITES:
        usage.touch([each for each in arguments if not each.text.startswith("-")], "write")
    if name in {"add", "rm", "mv", "restore", "checkout"}:
        usage.touch(
            [each for each in arguments if not each.text.startswith("-") and not list(path_like_parts(each))], "names"
        )
    return usage


def _runs(arguments: Sequence[Field]) -> bool:
    words = {each.text for each in arguments}
    return bool(words & {"run", "foreach", "-x", "--exec"}) or any(not each.known for each in arguments)
