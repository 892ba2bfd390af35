"""Commands that change the start files of shells, which run with each later shell: `terraform -install-autocomplete`,
`pipx ensurepath`, and tools that fill the home directory with files of a repository."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from tools_app.permission.names import names
from tools_app.permission.shell.usage import CommandUsage
from tools_app.permission.shell.words import Field

_START_FILE: Final = "/home/agent/.bashrc"
_MAX_WORDS: Final = 30
_ALWAYS: Final = names(
    "activate-global-python-argcomplete zsh-newuser-install rcup rcdn mkrc dotbot rustup-init tabtab xonfig"
)
"""Programs that change such a file whatever their words are."""
_ACTIONS: Final[Mapping[str, re.Pattern[str]]] = {
    name: re.compile(pattern)
    for tools, pattern in (
        ("rbenv", r"init(?!(?:.* )?-(?: |$))(?: |$)"),
        ("pyenv", r"init (?:.* )?--install(?: |$)"),
        ("broot", r"(?:.* )?--(?:install|set-install-state)(?: |$)"),
        ("volta proto", r"setup(?: |$)"),
        ("ng", r"completion(?! script)(?: |$)"),
        ("bun", r"completions(?: |$)"),
        ("heroku sf sfdx oclif twilio", r"autocomplete"),
        ("jbang", r"(?:app|trust) "),
        ("swiftly solana-install agave-install", r"init(?: |$)"),
        ("juliaup elan", r"self|config|default|override"),
        ("modal", r"setup|token (?:new|set)|profile activate|config set"),
        ("conda mamba micromamba", r"(?:.* )?(?:init|shell (?:re|de)?init)(?: |$)"),
        ("circleci", r"setup"),
        ("vcpkg", r"integrate"),
        ("amplify", r"configure"),
        ("git-credential-manager", r"(?:un)?configure"),
        ("rvm", r"(?:.* )?--auto-dotfiles(?: |$)"),
        ("chezmoi", r"(?:-\S+ )*(?:add|apply|chattr|destroy|edit|forget|import|init|merge|purge|re-add|rm|update)"),
        ("yadm", r"(?:-\S+ )*(?!list|ls|status|diff|log|show|version|help|-)\S"),
        ("mackup dotdrop homeshick homesick vcsh stow", r"(?!list|ls|status|-h|--help|--version|-V|-n|--no)\S"),
        ("fisher basher", r"install|update|remove|uninstall|link"),
    )
    for name in tools.split()
}
"""Tools, and patterns for the beginning of their words when they change such a file. Sources: their manuals."""
_COMPLETION: Final = r"(?:shell|auto|tab|bash|zsh|fish|cmd)*(?:complet(?:e|ions?)|integration)"
_CHANGES: Final = r"(?:(?:un)?install|setup|enable|create|remove|add)"
_SAYS_SO: Final = re.compile(
    rf"(?:un)?(?:install|setup|enable|add){_COMPLETION}s?|{_COMPLETION}{_CHANGES}"
    r"|ensurepath|(?:add|append|prepend)topath|modifypath|setuppath|updateshell|shellsetup|setupshell|autodotfiles"
    r"|(?:modify|edit|update|write)(?:shell)?(?:profile|rc)"
)
"""A word, without dashes and similar signs, that says that such a file is changed."""
_THING: Final = re.compile(rf"{_COMPLETION}s?")
_CHANGE: Final = re.compile(_CHANGES)
TOOLS: Final = _ALWAYS | _ACTIONS.keys()
HINT: Final = re.compile(r"complet|path|shell|integration|dotfiles|profile|rc(?:=|$)", re.IGNORECASE)
"""What a word contains that may say so."""
_SIGNS: Final = re.compile(r"[-_:.]+")
_MAX_PLAIN: Final = 3
"""Which of the words that are no options may be such an action."""
_TEXTS: Final = names("git grep rg ag ack find fd ls sed awk echo printf cat tmux test [ pip pip3 touch mkdir rm cp mv")
"""Programs whose words mean something else."""


def touch_start_files(name: str, args: Sequence[Field], usage: CommandUsage) -> None:
    """Record that a command changes a start file of shells in the home directory."""
    if name in _ALWAYS or (args and name not in _TEXTS and _changes(name, [each.text for each in args[:_MAX_WORDS]])):
        usage.touch([Field(_START_FILE)], "write")


def _changes(name: str, words: Sequence[str]) -> bool:
    if (action := _ACTIONS.get(name)) and action.match(" ".join(words)):
        return True
    if not any(map(HINT.search, words)):
        return False
    return any(map(_SAYS_SO.fullmatch, _joined(words))) or _says_both(words)


def _says_both(words: Sequence[str]) -> bool:
    """Return whether one word says that something is changed and another that it is a completion. What stands behind
    `install` may be a package, unless one of them is an option: `completion --install bash`, `install --completion`."""
    plain = [each for each in words if each[:1] != "-"][:_MAX_PLAIN]
    given = [each for each in words if each in plain or each[:1] == "-"]
    short = [(each[:1] == "-", _SIGNS.sub("", each.lower())) for each in given]
    return any(
        _THING.fullmatch(one[1]) and _CHANGE.fullmatch(other[1]) and (one[0] or other[0] or place < after)
        for place, one in enumerate(short)
        for after, other in enumerate(short)
    )


def _joined(words: Sequence[str]) -> Iterator[str]:
    """Yield options and the first other words in lower case without punctuation."""
    plain = [each for each in words if each[:1] != "-"][:_MAX_PLAIN]
    for each in (*plain, *(each.partition("=")[0] for each in words if each[:1] == "-")):
        yield _SIGNS.sub("", each.lower())
