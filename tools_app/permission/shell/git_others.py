"""Git commands that no table describes: the files that they may read and write, the programs that they may run, and
their pushes."""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Final

from tools_app.permission.names import names
from tools_app.permission.shell.hook_tools import touch_hooks_of_git
from tools_app.permission.shell.options import ParsedArguments, may_split
from tools_app.permission.shell.start_files import touch_start_files
from tools_app.permission.shell.usage import CommandUsage, UnnamedTree
from tools_app.permission.shell.words import Field

_SETTINGS: Final = ".git/config"
_PASSWORDS: Final = "/home/agent/.git-credentials"
_HOOKS: Final = ".git/hooks"
_ALL: Final = re.compile(r"(?:--m\w*=)?all")
_DIAGNOSES: Final = re.compile(r"--d\w*=a.*")
"""The option with which `git bugreport` packs the settings of the repository."""
_OF_HOME: Final = "/home/agent/.gitconfig"
NO_FILES: Final = names(
    "remote notes reflog worktree submodule lfs bisect stash column stripspace write-tree prune pack-refs repack"
    " replace verify-commit verify-tag commit-graph multi-pack-index rerere show-branch check-ref-format"
    " check-mailmap help version maintenance flow subtree merge-tree merge-base mktree mktag patch-id send-pack"
    " http-push push-all ls-remote for-each-repo hook credential unpack-objects update-server-info get-tar-commit-id"
    " config"
)
"""Commands whose operands are revisions, names or addresses, or are judged elsewhere."""
_PUSHES: Final = frozenset({("send-pack", ""), ("http-push", ""), ("subtree", "push"), ("lfs", "push")})
_CHANGE_SETTINGS: Final = frozenset(
    {
        *(("remote", each) for each in ("add", "set-url", "rename", "remove", "rm", "set-branches", "set-head")),
        *(("submodule", each) for each in ("init", "add", "sync", "deinit", "set-url", "set-branch", "absorbgitdirs")),
        *((each, "init") for each in ("annex", "flow", "svn")),
        *(("sparse-checkout", each) for each in ("init", "set", "add", "disable")),
        *(("maintenance", each) for each in ("register", "unregister", "start", "stop")),
        *(("lfs", each) for each in ("install", "uninstall", "update")),
    }
)
_UPSTREAM: Final = names("--set-upstream --set-upstream-to --track --unset-upstream --edit-description")
_INITIALIZES: Final = re.compile(r"--in|-i")
"""Options with which `git submodule update` also writes the settings of new submodules."""
_PREFIX: Final = re.compile(r"-P(?=.)|--p\w*=")
_SUBTREE_WRITES: Final = names("add pull merge")
_LFS_WRITES: Final = names("checkout clone migrate pull track untrack")
"""Commands of `git lfs` that write files of the working tree."""
_PUSHING: Final = names("push send-pack http-push")
_NAMES_UPSTREAM: Final = names("branch checkout fetch pull push switch")
"""Commands whose options `_UPSTREAM` change what `git pull` and `git push` do without arguments."""
_UPSTREAM_LETTERS: Final[Mapping[str, frozenset[str]]] = {
    "branch": names("-t -u"), "checkout": names("-t"), "push": names("-u"), "switch": names("-t"),
}  # fmt: skip
_ANOTHER_MACHINE: Final = re.compile(r"(?!file:)(?:\w[\w+.-]*://|[\w.@-]{2,}:)", re.IGNORECASE)
_INPUT: Final = "--st"
"""The shortest beginning of `--stdin` of `git update-ref`."""
_REVISION: Final = re.compile(r"[^/]\.\.|\.\.[^/.]|[~^@{]|HEAD")


def judge_other(name: str, arguments: Sequence[Field], *, in_table: bool, usage: CommandUsage) -> None:
    """Add the effects of a git command that changes settings, pushes without the name `push`, or is in no table."""
    words = [each.text for each in arguments]
    second = next((each for each in words if not each.startswith("-")), "")
    _spell(name, second, arguments, usage)
    initializes = (name, second) == ("submodule", "update") and any(map(_INITIALIZES.match, words))
    if (name, second) in _CHANGE_SETTINGS or initializes:
        usage.touch([Field(_SETTINGS)], "write")
    touch_hooks_of_git(name, arguments, usage)
    touch_start_files(f"git-{name}", arguments, usage)
    if name == "lfs" and (name, second) in _CHANGE_SETTINGS:
        usage.touch([Field(_HOOKS), *([Field(_OF_HOME)] if second != "update" else [])], "write")
    if name == "maintenance" and (name, second) in _CHANGE_SETTINGS:
        usage.doubt("`git maintenance` changes the settings of the home directory")
    _diagnose(name, words, usage)
    if name == "hash-object" and any(each.startswith("--stdin-p") for each in words):
        usage.doubt("`git hash-object` reads the names of files from its standard input")
        usage.trees.append(UnnamedTree(Field("."), "read", "nothing"))
    _touch_folders(name, words, second, arguments, usage)
    if name == "credential-store":
        usage.touch([Field(_PASSWORDS)], "any")
    if name == "symbolic-ref":  # a name that leads out of `.git` is that of a file
        out = [each for each in arguments if ".." in each.text.split("/")]
        usage.touch([Field(f".git/{each.text}", each.known) for each in out], "any")
    if name == "merge-index":
        _merge_index(arguments, usage)
    elif not in_table and name not in NO_FILES:
        usage.touch([part for each in arguments for part in _values(each)], "any")


def _touch_folders(
    name: str, words: Sequence[str], second: str, arguments: Sequence[Field], usage: CommandUsage
) -> None:
    """Record the files of the working tree that `git lfs` and `git subtree` write."""
    if name == "lfs":
        usage.touch([part for each in arguments if each.text != second for part in _values(each)], "any")
        usage.trees += [UnnamedTree(None, "write", "revisions")] if second in _LFS_WRITES else []
    if name == "subtree" and _SUBTREE_WRITES.intersection(words):
        usage.trees += [UnnamedTree(each, "write", "nothing") for each in _prefixes(arguments)]


def _prefixes(arguments: Sequence[Field]) -> Iterator[Field]:
    """Yield the folders of `git subtree`: `-P a`, `-Pa`, `--prefix=a`."""
    for before, arg in pairwise([Field(""), *arguments]):
        if found := _PREFIX.match(arg.text):
            yield Field(arg.text[found.end() :], arg.known)
        elif before.text == "-P" or (len(before.text) > len("--p") and "--prefix".startswith(before.text)):
            yield arg


def _diagnose(name: str, words: Sequence[str], usage: CommandUsage) -> None:
    """Record that a report about a repository contains its settings."""
    if (name == "diagnose" and any(map(_ALL.fullmatch, words))) or any(map(_DIAGNOSES.fullmatch, words)):
        usage.touch([Field(_SETTINGS)], "read")
        usage.touch([Field(".git")], "tree")


def _spell(name: str, second: str, arguments: Sequence[Field], usage: CommandUsage) -> None:
    """Record the equivalent `git push` for plumbing commands that push, such as `send-pack`, and the git command that
    `for-each-repo` runs."""
    if name == "subtree" and any(each.text == "push" for each in arguments):  # its options may stand before the action
        second = "push"
    if {(name, second), (name, "")} & _PUSHES:
        rest = [each for each in arguments if each.text != second or name in {"send-pack", "http-push"}]
        usage.spellings.append([Field("git"), Field("push"), *rest])
    if name == "for-each-repo":
        plain = [each for each in arguments if not each.text.startswith("-")]
        usage.spellings += [[Field("git"), *plain], [Field("git"), *plain[1:]]]  # a setting may stand in front


def judge_operands(name: str, second: str, found: ParsedArguments, usage: CommandUsage) -> None:
    """Record the files that a git command writes or stores according to its operands and options, and new
    repositories, whose settings may name programs."""
    if name in {"bundle", "archive"}:
        usage.touch(found.operands, "write")
    if name == "stash" and second in {"push", "save"}:
        usage.touch(found.operands, "input")
    if name in {"init", "clone"}:
        _new_repository(name, found, usage)
    if name in {"symbolic-ref", "update-ref"}:
        _write_reference(name, found, usage)
    if (name, second) == ("worktree", "add"):
        usage.copied_links += [(each, Field(".")) for each in found.operands]
    if name in _PUSHING and any(map(_may_be_folder, [*found.operands[:1], *found.values_of("--repo")])):
        usage.trees.append(UnnamedTree(None, "read", "revisions"))  # its files could be read in the other repository
    upstream = any(map(_may_name_upstream, (option for option, _ in found.options)))
    if name == "fetch" and found.has("--filter"):  # it is kept for the next time
        usage.touch([Field(_SETTINGS)], "write")
    if name in _NAMES_UPSTREAM and (upstream or found.has(*_UPSTREAM_LETTERS.get(name, ()))):
        usage.touch([Field(_SETTINGS)], "write")


def _write_reference(name: str, found: ParsedArguments, usage: CommandUsage) -> None:
    """Record the file in `.git` that gets or loses a reference: `git update-ref hooks/pre-commit HEAD` writes a hook.
    References below `refs` are branches and tags, which other commands change, too."""
    named = found.operands[:1]
    writes = (
        name == "update-ref" or found.has("-d", "--delete") or len(found.operands) > 1 or any(map(may_split, named))
    )
    if any(len(option) >= len(_INPUT) and "--stdin".startswith(option) for option, _ in found.options):
        usage.touch([Field(".git/HEAD")], "write")  # the input names references
    files = [each for each in named if writes and not each.text.startswith("refs/")]
    usage.touch([Field(f".git/{each.text}", each.known, source=each.source) for each in files], "write")


def _may_name_upstream(option: str) -> bool:
    """Return whether an option is one of `_UPSTREAM`, or may be an abbreviation of one."""
    return len(option) > 3 and any(each.startswith(option) for each in _UPSTREAM)


def _may_be_folder(address: Field) -> bool:
    """Return whether the address of a push may be a folder of this machine, other than the working directory."""
    return (
        not address.known or ("/" in address.text and not _ANOTHER_MACHINE.match(address.text)) or address.text == ".."
    )


def _new_repository(name: str, found: ParsedArguments, usage: CommandUsage) -> None:
    for each in found.values_of("--separate-git-dir"):
        usage.touch([Field(f"{each.text}/HEAD", each.known), Field(".git")], "write")
    if found.has("-c", "--config") or (name == "init" and found.has("--shared", "--ref-format", "--object-format")):
        usage.touch([Field(_SETTINGS)], "write")
    source = found.operands[:1] if name == "clone" else []
    if any(each.known and not _ANOTHER_MACHINE.match(each.text) for each in source):
        usage.trees.append(UnnamedTree(None, "read", "revisions"))  # its files could be read under their new names
        own = Field(source[0].text.rstrip("/").rpartition("/")[2].removesuffix(".git") or ".")
        usage.copied_links += [(target, source[0]) for target in found.operands[1:2] or [own]]
    if found.has("--template"):
        usage.touch([Field(_HOOKS)], "write")
    if name == "init":  # in a repository that exists, it adds the hooks of the template
        again = [Field(f"{each.text}/{_HOOKS}", each.known, source=each.source) for each in found.operands]
        usage.touch(again or [Field(_HOOKS)], "into")
    if found.has("--bare", "--mirror", "--naked"):
        folders = found.operands[1:] if name == "clone" else found.operands
        for each in folders or [Field("." if name == "init" else "…")]:
            usage.touch([Field(f"{each.text}/HEAD", each.known)], "write")


def _merge_index(arguments: Sequence[Field], usage: CommandUsage) -> None:
    """Record the program that `git merge-index` runs."""
    rest = [each for each in arguments if each.text not in {"-o", "-q"}]
    if rest:
        usage.inner.append([rest[0], Field("", known=False, split=True, source="files of the index")])
        usage.doubt("`git merge-index` runs a program")


def _values(word: Field) -> list[Field]:
    """Return the parts of a word that may name a file: the word, the value of a long option, or the rest of a short
    one."""
    text = word.text
    if text.startswith("--"):
        text = text.partition("=")[2]
    elif text.startswith("-"):
        text = text[2:]
    if not text or _REVISION.search(text):
        return []
    return [Field(text, word.known, pattern=word.pattern if text == word.text else None)]
