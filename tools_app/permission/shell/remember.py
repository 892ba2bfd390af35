"""Commands for which "always" is not offered, because their effects depend too much on their arguments."""

import re
from collections.abc import Sequence
from typing import Final

from tools_app.permission.names import names
from tools_app.permission.shell.other_names import usual_name
from tools_app.permission.shell.tables_wrappers import INTERPRETERS, OPAQUE, RUNNERS, SHELLS, WRAPPERS

_NEVER: Final = names(
    "rm rmdir unlink dd shred mkfs fdisk parted mount umount chmod chown chgrp kill killall pkill curl wget env xargs"
    " command eval reboot shutdown halt poweroff init systemctl service passwd useradd usermod visudo iptables nft"
    " sysctl modprobe insmod truncate java kotlin tsx ts-node vite-node esno zx bb clj crystal nim ocaml csi qjs"
    " lli mono wine duckdb mlr"
)
_NEVER_TOGETHER: Final = frozenset({
    ("docker", "run"), ("docker", "exec"), ("podman", "run"), ("podman", "exec"), ("kubectl", "exec"),
    ("kubectl", "delete"), ("git", "clean"), ("git", "config"), ("git", "filter-branch"), ("npm", "publish"),
    ("terraform", "destroy"), ("git", "bisect"), ("git", "submodule"), ("docker", "compose"),
})  # fmt: skip
_FORCED: Final = re.compile(r"-\w*f\w*|--force(?:-with-lease)?(?:=.*)?|--delete|-\w*d|--mirror|\+.*|:.*")
_VERSIONED: Final = re.compile(r"(python|node|perl|ruby|php|lua)[\d.]*")


def is_never_remembered(words: Sequence[str]) -> bool:
    """Return whether "always" must not be offered for the command."""
    name = usual_name(words[0].rpartition("/")[2])
    if name in _NEVER or name in SHELLS or name in WRAPPERS or name in OPAQUE or name.startswith("mkfs"):
        return True
    first = (name, *words[1:2])
    if first in _NEVER_TOGETHER or first in RUNNERS:
        return True
    if first == ("git", "push"):
        return any(_FORCED.fullmatch(word) for word in words[2:])
    versioned = _VERSIONED.fullmatch(name)
    interpreter = name in INTERPRETERS or (versioned is not None and versioned[1] in INTERPRETERS)
    return interpreter and words[1:2] != ["-m"] and len(words) > 1
