"""Programs that write files whose names are not in their arguments: programs that unpack archives but have no argument
table, and tools that create projects."""

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Final

from tools_app.permission.names import names
from tools_app.permission.shell.usage import CommandUsage, UnnamedTree
from tools_app.permission.shell.words import Field

_UNPACKS: Final[Mapping[str, re.Pattern[str]]] = {
    "cpio": re.compile(r"-[A-Za-z]*[ip][A-Za-z]*|--extract|--pass-through"),
    "pax": re.compile(r"-[A-Za-z]*r[A-Za-z]*"),
    "jar": re.compile(r"-?[a-zA-Z0]*x[a-zA-Z0]*|--extract"),
    "unrar": re.compile(r"[ex]"),
    "rar": re.compile(r"[ex]"),
    "dpkg": re.compile(r"-[xXR]|--v?extract|--raw-extract"),
    "dpkg-source": re.compile(r"-x|--extract"),
    "ptar": re.compile(r"-?[a-zA-Z]*x[a-zA-Z]*"),
    **dict.fromkeys(
        names(
            "unar unsquashfs uudecode uudeview ripmime munpack cabextract unarj unshield innoextract msiextract star"
            " lha arj zoo unace dtrx atool aunpack unp ouch patool xar dar zpaq arc unalz bsdcpio ptargrep rpm2archive"
            " wheel apktool jmod oras binwalk asar"
        ),
        re.compile(".*"),
    ),
}
"""The word with which a program unpacks."""
_PACKS_INPUT: Final[Mapping[str, re.Pattern[str]]] = {
    "cpio": re.compile(r"-[A-Za-z]*[op][A-Za-z]*|--create|--pass-through"),
    "pax": re.compile(r"-[A-Za-z]*w[A-Za-z]*"),
}
"""The word with which a program packs the files that its input names."""
_DECOMPRESSORS: Final = names("unzstd unlz4 lunzip lzop zstd lz4 brotli")
_FOLDER: Final = re.compile(r"(?:-[CdD]|--dir(?:ectory)?|-output-directory|-o)(?:=(.+))?|--directory=(.+)")
_MAKES_JAR: Final = re.compile(r"--?[a-zA-Z0]*[cu][a-zA-Z0]*")
_MAKES: Final[Mapping[str, frozenset[str]]] = {
    "cargo": frozenset({"new", "init"}), "poetry": frozenset({"new"}), "uv": frozenset({"init"}),
    "composer": frozenset({"create-project"}),
    **dict.fromkeys(("npm", "yarn", "pnpm", "bun"), frozenset({"create", "init", "innit"})),
}  # fmt: skip


def touch_unpacked(name: str, args: Sequence[Field], usage: CommandUsage) -> None:
    """Record what a program writes when it unpacks an archive, decompresses files or creates a new project."""
    words = [each.text for each in args]
    plain = [each for each in args if not each.text.startswith("-")]
    if name in {"dpkg", "dpkg-deb"}:  # which of them are archives and folders depends on the action
        usage.touch(plain, "any")
    if _MAKES.get(name, frozenset()) & {each.text for each in plain[:1]}:
        usage.touch(plain[1:], "folder")
    if name in _DECOMPRESSORS:
        usage.touch([Field(each.text.rpartition(".")[0] or each.text, each.known) for each in plain], "write")
    if name in _PACKS_INPUT and any(map(_PACKS_INPUT[name].fullmatch, words)):
        usage.doubt(f"`{name}` reads the names of files from its standard input")
    if name == "jar" and any(map(_MAKES_JAR.fullmatch, [*(f"-{each}" for each in words[:1]), *words])):
        _pack_jar(args, usage)
    unpacks = _UNPACKS.get(name)
    if unpacks is None or not (any(map(unpacks.fullmatch, words)) or unpacks.fullmatch("")):
        return
    given = [following for each, following in pairwise(args) if _FOLDER.fullmatch(each.text)]
    found = filter(None, map(_FOLDER.fullmatch, words))
    joined = [Field(each[1] or each[2]) for each in found if each[1] or each[2]]
    last = plain[-1:] if name in {"dpkg", "cpio", "pax", "rar", "unrar"} else []
    for folder in (Field("."), *given, *joined, *last):
        usage.trees.append(UnnamedTree(folder, "write", "nothing"))
        usage.links.append(folder)


def _pack_jar(args: Sequence[Field], usage: CommandUsage) -> None:
    """Record the files that `jar` packs, also behind links. `-C` names the folder of the next file."""
    rest = list(args)
    while rest:
        word = rest.pop(0)
        if word.text == "-C" and len(rest) > 1:
            folder, file = rest.pop(0), rest.pop(0)
            usage.touch([Field(f"{folder.text}/{file.text}", folder.known and file.known)], "tree")
        elif not word.text.startswith("-"):
            usage.touch([word], "tree")
    usage.deep = usage.follow = True
