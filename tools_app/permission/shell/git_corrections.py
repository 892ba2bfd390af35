"""corrected(): the commands that git may run for a misspelt one, if the setting `help.autocorrect` lets it."""

from collections.abc import Sequence
from difflib import get_close_matches
from functools import lru_cache
from typing import Final

from tools_app.permission.names import names
from tools_app.permission.shell import tables_git
from tools_app.permission.shell.git_others import NO_FILES
from tools_app.permission.shell.tables_git_changes import CHANGING
from tools_app.permission.shell.words import Field

_OTHERS: Final = names(
    "push init gc fsck annotate bugreport commit-tree credential-cache credential-store diagnose fast-export fetch-pack"
    " fmt-merge-msg fsck-objects hash-object http-fetch index-pack init-db mailinfo mailsplit merge-file merge-index"
    " merge-octopus merge-one-file merge-ours merge-recursive merge-resolve merge-subtree pack-objects pack-redundant"
    " prune-packed quiltimport remote-ftp remote-ftps remote-http remote-https show-index sparse-checkout stage"
    " unpack-file verify-pack"
)
COMMANDS_OF_GIT: Final = _OTHERS | NO_FILES | {*tables_git.READING, *tables_git.LINKING, *tables_git.RUNNING, *CHANGING}
_LIKE: Final = 0.6
"""How alike a misspelt name and a command are, at least: `psuh` and `push` are 0.75."""
_MAX_CHARS: Final = 30
_MAX_MATCHES: Final = 4


def corrected(name: str, arguments: Sequence[Field]) -> list[list[Field]]:
    """Return the possible corrections of a command of git that does not exist; nothing for one that exists."""
    return [[Field("git"), Field(each), *arguments] for each in _matches(name)]


@lru_cache(maxsize=256)
def _matches(name: str) -> Sequence[str]:
    if name in COMMANDS_OF_GIT or not name or len(name) > _MAX_CHARS:
        return ()
    return get_close_matches(name, sorted(COMMANDS_OF_GIT), n=_MAX_MATCHES, cutoff=_LIKE)
