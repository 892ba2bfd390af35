"""logins_by_path(): the machines that a program logs in to because they stand in front of a path: `tar -cf a@b:x.tar`.

Rules about `ssh` hold for these commands, too. Sources: the manuals of the programs.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Final

from tools_app.permission.names import names
from tools_app.permission.shell.login_addresses import login
from tools_app.permission.shell.words import Field

_USER: Final = re.compile(r"(?:--?[\w-]+=)?([\w.-]+@[\w.-]+):")
_BY_WORD: Final[Mapping[str, re.Pattern[str]]] = {
    **dict.fromkeys(("syncoid", "darcs", "zfs-autobackup", "bup"), _USER),
    "borg": re.compile(r"(?:--?[\w-]+=)?((?:[\w.-]+@[\w.-]+(?=:)|[\w.-]+(?=:[^:\s]+::)))"),
    "rdiff-backup": re.compile(r"([\w.@-]+)::(?=.)"),
    "mutagen": re.compile(r"([\w.-]+@[\w.-]+|[\w.-]+(?=:[/~])):(?!//)"),
    "xpra": re.compile(r"(?:ssh|vnc\+ssh)[:/](?:/)?((?:[\w.%-]+@)?[\w.-]+)"),
    **dict.fromkeys(("afio", "tcopy", "amrestore", "rmt"), re.compile(r"([\w.-]+@[\w.-]+|[\w.-]+):.")),
    "distcc": re.compile(r"(?:.*\s)?([\w.-]*@[\w.-]+)"),
}  # fmt: skip
"""Programs, and how each of their words begins that names a machine."""
_OPTIONS: Final[Mapping[str, frozenset[str]]] = {
    **dict.fromkeys(
        ("tar", "gtar", "bsdtar"),
        names("-f --file --fil --fi -g --listed-incremental --index-file --volno-file"),
    ),
    **dict.fromkeys(("cpio", "mt-cpio"), names("-F -I -O -E --file")),
    **dict.fromkeys(
        ("mt", "mt-gnu", "mt-st", "dump", "rdump", "restore", "rrestore", "pax", "spax", "scpio", "gnutar"),
        names("-f --file"),
    ),
    "buffer": names("-i -o"),
}  # fmt: skip
"""Programs, and their options whose value is an archive, which may be on another machine."""
_LETTERS: Final = re.compile(r"-[A-Za-z0-9]+")
_OLD_STYLE: Final = re.compile(r"[A-Za-z0-9]*f[A-Za-z0-9]*")
_WITH_VALUES: Final = frozenset("bCFgHKLNTVX")
"""Letters of tar that take values in the order in which they stand in `tar cbf 20 a.tar`."""
_REMOTE: Final = re.compile(r"([^\s/:]+):.")
"""An archive with a colon before any slash is on another machine, unless an option says that none is."""
_ALL_LOCAL: Final = "--force-l"


def logins_by_path(readings: Sequence[Sequence[Field]]) -> Iterator[list[Field]]:
    """Yield a command of `ssh` for each machine in front of a path in a reading of a command."""
    for words in readings:
        name, args = words[0].text, words[1:]
        if pattern := _BY_WORD.get(name):
            yield from (login(found[1]) for word in args if (found := pattern.match(word.text)))
        if options := _OPTIONS.get(name):
            is_local = any(each.text.startswith(_ALL_LOCAL) for each in args)
            archives = [] if is_local else _archives(args, options)
            yield from (login(found[1]) for each in archives if (found := _REMOTE.match(each)))


def _archives(args: Sequence[Field], options: frozenset[str]) -> Iterator[str]:
    """Yield the values of options that name an archive, also behind other letters: `-czf a`, `-cfa`, `czf a`."""
    if "-f" in options and args and _OLD_STYLE.fullmatch(args[0].text):
        first = args[0].text.partition("f")[0]
        yield from (each.text for each in args[1 + sum(map(first.count, _WITH_VALUES)) :][:1])
    letters = {each[1] for each in options if len(each) == len("-f")}
    for before, arg in pairwise([Field(""), *args]):
        option, equals, value = arg.text.partition("=")
        if before.text in options or (_LETTERS.fullmatch(before.text) and before.text[-1] in letters):
            yield arg.text
        if equals and option in options:
            yield value
        elif arg.text[:1] == "-" != arg.text[1:2] and (place := _first(arg.text, letters)):
            yield arg.text[place:]


def _first(text: str, letters: set[str]) -> int:
    """Return the place behind the first of these letters; 0 if there is none."""
    return next((index for index, each in enumerate(text, 1) if each in letters), 0)
