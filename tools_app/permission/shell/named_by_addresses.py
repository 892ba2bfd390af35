"""touch_named_by_addresses(): the files and folders that a command names after the end of an address.

`git clone https://a/b.git` makes the folder `b`, and `aria2c https://a/b` the file `b`, without an option that says so.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final
from urllib.parse import unquote

from tools_app.permission.names import names
from tools_app.permission.shell.usage import CommandUsage
from tools_app.permission.shell.words import Field

_OF_HOSTS: Final = (("repo", "clone"), ("repo", "fork"), ("repo", "create"), ("clone",))
_OF_HG: Final = (("clone",),)
_OF_BZR: Final = (("branch",), ("checkout",), ("co",), ("get",), ("clone",))
_ACTIONS: Final[Mapping[str, Sequence[tuple[str, ...]]]] = {
    "git": (("clone",), ("submodule", "add"), ("lfs", "clone"), ("svn", "clone"), ("p4", "clone")),
    **dict.fromkeys(("gh", "glab", "hub", "lab", "tea"), _OF_HOSTS),
    **dict.fromkeys(("hg", "chg", "rhg", "sl", "fossil", "pijul", "got"), _OF_HG),
    **dict.fromkeys(("bzr", "brz"), _OF_BZR),
    "svn": (("co",), ("checkout",), ("export",)), "darcs": (("clone",), ("get",)), "jj": (("git", "clone"),),
    "s3cmd": (("get",),), "adb": (("pull",),), "ghq": (("get",), ("clone",)),
    **dict.fromkeys(
        names(
            "degit tiged giget gitpick aria2c axel http https xh xhs wget2 lwp-download lftpget ncftpget fetch"
            " snarf yt-dlp youtube-dl smbget pget puf"
        ),
        ((),),
    ),
}  # fmt: skip
"""Programs, and the actions behind which the address stands; an empty one where each word may be it."""
_AT_END: Final = re.compile(r"(?:/|[?#].*|@[\w.-]+|\.git|\.bundle)+$")
"""What stands behind the name in an address."""
_ADDRESS: Final = re.compile(r"[/:]")
_MOST: Final = 20  # words


def touch_named_by_addresses(name: str, args: Sequence[Field], usage: CommandUsage) -> None:
    """Record the names at the end of addresses as words that may be files or folders, if the program makes these."""
    for action in _ACTIONS.get(name, ()):
        plain = [each for each in args if each.known and each.text[:1] != "-"]
        if tuple(each.text for each in plain if each.text in action) == action:
            found = [Field(each) for each in _names([each.text for each in plain][:_MOST])]
            usage.words += found
            usage.possible += found


def _names(words: Sequence[str]) -> Iterator[str]:
    for word in filter(_ADDRESS.search, words):
        end = re.split(r"[/:]", _AT_END.sub("", unquote(word)))[-1]
        yield from (end, f"{end}/{_ANY}") if end not in {"", ".", ".."} else ()


_ANY: Final = "any"
"""A file in a new folder, whose name only the repository says."""
