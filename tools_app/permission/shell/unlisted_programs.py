"""is_unlisted(): whether no table describes a program, so that only its words say what it does."""

import re
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from typing import Final

from tools_app.permission import leaving
from tools_app.permission.names import names
from tools_app.permission.shell.compilers import COMPILERS
from tools_app.permission.shell.programs import PROGRAMS
from tools_app.permission.shell.tables_changes import CHANGING
from tools_app.permission.shell.tables_files import READING
from tools_app.permission.shell.tables_projects import PROJECT
from tools_app.permission.shell.tables_wrappers import INTERPRETERS, OPAQUE, SHELLS, WRAPPERS
from tools_app.permission.shell.task_files import TASK_FILES
from tools_app.permission.shell.usual_form import SAME

_LISTED: Final = frozenset(
    (*READING, *CHANGING, *PROGRAMS, *PROJECT, *COMPILERS, *INTERPRETERS, *OPAQUE, *SHELLS, *WRAPPERS, *SAME)
) | names("env xargs command eval git echo printf cd export read type pwd true false :")
_VERSIONED: Final = re.compile(r"(python|node|perl|ruby|php|lua|pip|gcc|clang)[\d.]+")
_TASKS: Final = frozenset(TASK_FILES) | names(
    "go-task gotask gulp grunt jake ant phing thor mina robo castor bazel bazelisk buck buck2 pants please scons samu"
    " waf meson muon xmake bake b2 tup redo earthly earth mask nur runme xc tusk duty nps zx poe pypyr django-admin"
    " flask artisan symfony cake sbt lein boot mill mix rebar3 dune devbox devenv moon hardhat buildozer msbuild"
    " xbuild premake5 flutter nimble hereby bundle"
)
"""Programs that run tasks, scripts and builds of the project, which are its own code."""
_LOCAL: Final = names(
    "quilt stg guilt mike git-stash git-upload-pack git-upload-archive dirs pushd popd adb fastboot avrdude"
    " arduino-cli esptool esptool.py espflash mpremote ampy rshell probe-rs act prisma drizzle-kit sqitch skeema"
    " docker nerdctl docker-compose podman-compose kubectl lxc incus"
)
"""Programs whose actions of these names stay in the container, its devices and databases, or are in a table of actions:
a patch of a stack, a board, the schema of a database."""
_GETS_NAMES: Final = names(
    "ag ack ugrep ug rga sift pt exa eza lsd dust dua ncdu tokei scc gocloc sloccount broot ranger nnn yazi lf mc fzf"
    " sk peco gum whiptail dialog zenity figlet toilet cowsay banner lolcat say espeak espeak-ng spd-say notify-send"
    " logger wall write man tldr cheat apropos whatis info pgrep pkill pidof killall skill useradd userdel usermod"
    " groupadd groupdel groupmod adduser addgroup deluser passwd chage gpasswd id groups finger getent createdb dropdb"
    " createuser dropuser locate plocate dos2unix unix2dos doxygen apt-ftparchive createrepo debchange dch bumpversion"
    " bump2version upx nvm hugo xdotool wmctrl playerctl yq dasel fd fdfind zoxide z j autojump tig mkfifo alex"
    " write-good vale codespell typos cspell aspell hunspell"
)
_LOOKS: Final = re.compile(
    r".*(?:lint|linter|fmt|format|check|checker|grep|cat|stats?|diff|tree|find|view|conform|sum|loc)"
)
"""Names of programs that look at files or search in them."""
_ALL: Final = names("push submit publish unpublish upload release deploy login logout")
_MAKES: Final = re.compile(r".*(?:build|compile|clean|deep|fs|gen|image|tags)")
"""Names of programs that make something of files, or compute with them."""
MAY_BE_NAMES: Final = names("release deploy login")
"""Actions that are often names of folders and modes, too."""
_INSTALLED: Final = re.compile(
    r"(?:~|/(?!workspace/|tmp/)).*/[^/]+|@[^/]+/[^/]+|(?:.*/)?(?:node_modules|vendor|\.?venv|\.tox|\.nox)/.*"
)


@lru_cache(maxsize=1024)
def is_unlisted(name: str) -> bool:
    """Return whether the program `name`, without its folder, is in no table and runs no tasks of a project."""
    return not (name in _LISTED or name in _TASKS or name in _LOCAL or _VERSIONED.fullmatch(name))


@lru_cache(maxsize=1024)
def is_installed(name: str) -> bool:
    """Return whether a program with its folder comes from a package, and is no script of the project."""
    return _INSTALLED.fullmatch(name) is not None


def names_of_files(name: str) -> frozenset[str]:
    """Return the actions that are rather names of files, modes or texts for a program, judged by the program's name."""
    if name in _GETS_NAMES or _LOOKS.fullmatch(name):
        return _ALL
    return MAY_BE_NAMES if _MAKES.fullmatch(name) else frozenset()


def starts_others(name: str) -> bool:
    """Return whether a program starts the program that one of its words names."""
    return name in WRAPPERS or name == "env"


def runs_project(name: str) -> bool:
    """Return whether a program tests or builds the project or runs its tasks, so that a table has only some options."""
    return name in PROJECT or name in _TASKS


def has_rule(name: str, action: str) -> bool:
    """Return whether a rule of the presets names this action of a program, or all its actions, so that it is known what
    the action does."""
    return any(rule == ["*"] or action in (word.strip("*") for word in rule) for rule in _rules().get(name, ()))


@cache
def _rules() -> Mapping[str, Sequence[Sequence[str]]]:
    """Return the words of each rule of the presets about what leaves the container, by the program that they follow."""
    found: dict[str, list[Sequence[str]]] = {}
    for each in leaving.COMMANDS:
        name, *words = each.split()
        found.setdefault(name, []).append(words)
    return found
