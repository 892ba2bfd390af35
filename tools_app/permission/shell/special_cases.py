"""Facts about commands that option tables cannot describe: files without an option, links that are followed, names that
are computed."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Final
from urllib.parse import unquote

from tools_app.permission.names import names
from tools_app.permission.shell.options import ParsedArguments, may_split
from tools_app.permission.shell.uploads import touch_uploads
from tools_app.permission.shell.usage import CommandUsage, UnnamedTree, touch_folders_on_the_way
from tools_app.permission.shell.words import Field

Case = Callable[[ParsedArguments, CommandUsage], None]

_FOLLOWING: Final[Mapping[str, Sequence[str]]] = {
    **dict.fromkeys(
        ("ls", "dir", "vdir"),
        ("-L", "--dereference", "-H", "--dereference-command-line", "--dereference-command-line-symlink-to-dir"),
    ),
    **dict.fromkeys(("chown", "chgrp", "chmod", "chcon"), ("-L",)),
    **dict.fromkeys(("setfacl", "getfacl"), ("-L", "--logical")),
    "du": ("-L", "--dereference", "-D", "-H", "--dereference-args"),
    "tree": ("-l",),
    "fd": ("-L", "--follow"),
    "zip": ("-r", "--recurse-paths"),
    **dict.fromkeys(("gzip", "gunzip", "zcat"), ("-r", "--recursive")),
}
"""Options that make commands follow links in the trees that they read or change."""
_ALWAYS_FOLLOWING: Final = names("diff sdiff zdiff bzdiff xzdiff lzdiff")
_ALWAYS_DEEP: Final = frozenset({"tree", "du", "fd", "hardlink"}) | _ALWAYS_FOLLOWING
"""Commands that read all of a folder without an option. `diff` compares all files of two folders."""
_COMPRESSED_SEARCHES: Final = names("zgrep zegrep zfgrep bzgrep bzegrep bzfgrep xzgrep xzegrep xzfgrep lzgrep")
_COMPARES: Final = {f"{packed}{name}": name for packed in ("z", "bz", "xz", "lz") for name in ("diff", "cmp")}
"""Programs for compressed files, and the program with which they compare the contents."""
_READ_OPTIONS: Final = names("strings strip objcopy objdump nm size readelf addr2line ranlib c++filt")
"""Programs of binutils: they read more arguments, files to write among them, from the file in `@file`."""
_JOB: Final = re.compile(r"%?\d*")

_LOCAL_FILES: Final = re.compile(r"-\w*l|--loca")
"""Options of `man` with which its operands are files."""


def with_special_cases(name: str, found: ParsedArguments, usage: CommandUsage) -> CommandUsage:
    """Add to `usage` the effects of the command `name` that its `ArgumentSpec` does not describe, and return
    `usage`."""
    follows = found.has(*_FOLLOWING.get(name, ())) or name in _ALWAYS_FOLLOWING
    usage.deep = usage.deep or name in _ALWAYS_DEEP
    usage.follow = usage.follow or (follows and usage.deep)
    if name in _COMPRESSED_SEARCHES and usage.deep:
        usage.doubt(f"`{name}` with this option searches the working directory, too")
    if name in _COMPARES:
        usage.spellings.append([Field(_COMPARES[name]), *found.operands])
    if name in _READ_OPTIONS:
        _read_options(name, found, usage)
    if case := _CASES.get(name):
        case(found, usage)
    return usage


def _read_options(name: str, found: ParsedArguments, usage: CommandUsage) -> None:
    words = [*found.operands, *(value for _, value in found.options if value is not None)]
    files = [Field(each.text[1:], each.known) for each in words if each.text.startswith("@")]
    usage.touch(files, "read")
    if files:
        usage.doubt(f"`{name}` reads options from a file")


def _less(found: ParsedArguments, usage: CommandUsage) -> None:
    if any(each.text.startswith("+") for each in found.operands):
        usage.doubt("a word that begins with `+` is a command for the pager")


def _man(found: ParsedArguments, usage: CommandUsage) -> None:
    local = any(_LOCAL_FILES.match(name) for name, _ in found.options)
    usage.touch([each for each in found.operands if local or "/" in each.text], "read")


def _ls(found: ParsedArguments, usage: CommandUsage) -> None:
    if found.has("-d", "--directory"):
        usage.paths = [(path, "names" if kind == "list" else kind) for path, kind in usage.paths]


def _fd(found: ParsedArguments, usage: CommandUsage) -> None:
    runs = found.has("-x", "-X", "--exec", "--exec-batch")
    for each in [Field("."), *found.operands] if runs else [Field(".")]:
        usage.paths.append((each, "tree" if usage.follow or runs else "list"))


def _diff(found: ParsedArguments, usage: CommandUsage) -> None:
    if found.has("-l", "--paginate"):
        usage.spellings.append([Field("pr")])
        usage.doubt("`diff -l` runs `pr`")


def _top(_found: ParsedArguments, usage: CommandUsage) -> None:
    """Record the folder of settings that `top` creates, whatever its arguments are."""
    usage.touch([Field("/home/agent/.config/procps")], "place")


def _split(found: ParsedArguments, usage: CommandUsage) -> None:
    """Record the files that `split` writes. Their names begin with the second operand."""
    usage.paths = [(path, kind) for path, kind in usage.paths if kind != "write"]
    prefix = found.operands[1] if len(found.operands) > 1 else Field("x")
    end = (found.values_of("--additional-suffix") or [Field("")])[-1]
    length = (found.values_of("-a", "--suffix-length") or [Field("")])[-1]
    counts = found.has("-d", "-x", "--numeric-suffixes", "--hex-suffixes")
    names = ["??", "9???", "f???"] if counts else ["??", "z???"]
    if length.text and length.text != "0":
        names = ["?" * int(length.text)] if length.text.isdigit() and len(length.text) == 1 else ["*"]
    known = length.known and end.known and not (may_split(prefix) or may_split(length) or may_split(end))
    _write_parts(prefix, [f"{each}{end.text}" for each in names], usage, known=known)


def _csplit(found: ParsedArguments, usage: CommandUsage) -> None:
    prefix = (found.values_of("-f", "--prefix") or [Field("xx")])[-1]
    given = found.values_of("-b", "--suffix-format")
    suffix = given[-1] if given else Field("")
    before, percent, after = suffix.text.rpartition("%")
    named = [f"{before}*{after.lstrip(_NUMBERS)}" if percent else "*"]
    plain = ["*"] if found.has("-n", "--digits") else ["??", "???"]
    known = suffix.known and not (may_split(prefix) or may_split(suffix))
    _write_parts(prefix, named if given else plain, usage, known=known)


_NUMBERS: Final = "-+ #0123456789.diuoxXc'"
"""Characters between the percent sign and the end of a number format, as in `%05d`."""


def _write_parts(prefix: Field, names: Sequence[str], usage: CommandUsage, *, known: bool) -> None:
    """Record files whose names consist of `prefix`, which may contain a folder, and of a text that matches one of
    the globs `names`."""
    if not (known and prefix.known):
        usage.doubt("it is not known how the files are called that are written")
        return
    folder, slash, start = prefix.text.rpartition("/")
    top = Field(folder or slash or ".")
    usage.touch([top], "enter")
    usage.trees.append(UnnamedTree(top, "write", "nothing", tuple(f"{start}{each}" for each in names), flat=True))


def _mktemp(found: ParsedArguments, usage: CommandUsage) -> None:
    """Record the names that `mktemp` may choose. It replaces the last sequence of X by any letters."""
    in_folder = found.has("-p", "--tmpdir", "-t") or not found.operands
    suffix = (found.values_of("--suffix") or [Field("")])[-1]
    for each in found.operands or [Field("tmp.XXX")]:
        template = _X_RUN.fullmatch(each.text)
        start, letters, end = template.groups() if template else (each.text, "", "")
        known = suffix.known and not (may_split(each) or may_split(suffix))
        if not in_folder:
            _write_parts(Field(start, each.known), [f"{'?' * len(letters)}{end}{suffix.text}"], usage, known=known)
        elif not found.has("-u", "--dry-run", "-V", "--version", "--help"):
            name = Field(f"{start}…{end}{suffix.text}", known and each.known)
            _write_temporary(found.values_of("-p", "--tmpdir"), name, usage)


def _tempfile(found: ParsedArguments, usage: CommandUsage) -> None:
    """Record the file that `tempfile` makes."""
    before = (found.values_of("-p", "--prefix") or [Field("file")])[-1]
    after = (found.values_of("-s", "--suffix") or [Field("")])[-1]
    if not found.has("-n", "--name", "--version", "--help"):
        name = Field(f"{before.text}…{after.text}", before.known and after.known)
        _write_temporary(found.values_of("-d", "--directory"), name, usage)


def _write_temporary(folders: Sequence[Field], name: Field, usage: CommandUsage) -> None:
    """Record a temporary file in the last one of `folders`, or in `/tmp`. A text that sets `TMPDIR` is incomplete."""
    folder = folders[-1] if folders and folders[-1].text else Field("/tmp")  # noqa: S108 - only its name matters
    known = folder.known and name.known
    usage.touch([Field(f"{folder.text}/{name.text}", known, source=folder.source or name.text)], "write")


_X_RUN: Final = re.compile(r"(.*?)(X{3,})([^X/]*)", re.DOTALL)


def _wait(found: ParsedArguments, usage: CommandUsage) -> None:
    if any(not (each.number or (each.known and _JOB.fullmatch(each.text))) for each in found.operands):
        usage.doubt("`wait` sets a variable")


def _date(found: ParsedArguments, usage: CommandUsage) -> None:
    if any(not each.text.startswith("+") for each in found.operands):
        usage.doubt("`date` may set the clock")


def _hostname(found: ParsedArguments, usage: CommandUsage) -> None:
    if found.operands:
        usage.doubt("`hostname` may set the name of the machine")


def _file(found: ParsedArguments, usage: CommandUsage) -> None:
    for value in found.values_of("-m", "--magic-file"):  # a list of files or folders
        usage.touch([Field(each, value.known) for each in value.text.split(":")], "tree")


def _iconv(found: ParsedArguments, usage: CommandUsage) -> None:
    for value in found.values_of("-f", "-t", "--from-code", "--to-code"):
        name = value.text.partition("//")[0]
        usage.touch([Field(name, value.known)] if "/" in name or not value.known else [], "read")


def _curl(found: ParsedArguments, usage: CommandUsage) -> None:
    """Record the files that `curl` uploads and that `curl -O` writes. The analysis becomes incomplete if only a
    server or another file names the files."""
    folder = (found.values_of("--output-dir") or [Field(".")])[-1]
    if found.has("-J", "--remote-header-name"):
        usage.doubt("`curl -J` writes files whose names a server chooses")
    _curl_globs(found, usage)
    touch_uploads(found, usage)
    if any(name.startswith(("--expand-", "--variable")) for name, _ in found.options):
        usage.doubt("`curl` reads variables from files")
    if any("%output{" in each.text for each in found.values_of("-w", "--write-out")):
        usage.doubt("`curl -w` writes into a file")
    if any(each.text.startswith("@") for each in found.values_of("--url")):
        usage.doubt("`curl --url` reads addresses from a file")
    if found.has("-O", "--remote-name", "--remote-name-all"):
        for each in [*found.operands, *found.values_of("--url")]:
            name = re.split("[?#]", each.text)[0].rstrip("/").rpartition("/")[2]
            usage.touch([Field(f"{folder.text}/{name}", each.known and folder.known)], "write")


def _curl_globs(found: ParsedArguments, usage: CommandUsage) -> None:
    """Record that `curl` expands braces and brackets in addresses, so the names of the files that it writes are not
    known: `curl -O 'http://a/{x,y}'`, `curl -o '#1' 'http://a/[1-9]'`."""
    outputs = found.values_of("-o", "--output")
    globs = any(_CURL_GLOB.search(each.text) for each in [*found.operands, *found.values_of("--url")])
    named = any(re.search(r"#\d", each.text) for each in outputs)
    if (
        not globs
        or found.has("-g", "--globoff")
        or not (named or found.has("-O", "--remote-name", "--remote-name-all"))
    ):
        return
    tops = [each.text.partition("#")[0].rpartition("/")[0] for each in outputs]
    folders = found.values_of("--output-dir") or [Field(".")]
    usage.doubt("`curl` chooses the names of files by a pattern")
    usage.trees += [UnnamedTree(each, "write", "nothing") for each in [*folders, *map(Field, filter(None, tops))]]


_CURL_GLOB: Final = re.compile(r"\{|\[(?![\da-fA-F:.]*:[\da-fA-F:.]*\])")
"""Braces and brackets, but those around an address of a machine."""


def _mkdir(found: ParsedArguments, usage: CommandUsage) -> None:
    """Record the folders that `mkdir -p a/b/../c` creates on its way."""
    if found.has("-p", "--parents"):
        touch_folders_on_the_way(found.operands, usage)


def _of_rights(found: ParsedArguments, usage: CommandUsage) -> None:
    """Mark the analysis as incomplete if `setfacl` or `getfacl` reads from its input which files they are about."""
    if any(each.text == "-" for each in found.operands):
        usage.doubt("its input says which files it is about")


_SHOWS_NAMES: Final = ("-v", "--verbose", "-c", "--changes", "-i", "-I", "--interactive")


def _verbose(found: ParsedArguments, usage: CommandUsage) -> None:
    """Record that a command which changes whole directory trees lists the changed files, if an option says so."""
    if usage.deep and found.has(*_SHOWS_NAMES):
        usage.touch([path for path, kind in usage.paths if kind == "write"], "list")


def _zic(found: ParsedArguments, usage: CommandUsage) -> None:
    """Record the folder in which `zic` writes files. Their names are names of time zones from its input."""
    usage.trees += [UnnamedTree(each, "write", "nothing") for each in found.values_of("-d")]


def _objcopy(found: ParsedArguments, usage: CommandUsage) -> None:
    """Record the files in options of `objcopy` such as `--dump-section .text=file`."""
    values = [*found.operands, *(value for _, value in found.options if value is not None)]
    files = (Field(each.text.partition("=")[2], each.known) for each in values)
    usage.touch((each for each in files if each.text), "change")


_ZIP_NAMES: Final = ("-@", "--names-stdin", "-R", "-f", "--freshen", "-FS", "--filesync")
"""Options with which the input, the archive or patterns say which files are read."""


def _zip(found: ParsedArguments, usage: CommandUsage) -> None:
    """Record the archive that `zip` writes, and the lists of names that it reads. It adds `.zip` to a name without an
    extension."""
    lists = [each for each in (*found.values_of("-x", "-i", "-R"), *found.operands) if each.text.startswith("@")]
    usage.touch([Field(each.text[1:], each.known) for each in lists if each.text != "@"], "read")
    if found.has("-m", "--move") and not found.operands:  # it takes its input for a file `-`
        usage.touch([Field("./-")], "write")
    if found.has(*_ZIP_NAMES) or (found.has("-u", "--update") and not found.operands[1:]):
        usage.trees.append(UnnamedTree(Field("."), "read", "nothing"))
    for each in found.operands[:1]:
        if "." not in each.text.rpartition("/")[2] and each.text != "-":
            usage.touch([Field(f"{each.text}.zip", each.known)], "write")


def _wget(found: ParsedArguments, usage: CommandUsage) -> None:
    """Record the files that `wget` writes. Their names come from addresses or from the servers' responses."""
    folder = (found.values_of("-P", "--directory-prefix") or [Field(".")])[-1]
    if found.has(*_WGET_TREES) or usage.doubts:
        usage.trees.append(UnnamedTree(folder, "write", "nothing"))
    elif not found.has("-O", "--output-document"):
        for each in found.operands or [Field("…")]:
            name = each.text.partition("?")[0].rpartition("/")[2] or "index.html"
            known = each.known and folder.known
            usage.touch([Field(f"{folder.text}/{unquote(name)}", known)], "write")
            usage.trees += [] if known else [UnnamedTree(folder, "write", "nothing", flat=True)]


_WGET_TREES: Final = (
    *("-r", "-x", "-m", "-p", "--recursive", "--mirror", "--page-requisites", "--force-directories"),
    *("--content-disposition", "--trust-server-names", "--protocol-directories"),
)
"""Options with which the downloaded pages decide the folders and names of the written files."""


_CASES: Final[Mapping[str, Case]] = {
    **dict.fromkeys(("ls", "dir", "vdir"), _ls), "fd": _fd, "diff": _diff, "top": _top,
    "mktemp": _mktemp, "tempfile": _tempfile, "split": _split, "csplit": _csplit, "wait": _wait, "date": _date,
    "hostname": _hostname, "file": _file, "iconv": _iconv, "curl": _curl, "wget": _wget, "mkdir": _mkdir, "zip": _zip,
    "man": _man, **dict.fromkeys(names("less more zless bzless xzless lzless"), _less),
    **dict.fromkeys(("chmod", "chown", "chgrp", "rm"), _verbose),
    "zic": _zic, "objcopy": _objcopy, **dict.fromkeys(("setfacl", "getfacl"), _of_rights),
}  # fmt: skip
