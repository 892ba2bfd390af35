"""gives_command(): whether an option that no table describes has a value that may be a command.

Such are settings (`hg --config hooks.pre-log=x`) and options that are called like what they run (`--pager`). A value of
plain characters is not meant: rules see its words as they are.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Final

from tools_app.permission.names import names
from tools_app.permission.shell.specs import ArgumentSpec
from tools_app.permission.shell.tables_wrappers import SHELLS
from tools_app.permission.shell.words import Field

_MAX_CHARS: Final = 1_000  # of a value
_MAX_OPTION: Final = 60  # characters
_MAX_BEFORE: Final = 4  # words, the last of which may be an action
_RUNS: Final = re.compile(
    r"(?i:--?(?:[a-z0-9]+[-_])*(?:exec(?:utable|ute)?|command|cmd|program|tool|run|under|runner|runtool|pager|editor"
    r"|viewer|browser|shell(?:[-_](?:cmd|command|args?))?|(?:pre|post)?hooks?|launcher|wrapper|interpreter|preview"
    r"|renderer|engine|linker|chooser|bind|pipe|rsh|ssh|transport|prepare|cleanup|setup|conclude|before|after"
    r"|on[-_]\w+|latex|tex)s?|-\w*latex)|-[ce]"
)
"""Options that are called like a program or command that they run."""
_CAPITAL: Final = re.compile(r"(?<=[a-z])(?=[A-Z])")
_SETS: Final = re.compile(
    r"(?i:--?(?:[a-z0-9]+[-_])*(?:config|conf|cfg|settings?|options?|opts?|override|define|property|param|toml)"
    r"(?:[-_]\w+)?)|-[cCODxX]"
)
"""Options for settings."""
_JOINED: Final = re.compile(r"(-[cCODxX])(?=[\w.:-]+\s*=)")
_SETTING: Final = re.compile(r"[\w.:-]+\s*=(.*)", re.DOTALL)
_NAMED_SETTING: Final = re.compile(r"\w[\w-]*[.:][\w.:-]+\s*=(.*)", re.DOTALL)
"""A setting whose name has a section: `ui.editor=x`."""
_SUBSTITUTES: Final = re.compile(r"[%$@]\(|`")
_NOT_PLAIN: Final = re.compile(r"[^\w.,:/@=+%^-]")
_QUOTES: Final = re.compile(r"[^\w\s.,:/@=+%^-]")
_UNSAFE: Final = re.compile(
    r"--?(?:un-?safe(?:[-_]?mode)?|no-?safer?|dNOSAFER|permit-?all)(?:=.*)?"
    r"|(?:\S*[=\s])?-{0,2}(?:enable-)?(?:shell-escape|write18)(?:=.*)?"
)
"""Options that let a program run the commands in its input: `-shell-escape` of TeX, `--unsafe-mode` of groff."""
_UNSAFE_LETTERS: Final[Mapping[str, str]] = {
    **dict.fromkeys(("pic", "gpic", "troff", "groff", "nroff", "gtroff", "gnroff", "pdfroff", "groffer", "dpic"), "U"),
    **dict.fromkeys(("mail", "mailx", "s-nail", "nail", "heirloom-mailx", "bsd-mailx", "Mail"), "~"),
}
"""Programs, and the letter of their option that means the same."""
_START_SHELL: Final = names(
    "fakeroot fakechroot fakeroot-ng fakeroot-tcp fakeroot-sysv pseudo aoss torsocks torify posh hush sash run0 pkexec"
    " sux ksu luit dvtm byobu tmate wsl cmd.exe powershell powershell.exe rootlesskit systemd-nspawn lxc-attach"
    " execlineb xjobs xe dotool vhs"
)
"""Programs that run the commands in their input, as shells do, if no word names a program."""
_START_SHELL_BY_ACTION: Final[Mapping[str, frozenset[str]]] = {
    "guix": names("shell environment"), "flox": names("activate"), "machinectl": names("shell login"),
    **dict.fromkeys(("pixi", "rye", "devbox", "devenv"), names("shell")),
    **dict.fromkeys(("lando", "ddev"), names("ssh")),
    **dict.fromkeys(("distrobox", "toolbox"), names("enter")), "scl": names("enable"), "buildah": names("unshare"),
    "wine": names("cmd"), **dict.fromkeys(("dtach", "abduco"), names("-a -A -p -c")),
}  # fmt: skip
"""Programs, and their actions and options that do the same. Sources: their manuals."""
_HANDLE_SHELLS: Final = names(
    "install uninstall add remove update upgrade search show info help which where list completion completions init"
    " hook setup activate generate"
)
"""Words of commands to which the name of a shell only says what they are about: `brew install fish`."""
_INPUT: Final = names("- /dev/stdin /dev/fd/0 /proc/self/fd/0")
"""Words that stand for the input."""


def runs_input(name: str, args: Sequence[Field]) -> bool:
    """Return whether an option of a program that no table describes lets it run the commands in its input or its
    files."""
    letter = _UNSAFE_LETTERS.get(name.rpartition("/")[2])
    words = [each.text[:_MAX_OPTION] for each in args]
    return (
        any(map(_UNSAFE.fullmatch, words))
        or (letter is not None and any(letter in each and each[:1] == "-" != each[1:2] for each in words))
        or _starts_shell(name.rpartition("/")[2], words)
    )


def follows_input(name: str, args: Sequence[Field]) -> bool:
    """Return whether a tool also reads the files that its input names: `shellcheck -x -` those that the script on its
    input sources."""
    if name.rpartition("/")[2] != "shellcheck":
        return False
    words = [each.text for each in args]
    follows = any(each == "--external-sources" or (each[:1] == "-" != each[1:2] and "x" in each) for each in words)
    return follows and not _INPUT.isdisjoint(words)


def _starts_shell(name: str, words: Sequence[str]) -> bool:
    """Return whether a program starts a shell that reads its commands from the input: by itself (`fakechroot`), by an
    action (`guix shell`), or because its last word is one (`numactl -l sh`)."""
    plain = [each for each in words if each[:1] != "-"]
    if name in _START_SHELL and not plain:
        return True
    if not _START_SHELL_BY_ACTION.get(name, frozenset()).isdisjoint(words[:_MAX_BEFORE]) and "--" not in words[:-1]:
        return True
    last = plain[-1].rpartition("/")[2] if plain else ""
    is_value = len(words) > 1 and words[-2][:2] == "--" != words[-2]
    return last in SHELLS | _START_SHELL and not is_value and _HANDLE_SHELLS.isdisjoint(plain)


def gives_command(args: Sequence[Field], table: ArgumentSpec | None = None) -> str:
    """Return the first option whose value may be a command; an empty text if there is none.

    Of a program with a table, only long options count that are called like a command and are not in it.
    """
    given = [(option[:_MAX_OPTION], value[:_MAX_CHARS]) for option, value in _values(args)]
    if table:
        others = (pair for pair in given if pair[0].startswith("--") and pair[0] not in table.options)
        return next((option for option, value in others if _is_command(option, value)), "")
    return next((option for option, value in given if _is_command(option, value) or _is_setting(option, value)), "")


def _values(args: Sequence[Field]) -> Iterator[tuple[str, str]]:
    """Yield options and their values: in the next word, behind `=`, or joined to a letter."""
    for arg, after in pairwise([*args, Field("")]):
        if arg.text[:1] != "-":
            continue
        option, equals, value = arg.text.partition("=")
        if joined := _JOINED.match(arg.text):
            yield joined[1], arg.text[joined.end() :]
        elif equals:
            yield option, value
        else:
            yield option, after.text


def _is_command(option: str, value: str) -> bool:
    return _RUNS.fullmatch(_CAPITAL.sub("-", option)) is not None and _NOT_PLAIN.search(value) is not None


def _is_setting(option: str, value: str) -> bool:
    if _SETS.fullmatch(option):
        given = _SETTING.fullmatch(value)
        return bool(_SUBSTITUTES.search(value) or (given and _NOT_PLAIN.search(given[1])))
    named = _NAMED_SETTING.fullmatch(value)
    return named is not None and _QUOTES.search(named[1]) is not None
