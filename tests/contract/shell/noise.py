"""File accesses that programs make on their own, so the shell analysis need not predict them.

They happen whatever the programs' arguments are. Each entry is as narrow as possible: by program, by path, and for the
C library also by the close-on-exec flag. The library sets that flag on its own files, and tools do not set it on the
files that they were given.
"""

import re
from collections.abc import Collection, Mapping
from os import O_CLOEXEC
from typing import Final

from tests.contract.shell.traces import Touched

C_LIBRARY: Final = re.compile(
    r"/etc/(ld\.so\.(cache|preload)|nsswitch\.conf|passwd|group|localtime|locale\.alias|host\.conf|resolv\.conf)"
    r"|(/usr)?/(lib|lib64|libexec|local/lib)/.*\.so(\.[0-9.]+)?"
    r"|/usr/(lib|share)/(locale|zoneinfo|i18n)(/.*)?"
    r"|/proc/(filesystems|self/(maps|fd|mountinfo|mounts)|sys/.*|meminfo|stat|cpuinfo|mounts)|/sys/.*",
    re.DOTALL,
)
"""Files that the C library reads: ld.so(8), locale(7), nss(5); libselinux reads /proc/filesystems."""

DEVICES: Final = re.compile(r"/dev/(null|tty|zero|full|u?random|std(in|out|err)|fd/\d+)(/\.)?|/proc/\d+/fd/\d+")
"""Devices and descriptors. The file behind a descriptor was traced when it was opened."""
TRANSLATIONS: Final = re.compile(r"/usr/share/locale/[^/]+/LC_\w+/[\w-]+\.mo|/usr/lib/[^/]+/gconv/gconv-modules\.cache")
"""Files for translated messages and character sets, gettext(3) and iconv(3)."""

_STACK: Final = re.compile(r"/proc/self/maps")  # libsigsegv

READ_BY: Final[Mapping[str, re.Pattern[str]]] = {
    "grep": _STACK,
    "diff": _STACK,
    "cmp": _STACK,
    "diff3": _STACK,
    "sdiff": _STACK,
    "git-": re.compile(r".*"),
    "curl": re.compile(r"/usr/lib/ssl/.*|/etc/(ssl/.*|hosts)|/home/agent/(\.config/|\.)curlrc"),
    "dash": re.compile(r"/opt/agentsite/hooks/.*"),
    **dict.fromkeys(
        ("cc1", "cc1plus", "x86_64-linux-gnu-cpp-12", "x86_64-linux-gnu-gcc-12", "x86_64-linux-gnu-g++-12"),
        re.compile(r"/usr/(local/)?(lib|libexec|include|x86_64-linux-gnu)(/.*)?|/tmp/cc\w+\.\w+"),
    ),
    "wget": re.compile(r"/etc/wgetrc|/home/agent/\.wgetrc"),
    "tac": re.compile(r"/tmp/tac\w+"),
    "jq": re.compile(r"/home/agent/\.jq"),
    "whereis": re.compile(r"/(usr|etc|opt|bin|sbin|lib|lib64|stubs)(/.*)?"),
    "git": re.compile(
        r"/etc/gitconfig|/home/agent/\.gitconfig|/home/agent/\.config/git/.*|/usr/share/git-core/.*"
        r"|/usr/lib/git-core|/stubs|/opt/agentsite/bin|/home/agent/\.local/bin|(/usr)?(/local)?/s?bin|/workspace(/.*)?|/etc/gitattributes|.*/\.git(attributes|ignore|modules)"
    ),
    "rg": re.compile(
        r"/home/agent/\.(config/git/.*|gitconfig|ripgreprc)|/\.(ignore|rgignore|gitignore)|/proc/self/.*|/sys/fs/cgroup.*"
    ),
    "file": re.compile(
        r"/etc/magic(\.mgc)?|/usr/share/misc/magic.*|/usr/lib/file/.*|/home/agent/\.magic.*|/usr/share/file/.*|.*\.mgc"
    ),
    "less": re.compile(
        r"/usr/share/terminfo/.*|/lib/terminfo/.*|/etc/(sys)?less(key)?|/usr/bin/\.sysless|/home/agent/\.(less|lesshst|lesskey)"
    ),
    "bash": re.compile(
        r"/tmp/sh-thd\.\w+|/usr/share/terminfo/.*|/lib/terminfo/.*|/etc/terminfo/.*|/dev/fd/\d+|/etc/inputrc"
        r"|/stubs/.*|(/usr(/local)?)?/s?bin/[^/]+"
    ),
    **dict.fromkeys(
        ("ps", "top"),
        re.compile(
            r"/proc(/.*)?|/usr/share/terminfo/.*|/lib/terminfo/.*|/sys/.*|/etc/top(default)?rc|(/var)?/run/utmp|/home/agent/\.toprc"
        ),
    ),
    "pgrep": re.compile(r"/proc(/.*)?"),
    "pkill": re.compile(r"/proc(/.*)?"),
    "cp": re.compile(r".*/gzexe\w+"),
    "free": re.compile(r"/proc/.*"),
    "uptime": re.compile(r"/proc/.*|(/var)?/run/(utmp|systemd/.*)"),
    "who": re.compile(r"(/var)?/run/utmp"),
    "df": re.compile(r"/proc(/.*)?|/dev/fd"),
    "chrt": re.compile(r"/proc/\d+"),
    "tempfile": re.compile(r"/tmp/.*|.*/file\w{6}.*"),  # names that it makes up
    "mkdir": re.compile(r"/dev"),
    **dict.fromkeys(("x86_64-linux-gnu-ar", "x86_64-linux-gnu-nm"), re.compile(r"/usr/.*/bfd-plugins")),
    **dict.fromkeys(("pod2man", "pod2text", "pod2html"), re.compile(r"/usr/(lib|share)/.*/?perl.*|/etc/perl.*")),
    "sort": re.compile(r"/tmp/sort\w+"),
    "make": re.compile(r"/usr/(local/)?include.*|/tmp/GM\w+"),
    "id": re.compile(r"/proc/.*"),
    "nproc": re.compile(r"/sys/.*|/proc/.*"),
    "locale": re.compile(r"/usr/(lib|share)/(locale|i18n)(/.*)?"),
    "lsof": re.compile(r"/proc(/.*)?"),
    "unzip": re.compile(r"/dev/tty"),
    "patch": re.compile(r"/tmp/pp\w+|/usr/lib/.*/charset\.alias"),
    "gzip": re.compile(r".*[._-](gz|z|Z)"),
    "hostname": re.compile(r"/etc/hosts"),
    "xargs": re.compile(r"/"),
    "python3.11": re.compile(
        r".*/(pyvenv\.cfg|python3?(\.11)?\._pth|pybuilddir\.txt)|/usr/(local/)?lib/python3.*|/etc/python3.*"
    ),
}
"""Files that each program reads by itself, from the sections FILES and ENVIRONMENT of its manual page."""

WRITTEN_BY: Final[Mapping[str, re.Pattern[str]]] = {
    "git": re.compile(r"/workspace/(.*/)?(\.git(/.*)?|git-interpret-trailers-\w+)"),
    "bash": re.compile(r"/tmp/sh-thd\.\w+"),
    "sort": re.compile(r"/tmp/sort\w+"),
    "make": re.compile(r"/tmp/GM\w+"),
    "tac": re.compile(r"/tmp/tac\w+"),
    "sed": re.compile(r".*/sed\w{6}"),
    "less": re.compile(r"/home/agent/\.lesshst?.*"),
    **dict.fromkeys(("cp", "mv"), re.compile(r".*/gzexe\w+")),
    "mktemp": re.compile(r"/tmp/.*|(.*/gzexe|/dev/std\w+/tmp\.)\w+.*"),
    "tempfile": re.compile(r"/tmp/.*|.*/file\w{6}.*"),  # names that it makes up
    "mkdir": re.compile(r"/dev"),
    "pod2html": re.compile(r".*/pod2htmd\.tmp"),
    "mkfifo": re.compile(r"/proc/self/fd/\d+"),
    "ln": re.compile(r".*/Cu\w{6}"),
    "patch": re.compile(r"/tmp/pp\w+"),
    "gzexe": re.compile(r".*/gzexe\w+"),  # beside the file that it changes
    "rm": re.compile(r"/tmp/zgrep\w+|.*/gzexe\w+"),
    "shred": re.compile(r".*/0+"),
    "zgrep": re.compile(r"/tmp/zgrep\w+"),
    "unzip": re.compile(r"/dev/tty"),
    "zip": re.compile(r".*/(zi\w{6}|-)"),  # without names it is a filter from `-` to `-`
    **dict.fromkeys(("x86_64-linux-gnu-ar", "x86_64-linux-gnu-objcopy"), re.compile(r".*/st\w{6}")),
    "x86_64-linux-gnu-strip": re.compile(r".*/st\w{6}"),
}
"""Files that each program writes by itself: its own records and temporary files."""

CHILDREN: Final[Mapping[str, re.Pattern[str]]] = {
    "git": re.compile(r"git(-.*)?|cat|sh|dash|man|ssh"),
    "git-": re.compile(r".*"),
    "dash": re.compile(r"git-(upload|receive)-pack|gzip|bzip2|xz"),
    "make": re.compile(r".*"),
    "tar": re.compile(r"(g|un|l)?zip|bzip2|xz|lzma|lzop|zstd|compress|sh|dash"),
    "egrep": re.compile(r"grep"),
    "fgrep": re.compile(r"grep"),
    "sdiff": re.compile(r"diff"),
    "diff3": re.compile(r"diff"),
    "pod2html": re.compile(r"pwd"),
    "gzexe": re.compile(r"sed|dirname|basename|mktemp|rm|cp|chmod|ln|mv|tail|gzip|cat|touch"),
    "zdiff": re.compile(r"diff|gzip"),
    "rgrep": re.compile(r"grep"),
    **dict.fromkeys(("gunzip", "uncompress"), re.compile(r"gzip")),
    **dict.fromkeys(("c89", "c99"), re.compile(r"gcc")),
    **dict.fromkeys((f"x86_64-linux-gnu-{each}-12" for each in ("cpp", "gcc", "g++")), re.compile(r"cc1(plus)?|as")),
    "zcat": re.compile(r"gzip"),
    **dict.fromkeys(
        ("bzgrep", "xzgrep", "zegrep", "zfgrep", "zgrep"),
        re.compile(r"gzip|bzip2|xz|sed|[ef]?grep|zgrep|expr|cat|rm|mktemp"),
    ),
}
"""Programs that each program starts by itself. Shells and wrappers start only what their words say."""


def is_noise(deed: Touched, program: str, path: str) -> bool:
    if path == deed.program and not deed.is_write:
        return True
    if DEVICES.fullmatch(path) or (TRANSLATIONS.fullmatch(path) and not deed.is_write):
        return True
    if deed.flags & O_CLOEXEC and not deed.is_write and C_LIBRARY.fullmatch(path):
        return True
    if program in FOLDER_FIRST and deed.is_of_folder and not deed.is_write:
        return True
    table = WRITTEN_BY if deed.is_write else READ_BY
    own = table.get(program) or (table.get("git-") if program.startswith("git-") else None)
    return own is not None and own.fullmatch(path) is not None


GIT_CHANGES_FILES: Final = frozenset(
    [
        "am",
        "apply",
        "bisect",
        "checkout",
        "cherry-pick",
        "clean",
        "clone",
        "commit",
        "init",
        "merge",
        "mv",
        "pull",
        "rebase",
        "reset",
        "restore",
        "revert",
        "rm",
        "stash",
        "submodule",
        "switch",
        "worktree",
    ]
)


FOLDER_FIRST: Final = frozenset({"gzip"})
"""Programs that open the folder of a file before the file."""

WALKERS: Final = frozenset({"du"})
"""Programs that open the folders below their arguments, but no files."""


IMAGE_GIT: Final = "/opt/agentsite/bin/git"
"""The git of the image. It checks with `grep` whether the hooks of the repository are those of the image."""


def is_child(path: str, names: Collection[str]) -> bool:
    """Return whether the program at `path` is known to start child processes with one of these names."""
    launcher = path.rpartition("/")[2]
    if path == IMAGE_GIT and "grep" in names:
        return True
    known = CHILDREN.get("git-" if launcher.startswith("git-") else launcher)
    return known is not None and any(known.fullmatch(name) for name in names)


TALKATIVE: Final = frozenset({"curl", "git-remote-http", "hostname", "wget"})
"""Programs that are meant to open connections. The analysis contains their start, but not the connections."""
