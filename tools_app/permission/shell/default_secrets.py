"""touch_default_secrets(): record the secrets in the home directory that a command reads and shows, or gives to another
program, if its words name no file: `ssh-add`."""

import re
from collections.abc import Mapping, Sequence
from typing import Final

from tools_app.permission.shell.usage import CommandUsage
from tools_app.permission.shell.words import Field

_MAX_CHARS: Final = 1_000
_KEYS: Final = (".ssh/id_rsa", ".ssh/id_ed25519")
_READS: Final[Mapping[str, tuple[re.Pattern[str], tuple[str, ...]]]] = {
    "ssh-add": (re.compile(r"(?: -(?:[tEShH](?: |[a-z0-9])\S*|[ACKMckqv]+))*"), _KEYS),
    "my_print_defaults": (re.compile(r".*"), (".my.cnf",)),
    **dict.fromkeys(
        ("mysql", "mysqladmin", "mysqldump", "mariadb", "mariadb-admin", "mariadb-dump"),
        (re.compile(r".* --print-defaults(?: .*)?"), (".my.cnf",)),
    ),
}
"""Programs, the words (each behind a blank) with which they read secrets that no word names, and these. Sources: their
manuals."""
IN_CODE: Final[Mapping[str, re.Pattern[str]]] = {
    "~/.ssh/id_rsa": re.compile(r"\bssh-add(?:\s+-[ACKMckqv]{1,9}|\s+-t\s*\w{1,9})*\s*(?:$|[;&|)\]\n'\"])"),
}
"""The same files, and how code looks that reads them so."""


def touch_default_secrets(name: str, args: Sequence[Field], usage: CommandUsage) -> None:
    """Record the secrets that a command reads although no word of it names them."""
    if name not in _READS:
        return
    words, files = _READS[name]
    if words.fullmatch("".join(f" {each.text}" for each in args)[:_MAX_CHARS]):
        usage.touch([Field(f"/home/agent/{each}") for each in files], "read")
