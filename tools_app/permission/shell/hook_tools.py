"""Tools that install git hooks or filters: they write into the folder of hooks and change git's settings."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from tools_app.permission.names import names
from tools_app.permission.shell.usage import CommandUsage
from tools_app.permission.shell.words import Field

_ALWAYS: Final = names(
    "husky husky-init simple-git-hooks ghooks yorkie git-hooks overcommit transcrypt git-transcrypt git-filter-repo"
    " git-mit git-mit-install git-duet git-duet-install-hook git-together git-pair husky-run shared-git-hooks"
    " install-git-hooks setup-git-hooks ghooks-cli"
)
"""Tools of which any command may install hooks or change git's settings."""
_OF_PRE_COMMIT: Final = names("install i uninstall init-templatedir migrate-config")
_INSTALLING: Final[Mapping[str, frozenset[str]]] = {
    "husky": names("install uninstall init add set"), "overcommit": names("--install --uninstall --force -i -u -f"),
    "lefthook": names("install i add uninstall run check-install"), "captainhook": names("install configure"),
    "pre-commit": _OF_PRE_COMMIT, "pre_commit": _OF_PRE_COMMIT, "prek": _OF_PRE_COMMIT, "dvc": names("install"),
    "nbstripout": names("--install --uninstall"), "nbdime": names("config-git extensions --enable"),
    "git-nbdiffdriver": names("config"), "git-nbmergedriver": names("config"), "datalad": names("create clone install"),
    "autohooks": names("activate install"), "ggshield": names("install"), "talisman": names("--githook -i"),
    "rusty-hook": names("init"), "gitmoji": names("--init -i --remove -r"), "cz": names("init"), "bd": names("init"),
    "cghooks": names("add update remove"), "gptcommit": names("install uninstall"), "entire": names("enable disable"),
    "lolcommits": names("--enable --disable -e -d"), "hk": names("install i uninstall init"),
    "moon": names("sync"), "trunk": names("git-hooks githooks init enable"), "mookme": names("init --init"),
    "commitizen": names("init"), "komondor": names("install uninstall"), "gookme": names("init"),
    "whisky": names("install update uninstall"), "mise": names("git-pre-commit"), "rtx": names("git-pre-commit"),
    **dict.fromkeys(("githook", "githooks", "githooked", "hooky", "gitleaks"), names("install init")),
    "git_hooks": names("create"),
    "githooks-cli": names("installer install"), "gtm": names("init uninit"), "git-metrics": names("init"),
    "git-lfs": names("install uninstall update track untrack clean smudge filter-process fsck migrate clone"),
    "git-crypt": names("init unlock lock add-gpg-user"), "git-branchless": names("init"), "git-annex": names("init"),
    "git-secrets": names("--install --register-aws --register-azure --register-gcp --add --add-provider"),
    **dict.fromkeys(("git-agecrypt", "git-media", "git-fat", "git-bigstore", "git-xet"), names("init install config")),
    "git-theta": names("install"), "git-team": names("enable disable hooks config"),
    "git-ai": names("install install-hooks uninstall-hooks"), "git-gerrit": names("setup"),
    "git-flow": names("init config"), "git-cinnabar": names("setup"), "git-codereview": names("hooks"),
}  # fmt: skip
"""Tools, and their commands and options that change hooks or filters."""
_MAX_BETWEEN: Final = 3
"""How many words behind the name of a tool its command may stand, because options may have values."""
_MAX_WORD: Final = 100  # characters
_CALLERS: Final = names("yarn pnpm bun npm cargo bundle composer")
_VERSION: Final = re.compile(r"(?:@|==|>=|~=|\[).*", re.DOTALL)
_ACTIONS: Final = (
    r"(?:(?:un)?install|add|remove|enable|disable|setup|activate|configure|update|(?:un)?set|init|sync|write|generate|create"
    r"|register|make)"
)
_NAMES_HOOKS: Final = re.compile(
    rf"{_ACTIONS}(?:git)?(?:precommit|prepush|commitmsg|vcs)?(?:hooks?|filters?)(?:=.*)?"
    rf"|\w{{0,60}}?{_ACTIONS}\w{{0,40}}?(?:git|precommit|prepush|commitmsg)\w{{0,40}}?hooks?"
    rf"|\w{{0,60}}?git\w{{0,40}}?installhooks?|(?:git|vcs)?hooks?{_ACTIONS}|\w{{0,60}}?git\w{{0,20}}?hook\w{{0,20}}?{_ACTIONS}|git(?:de)?init",
    re.DOTALL,
)
"""A word, without dashes and similar signs, that says that hooks are installed: `installGitHooks`, `add-filter`,
`git-build-hook:install`."""
_HOOKS: Final = names("hook hooks githook githooks vcshooks")
_BEFORE: Final = names("sync setup enable disable configure activate init")
"""Actions in front of such a word: `moon sync hooks`. Package managers use others, such as `add`, for packages."""
_SIGNS: Final = re.compile(r"[-_:.]+")


def touch_hooks_of_git(name: str, args: Sequence[Field], usage: CommandUsage) -> None:
    """Record the git hooks and settings that a tool changes which runs as a command of git: `git lfs track`."""
    tool = f"git-{name}"
    words = [each.text for each in args[: 1 + _MAX_BETWEEN]]
    if tool in _ALWAYS or _INSTALLING.get(tool, frozenset()).intersection(words):
        usage.touch([Field(".git/hooks"), Field(".git/config")], "write")


def touch_hooks(name: str, args: Sequence[Field], usage: CommandUsage) -> None:
    """Record the git hooks and settings that a tool changes, even if another program runs the tool (`uvx`, `pipx`)."""
    words = [each.text for each in args]
    plain = [each for each in words if not each.startswith("-")]
    given = [name, *plain] if name not in _CALLERS else plain[1:] if plain[:1] in (["run"], ["exec"]) else plain
    always = bool(given) and _tool(given[0]) in _ALWAYS
    if always or _installs([name, *words]) or any(map(_NAMES_HOOKS.fullmatch, _joined(words))):
        usage.touch([Field(".git/hooks"), Field(".git/config")], "write")


def _installs(words: Sequence[str]) -> bool:
    """Return whether one of the words is a tool, and one of the next words is its command that installs something."""
    for number, word in enumerate(words):
        installing = _INSTALLING.get(_tool(word))
        behind = words[number + 1 : number + 2 + _MAX_BETWEEN] if installing else ()
        if installing and installing.intersection(each.partition("=")[0] for each in behind):
            return True
    return False


def _tool(word: str) -> str:
    return _VERSION.sub("", word.rpartition("/")[2])


def _joined(words: Sequence[str]) -> Iterator[str]:
    """Yield words that contain `hook`, `filter` or `init`, in lower case without punctuation, and each word such as
    `hook` joined with the next word, and with the word before."""
    for number, word in enumerate(words):
        if len(word) <= _MAX_WORD and ("hook" in word.lower() or "filter" in word or "init" in word):
            short = _SIGNS.sub("", word.lower())
            yield short
            if short in _HOOKS:
                yield short + "".join(words[number + 1 : number + 2]).lower()
                yield "".join(_BEFORE.intersection(words[max(number - 1, 0) : number])) + short
