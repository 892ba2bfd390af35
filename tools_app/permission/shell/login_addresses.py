"""logins_by_address(), logins_by_value(): the machines that a command may log in to by addresses such as `ssh://a@b`.

Any program may log in to an address that it gets, so rules about `ssh` hold for its command, too. Left out are programs
that only read and print texts, and those that fetch code, which have rules of their own.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

from tools_app.permission.names import names
from tools_app.permission.shell.assignments import is_harmless
from tools_app.permission.shell.tables_changes import CHANGING
from tools_app.permission.shell.tables_files import READING
from tools_app.permission.shell.tables_wrappers import INTERPRETERS, SHELLS, WRAPPERS
from tools_app.permission.shell.words import UNKNOWN, Field

_HINT: Final = re.compile(r"ssh|sftp:|scp|rsh:|fish:|/rsync:|/plink|:ext")
"""What each address contains. Few words of commands do."""
_URL: Final = re.compile(
    r"((?:git|hg)(?:\+|::))?(?:ssh(?:-ng|2)?|libssh2?|sftp|scp|fish|rsh)://([^\s/'\"<>]+)([^\s'\"<>]*)"
)
"""The sign of a repository, the machine, and the path."""
_OTHER_FORMS: Final = tuple(
    map(
        re.compile,
        (
            r"(?<![\w.])sftp:((?:[\w.-]+@)?[\w.-]+):",  # restic
            r"(?<![\w.])ssh[:=]([\w.-]+@[\w.-]+)",  # execnet, xpra
            r"\bssh-remote\+([\w.@%-]+)",  # editors
            r"(?<![\w./])/(?:sshx?|scpx?|sftp|sshfs|rsync|plinkx?|pscp|psftp|rsh|rcp):([^:/\s|]+)[:|]",  # Emacs
            r":ext(?:ssh)?:((?:[\w.-]+@)?[\w.-]+):",  # CVS
            r"\bdriver[\"']?\s*[=:]\s*[\"']?(ssh)\b",  # QEMU
        ),
    )
)
_REPOSITORY: Final = re.compile(r"git@|[^\s]*\.git\b")
"""The machine and the path of an address that is probably a repository of git."""
_TAKE_ANY: Final = names(
    "docker docker-compose podman podman-remote podman-compose nerdctl buildctl virsh virt-install virt-viewer"
    " virt-manager virt-clone virt-top guestfish qemu-img borg restic rustic bupstash duplicity unison svn hg bzr curl"
    " DOCKER_HOST CONTAINER_HOST BORG_REPO RESTIC_REPOSITORY BUPSTASH_REPOSITORY LIBVIRT_DEFAULT_URI"
    " VIRSH_DEFAULT_CONNECT_URI NIX_REMOTE"
)
"""Programs and variables for which an address is no repository of git, even if it looks like one."""
_OF_TEXTS: Final = (
    (frozenset(READING) | frozenset(CHANGING) | frozenset(WRAPPERS) | SHELLS)
    | names(
        "sed gsed awk gawk mawk nawk yq ag ack ugrep sd printf env xargs command eval find bfs cp mv ln tar zip patch"
    )
) - {"curl", "wget", "mount"}
"""Programs that do not connect, and those whose words are judged as another command."""
_FETCHERS: Final = names(
    "git git-clone git-lfs pip pip3 uv uvx pipx poetry pdm pipenv rye hatch pixi conda mamba micromamba npm npx pnpm"
    " yarn bun cargo go composer bundle bundler gem mix rebar3 cabal stack opam dub nimble luarocks swift dart flutter"
    " pod zig conan vcpkg west repo gclient apt apt-get pre-commit copier cookiecutter cruft degit tiged giget"
)
"""Programs that fetch code from repositories."""
_WITH_SCRIPTS: Final = names("npm pnpm yarn bun cargo go composer")
_RUN: Final = names("run run-script")
"""Actions of these that hand their words to a program of the project."""
_SETTINGS_OF_FETCHES: Final = re.compile(r"GIT_\w+|(?i:npm)_\w+|PIP_\w+|UV_\w+|CARGO_\w+|GO[A-Z]*|YARN_\w+")
_MESSAGE: Final = names("-m -k --message --body --title --description --subject --notes --comment --grep --reason")
"""Options whose values are texts for people, or patterns."""
_CODE: Final = re.compile(r"[\s(){};'\"]")
_VERSION: Final = "0123456789.-"


def logins_by_address(name: str, args: Sequence[Field]) -> Iterator[list[Field]]:
    """Yield a command of `ssh` for each address of another machine in the words of a command."""
    if not any(_HINT.search(each.text) for each in args) or not _may_connect(name, args):
        return
    is_interpreter = name.rstrip(_VERSION) in INTERPRETERS
    for before, arg in pairwise([Field(""), *args]):
        is_code = bool(is_interpreter and _CODE.search(arg.text))
        is_message = before.text in _MESSAGE and len(arg.text.split()) > 1
        if not (is_code or is_message):
            yield from map(login, _machines(arg.text, takes_any=name in _TAKE_ANY))


def logins_by_value(name: str, value: str) -> Iterator[list[Field]]:
    """Yield a command of `ssh` for each address in the value of an environment variable, which any program may get."""
    if not (is_harmless(name) or _SETTINGS_OF_FETCHES.fullmatch(name)):
        yield from map(login, _machines(value, takes_any=name in _TAKE_ANY))


def login(machine: str) -> list[Field]:
    """Return the command that logs in to a machine by `ssh`."""
    return [Field("ssh"), Field("host" if UNKNOWN in machine else machine)]


def _may_connect(name: str, args: Sequence[Field]) -> bool:
    if name in _FETCHERS:
        return name in _WITH_SCRIPTS and any(each.text in _RUN for each in args[:1])
    return name not in _OF_TEXTS


def _machines(text: str, *, takes_any: bool) -> Iterator[str]:
    if not _HINT.search(text):
        return
    for repository, machine, path in _URL.findall(text):
        if takes_any or not (repository or _REPOSITORY.match(f"{machine}{path}")):
            yield machine
    for form in _OTHER_FORMS:
        yield from form.findall(text)
