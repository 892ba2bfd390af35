"""Arguments of commands that create and unpack archives, compress files or apply patches."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import takewhile
from typing import Final

from tools_app.permission.names import names
from tools_app.permission.shell import paths
from tools_app.permission.shell.options import ParsedArguments, parse_arguments
from tools_app.permission.shell.specs import spec
from tools_app.permission.shell.specs_of_image import of_image
from tools_app.permission.shell.tables_changes import CHANGING
from tools_app.permission.shell.usage import CommandUsage, UnnamedTree, usage_of
from tools_app.permission.shell.words import UNKNOWN, Field

_TAR: Final = of_image(
    spec(
        "AcdrtuxGnSkUWOmpsBiajJzZhPlRvwo",
        "-f< --file< -C/ --directory/ -T! --files-from! -X< --exclude-from< -I! --use-compress-program! --to-command!"
        " --checkpoint-action! -F! --info-script! --new-volume-script! --rsh-command! --rmt-command! --exclude:"
        " --strip-components: --transform:! --xform:! -H: --format: -b: --blocking-factor: -g> --listed-incremental>"
        " --index-file> --volno-file> --add-file< --one-top-level?> --backup? --suffix: --catenate --concatenate"
        " --create --delete --diff --compare --append --test-label --list --update --extract --get --incremental"
        " --ignore-failed-read --seek --occurrence? --sparse --exclude-backups --exclude-caches --exclude-caches-all"
        " --exclude-caches-under --exclude-ignore: --exclude-ignore-recursive: --exclude-tag: --exclude-tag-all:"
        " --exclude-tag-under: --exclude-vcs --exclude-vcs-ignores --null --recursion --anchored --ignore-case"
        " --wildcards --wildcards-match-slash --keep-directory-symlink --keep-newer-files --keep-old-files --overwrite"
        " --overwrite-dir --recursive-unlink --remove-files --skip-old-files --unlink-first --verify --to-stdout"
        " --atime-preserve? --group: --mode: --mtime: --touch --numeric-owner --owner: --preserve-permissions"
        " --same-permissions --same-owner --sort: --preserve-order --same-order --force-local"
        " -M! --multi-volume! -L:! --tape-length:!"
        " --read-full-records --ignore-zeros --record-size: --old-archive --portability --pax-option:"
        " --posix -V: --label: --auto-compress --bzip2 --xz --lzip --lzma --lzop --zstd --gzip --gunzip --ungzip"
        " --dereference --hard-dereference -K: --starting-file: --newer-mtime: -N: --newer: --after-date:"
        " --one-file-system"
        " --absolute-names --checkpoint? --full-time --check-links --quote-chars: --quoting-style: --block-number"
        " --show-defaults --show-omitted-dirs --show-transformed-names --show-stored-names --totals? --utc --verbose"
        " --warning: --interactive --confirmation --no-same-owner --no-same-permissions --no-recursion --no-wildcards"
        " --no-overwrite-dir --no-anchored --no-ignore-case --acls --selinux --xattrs --help --usage --version",
        "R",
    ),
    "tar",
)
_COMPRESSES: Final[Mapping[str, tuple[str, ...]]] = {
    "gzip": ("-z", "--gzip", "--gunzip", "--ungzip"),
    "bzip2": ("-j", "--bzip2"),
    "xz": ("-J", "--xz"),
    "compress": ("-Z", "--compress", "--uncompress"),
    **{name: (f"--{name}",) for name in ("lzip", "lzma", "lzop", "zstd")},
}
"""Programs that `tar` starts, with the options for them."""
_USUAL: Final = frozenset({"gzip", "bzip2", "xz"})
"""Programs that a rule for `tar` covers, too. Only rules that deny them, or ask about them, apply to them."""
_BY_SUFFIX: Final[Mapping[str, str]] = {
    **dict.fromkeys(("gz", "tgz", "taz"), "gzip"),
    **dict.fromkeys(("bz2", "tbz", "tbz2", "tz2"), "bzip2"),
    **dict.fromkeys(("xz", "txz"), "xz"),
    **dict.fromkeys(("Z", "taZ"), "compress"),
    "lz": "lzip",
    **dict.fromkeys(("lzma", "tlz"), "lzma"),
    **dict.fromkeys(("lzo", "tzo"), "lzop"),
    **dict.fromkeys(("zst", "tzst"), "zstd"),
}
_BSD_LETTERS: Final = re.compile(r"(-?)([^-bCfIsTWX]+)(.*)")
"""Letters of `bsdtar`, up to the first one with a value."""
_COPIED: Final = re.compile(r"@(?!-$).")
"""An archive from which `bsdtar` copies the entries."""
_FOLDERS: Final = ("-C", "--directory")
_TIMES: Final = ("-N", "--newer", "--after-date", "--newer-mtime", "--mtime")
"""Options of `tar` whose value is a date, or a file with this date if it begins like a path."""
_ARCHIVES: Final = ("-f", "--file")
_WRITES: Final = (
    *("-c", "-r", "-u", "-A"),
    *("--create", "--append", "--update", "--catenate", "--concatenate", "--delete"),
)


def tar(args: Sequence[Field]) -> CommandUsage:
    """Return the usage of `tar`. Creating writes the archive; extracting may write any files and links."""
    if args and args[0].known and re.fullmatch(r"[A-Za-z]+", args[0].text):
        args = _old_style(args)
    found = parse_arguments("tar", args, _TAR)
    usage = usage_of(found, _TAR)
    usage.paths = list(found.paths)
    usage.touch((each for each in found.values_of(*_TIMES) if each.text[:1] in {"/", ".", UNKNOWN}), "read")
    if any(":" in each.text for each in found.values_of(*_ARCHIVES)) and not found.has("--force-local"):
        usage.doubt("`tar` connects to another machine")
    if found.has(*_WRITES):
        _create(found, usage)
    if found.has("-d", "--diff", "--compare"):
        usage.deep = True
        usage.follow = found.has("-h", "--dereference")
        usage.touch(found.operands or [Field(".")], "tree")
    if found.has("-x", "--extract", "--get"):
        _extract(found, usage)
    _run_compressors(found, usage)
    return usage


def bsd_tar(args: Sequence[Field]) -> CommandUsage:
    """Return the usage of `bsdtar`, which follows links with `-L`; `-H` means those that are named."""
    words = [replace(each, text=_of_gnu(each, old_style=not index)) for index, each in enumerate(args)]
    usage = tar([each for each, before in zip(words, args, strict=True) if each.text != "-" or before.text == "-"])
    usage.touch((replace(each, text=each.text[1:]) for each in args if _COPIED.match(each.text)), "read")
    return usage


def _of_gnu(word: Field, *, old_style: bool) -> str:
    """Return a word of `bsdtar` as `tar` of GNU spells it."""
    letters = _BSD_LETTERS.fullmatch(word.text)
    if letters and word.known and letters[1]:
        return f"-{letters[2].replace('L', 'h').replace('H', '')}{letters[3]}"
    return word.text.replace("L", "h").replace("H", "") if letters and old_style else word.text


def _run_compressors(found: ParsedArguments, usage: CommandUsage) -> None:
    """Record the programs that `tar` starts to compress or decompress.

    An option, the archive's suffix or its content decides which program that is.
    """
    programs = [name for name, options in _COMPRESSES.items() if found.has(*options)]
    archives = found.values_of(*_ARCHIVES)
    if found.has("-a", "--auto-compress") and any(not each.known or each.pattern is not None for each in archives):
        usage.doubt("the name of an archive that is not known decides which program `tar --auto-compress` runs")
    if found.has("-a", "--auto-compress") or not found.has(*_WRITES):
        suffixes = (each.text.rpartition(".")[2] for each in archives)
        programs += [_BY_SUFFIX[each] for each in suffixes if each in _BY_SUFFIX]
    programs += ["xz"] if "lzma" in programs else []  # GNU tar may be built to start either
    for each in dict.fromkeys(programs):
        commands = usage.spellings if each in _USUAL else usage.inner
        commands.append([Field(each)])
    if not found.has(*_WRITES):  # the content of an archive decides, whatever it is called
        usage.spellings += [[Field(each)] for each in _COMPRESSES]


def _create(found: ParsedArguments, usage: CommandUsage) -> None:
    usage.paths = [(path, kind) for path, kind in usage.paths if path not in found.values_of(*_ARCHIVES)]
    usage.touch(found.values_of(*_ARCHIVES), "write")
    usage.deep = True
    usage.follow = found.has("-h", "--dereference")
    folder = "."
    removes = found.has("--remove-files")
    for each in found.values_of(*_FOLDERS):  # each counts from the one before
        folder = paths.join(folder, each.text)
        members = [Field(paths.join(folder, one.text), each.known and one.known) for one in found.operands]
        usage.touch(members, "tree")
        usage.touch(members if removes else (), "write")
    if found.has("-T", "--files-from"):
        usage.trees.append(UnnamedTree(Field("."), "read", "nothing"))
    usage.touch(found.operands, "write" if removes else "tree")


def _extract(found: ParsedArguments, usage: CommandUsage) -> None:
    if found.has("-P", "--absolute-names"):
        usage.doubt("`tar -P` writes to any path that the archive contains")
    if found.has("-O", "--to-stdout"):
        return
    folders = [*found.values_of(*_FOLDERS), *found.values_of("--one-top-level")] or [Field(".")]
    usage.trees += [UnnamedTree(folder, "write", "nothing") for folder in folders]
    usage.links.extend(folders)


def _old_style(args: Sequence[Field]) -> Sequence[Field]:
    """Rewrite old-style options: `tar cfI archive program` becomes `tar -c -f archive -I program`."""
    letters, rest = args[0].text, list(args[1:])
    found: list[Field] = []
    for letter in letters:
        takes = _TAR.takes_value(f"-{letter}")
        found += [Field(f"-{letter}"), *([rest.pop(0)] if takes and rest else [])]
    return [*found, *rest]


_UNZIP: Final = spec("aAbBcCDfhjKlLMnopqtTuvVWXZz:", "-d> -x: -P:", "rt")


_ZIPINFO: Final = spec("12CMTZhlmstvz", "-x:", "rt")


def zipinfo(args: Sequence[Field]) -> CommandUsage:
    found = parse_arguments("zipinfo", args, _ZIPINFO)
    usage = usage_of(found, _ZIPINFO)
    _touch_zips(args, found, usage)
    return usage


def _touch_zips(args: Sequence[Field], found: ParsedArguments, usage: CommandUsage) -> None:
    """Record the archives that `unzip` or `zipinfo` may read; these programs expand wildcards in names themselves.

    The operands of `-x` are members of the archive if the archive's name precedes `-x`; otherwise the first operand of
    `-x` is the name of the archive.
    """
    options = takewhile(lambda each: each.text.startswith("-"), args)
    names_of = found.values_of("-x") if any("x" in each.text for each in options) else []
    usage.touch(names_of, "read")
    globs = [each for each in (*found.operands[:1], *names_of) if re.search(r"[*?\[]", each.text)]
    usage.touch([Field(each.text, each.known, pattern=each.text) for each in globs if each.pattern is None], "read")


def unzip(args: Sequence[Field]) -> CommandUsage:
    found = parse_arguments("unzip", args, _UNZIP)
    usage = usage_of(found, _UNZIP)
    _touch_zips(args, found, usage)
    if not found.has("-l", "-t", "-p", "-c", "-v", "-Z", "-z"):
        folders = found.values_of("-d") or [Field(".")]
        usage.trees += [UnnamedTree(folder, "write", "nothing") for folder in folders]
        usage.links.extend(folders)
    return usage


_PATCH: Final = of_image(
    spec(
        "bcEflmnNRsTtuvZ",
        "-e! --ed! -p: --strip: -i< --input< -d/ --directory/ -o> --output> -r> --reject-file> -D: --ifdef: -F: --fuzz:"
        " -g! --get! -B:! --prefix:! -Y:! --basename-prefix:! -z:! --suffix:!"
        " -V: --version-control: -x: --debug: --backup"
        " --context --remove-empty-files --force --ignore-whitespace --merge? --normal --forward --reverse --quiet"
        " --silent --set-time --batch --unified --set-utc --dry-run --verbose --binary --backup-if-mismatch"
        " --no-backup-if-mismatch --posix --quoting-style: --reject-format: --read-only: --help --version",
        "cr",
    ),
    "patch",
)


def patch(args: Sequence[Field]) -> CommandUsage:
    """Return the usage of `patch`. If the arguments name no file, it may write any file below the working directory,
    because the patch names the files."""
    found = parse_arguments("patch", args, _PATCH)
    usage = usage_of(found, _PATCH)
    usage.folders = found.values_of("-d", "--directory")
    usage.paths = [(path, kind) for path, kind in usage.paths if kind != "enter"]
    for each in found.values_of("-B", "--prefix", "-Y", "--basename-prefix", "-z", "--suffix"):
        folder = each.text.rpartition("/")[0]
        usage.trees += [UnnamedTree(Field(folder, each.known), "write", "nothing")] if folder else []
    if not (found.operands or found.has("--dry-run", "-o", "--output")):
        usage.trees.append(UnnamedTree(Field("."), "write", "nothing"))
    return usage


_AR_WORD: Final = re.compile(r"-?([dmpqrstx])?[cDlNoPsSTuUvV]*([dmpqrstx])?[cDlNoPsSTuUvV]*")
_AR_CHANGES: Final = names("d q r s")


def ar(args: Sequence[Field]) -> CommandUsage:
    """Return the usage of `ar`.

    When it unpacks files, their names come from the archive. An archive may also refer to outside files, and `ar` shows
    their contents.
    """
    usage = CommandUsage()
    key, files = args[0] if args else Field(""), args[1:]
    found = _AR_WORD.fullmatch(key.text) if key.known else None
    action = (found[1] or found[2] or "") if found else ""
    usage.touch(files[:1], "change" if action in _AR_CHANGES else "read")
    usage.touch(files[1:], "tree" if action in _AR_CHANGES else "any")
    if action not in _AR_CHANGES | {"t"} or any(each.text.startswith(("-", "@")) for each in files):
        usage.trees += [UnnamedTree(Field("."), mode, "nothing") for mode in ("read", "write")]
        usage.doubt("it is not known which files `ar` reads or writes")
    return usage


_SUFFIXES: Final = {
    "gzip": ".gz", "gunzip": ".gz", "bzip2": ".bz2", "bunzip2": ".bz2", "xz": ".xz", "unxz": ".xz",
    "lzma": ".lzma", "unlzma": ".lzma", "uncompress": ".Z",
}  # fmt: skip


def _compress(name: str, args: Sequence[Field]) -> CommandUsage:
    """Return the usage of a program such as `gzip`, which adds its suffix to a file's name, or removes it when it
    decompresses."""
    found = parse_arguments(name, args, CHANGING[name])
    usage = usage_of(found, CHANGING[name])
    if found.has("-r", "--recursive") and found.has("-c", "--stdout", "--to-stdout", "-f", "--force"):
        usage.doubt(f"`{name} -r` with these options follows links out of the folder")
        usage.follow = True
    suffix = (found.values_of("-S", "--suffix") or [Field(_SUFFIXES[name])])[-1]
    unpacks = "un" in name or found.has("-d", "--decompress", "--uncompress")
    if unpacks and found.has("-N", "--name"):
        usage.doubt(f"`{name} -N` gives files the names that stand in the archive")
        tops = dict.fromkeys(each.text.rpartition("/")[0] or "." for each in found.operands)
        usage.trees += [UnnamedTree(Field(top), "write", "nothing", flat=True) for top in tops]
    for each in found.operands:
        known = each.known and suffix.known
        usage.touch([Field(f"{each.text}{suffix.text}", known), Field(f"{each.text}.out", known)], "into")
        usage.touch([Field(each.text.removesuffix(suffix.text).removesuffix(".out"), known)], "write")
        usage.touch([Field(each.text.rpartition(".")[0] or each.text, known)], "into")
    return usage


_ADDS: Final = names("a u")
_UNPACKS: Final = names("e x")
_LOOKS: Final = names("l t h b i")


def seven_zip(args: Sequence[Field]) -> CommandUsage:
    """Return the usage of `7z`: its first word is a command, and its options have their values attached."""
    usage = CommandUsage()
    words = [each for each in args if not each.text.startswith("-") or not each.known]
    command = words[0].text if words else ""
    folders = [Field(each.text[2:], each.known) for each in args if each.text.startswith(("-o", "-w"))]
    files = words[2:]
    for each in args:
        if not each.known or each.text.startswith(("@", "-i", "-x", "-ai", "-ax", "-an", "-u", "-sfx")):
            usage.doubt(f"`7z` may read the names of files from `{each.source or each.text}`")
            usage.trees.append(UnnamedTree(Field("."), "read", "nothing"))
    if command in _UNPACKS:
        usage.touch(words[1:2], "read")
        usage.trees += [UnnamedTree(folder, "write", "nothing") for folder in folders or [Field(".")]]
        usage.links += folders or [Field(".")]
    elif command in _ADDS:
        archives = words[1:2]
        usage.touch([*archives, *(Field(f"{each.text}.7z", each.known) for each in archives)], "write")
        usage.touch(folders, "write")
        usage.touch(files or [Field(".")], "change" if any(each.text == "-sdel" for each in args) else "tree")
        usage.deep = usage.follow = True
        usage.trees += [UnnamedTree(Field("."), "read", "nothing")] if any(map(_is_mask, files)) else []
    elif command in _LOOKS:
        usage.touch(words[1:], "read")
    else:
        usage.touch(words[1:], "any")
        usage.doubt(f"it is not known what `7z {command}` does")
    usage.possible += args
    return usage


def _is_mask(word: Field) -> bool:
    """Return whether 7z itself expands wildcards in the word. A `!` may precede the wildcard."""
    return word.pattern is None and bool(re.search(r"[*?]", word.text))


COMPRESSORS: Final[Mapping[str, Callable[[Sequence[Field]], CommandUsage]]] = {
    name: partial(_compress, name) for name in _SUFFIXES
}
