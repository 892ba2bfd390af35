"""Record the files and folders in `file:` addresses, and the folders that options name for output files."""

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Final
from urllib.parse import unquote

from tools_app.permission.shell.options import ParsedArguments
from tools_app.permission.shell.specs import ArgumentSpec, Option
from tools_app.permission.shell.usage import CommandUsage, UnnamedTree
from tools_app.permission.shell.words import Field

_ADDRESS: Final = re.compile(r"(?<![a-z])file:(?://[^/\s]*)?(/?[^\s]*)", re.IGNORECASE)
_DATABASE: Final = re.compile(r"(?:sqlite\w*(?:\+\w+)?|duckdb):(?:///)?([^\s?]+)", re.IGNORECASE)
"""The address of a database that is a file: `sqlite:///folder/file` counts from the working directory."""
_NAME: Final = re.compile(r"@[\w./~+-]+")
_GLOB: Final = re.compile(r"[*?\[{\\]")
_FOLDER_OPTION: Final = re.compile(
    r"--?[\w.-]*(?:dir|directory|folder|destination|dest|trace|outdir|report|reports|cache|artifacts)", re.IGNORECASE
)
_EMPTIED: Final = re.compile(
    r"--?(?:\w+[.-])*(?:out|output|outputs|dist|dest|destination|site|build|temp|report|reports)"
    r"[_-]?(?:dir|directory|folder|path)"
    r"|--?destination",
    re.IGNORECASE,
)
"""Options that name a folder which tools such as `vite`, `webpack` and `hugo` empty before they write into it."""
_EMPTIED_LETTERS: Final[Mapping[str, str]] = {
    **dict.fromkeys(("webpack", "ncc", "storybook"), "-o"), "nyc": "-t",
    **dict.fromkeys(("hugo", "jekyll", "mdbook", "mkdocs", "tsup", "tsdown"), "-d"),
}  # fmt: skip
"""The same options as single letters."""
_EMPTIED_BEFORE: Final[Mapping[str, re.Pattern[str]]] = {"pytest": re.compile(r"--outp?u?t?")}
"""Tools, and the option for a folder that they remove before they run, even if it is the working directory: that of
pytest-playwright."""
_FILE_OPTION: Final = re.compile(
    r"--?[\w.-]*(?:file|path|output|out|json|xml|html|csv|log|lcov|sarif|histogram|dump|save|record|export)",
    re.IGNORECASE,
)


def touch_addresses(args: Sequence[Field], usage: CommandUsage) -> None:
    """Record the files named by `file:`, `sqlite:` or `duckdb:` URLs in any argument: any program may open such
    files."""
    for arg in args:
        if database := _DATABASE.search(arg.text):
            usage.touch([Field(database[1], arg.known)], "any")
        found = _ADDRESS.search(arg.text) if ":" in arg.text else None
        if not found or len(arg.text.split()) > 1:
            continue
        path = unquote(found[1])
        if not (arg.known and path) or arg.pattern is not None:
            usage.doubt(f"it is not known which file `{arg.source or arg.text}` is")
        if not path or (special := _GLOB.search(path)):
            usage.doubt(f"`{arg.text}` may mean several files")
            top = path[: special.start()].rpartition("/")[0] if path and special else ""
            usage.trees.append(UnnamedTree(Field(top or "/"), "read", "nothing"))
        elif arg.known:
            usage.touch([Field(path)], "any" if not path.startswith(("/dev/", "/proc/", "/sys/")) else "read")


def touch_argument_files(args: Sequence[Field], usage: CommandUsage) -> None:
    """Record the files behind `@`, from which many programs read further arguments: `java @file`."""
    named = [Field(each.text[1:], each.known) for each in args if each.text[:1] == "@" and _NAME.fullmatch(each.text)]
    usage.words += named
    usage.possible += named


def touch_folders_of_results(
    program: str, args: Sequence[Field], found: ParsedArguments, table: ArgumentSpec | None, usage: CommandUsage
) -> None:
    """Record that a command may write into folders named by its options, such as an output folder, unless the program's
    option table describes the option."""
    if emptied := _EMPTIED_BEFORE.get(program):
        _touch_removed(emptied, args, usage)
    letter = _EMPTIED_LETTERS.get(program, "")
    judged = {id(value) for name, value in found.options if value is not None and table and name in table.options}
    for before, arg in pairwise([Field(""), *args]):
        name, equals, value = arg.text.partition("=")
        if letter and (before.text == letter or arg.text[:2] == letter):
            _empty(arg if before.text == letter else Field(arg.text[2:].lstrip("="), arg.known), usage)
        if before.text[:1] != "-" and not equals:
            continue
        if equals and _names_results(name) and _option(name, table) is None:
            option, folder = name, Field(value, arg.known)
        elif id(arg) not in judged and arg.text[:1] != "-" and _names_results(before.text):
            option, folder = before.text, arg
        else:
            continue
        usage.touch([folder], "folder")
        if _EMPTIED.fullmatch(option) and _option(option, table) is None:
            _empty(folder, usage)


def _touch_removed(option: re.Pattern[str], args: Sequence[Field], usage: CommandUsage) -> None:
    """Record that a tool removes the folder that `option` names, with all files in it."""
    for before, arg in pairwise([Field(""), *args]):
        name, equals, value = arg.text.partition("=")
        joined = equals and option.fullmatch(name)
        if joined or option.fullmatch(before.text):
            folder = Field(value, arg.known) if joined else arg
            usage.touch([folder], "folder")
            usage.trees.append(UnnamedTree(folder, "write", "files"))


def _names_results(option: str) -> bool:
    return bool(_FOLDER_OPTION.fullmatch(option) or _EMPTIED.fullmatch(option))


def _empty(folder: Field, usage: CommandUsage) -> None:
    """Record that a tool removes what is in a folder. No tool does so with its working directory."""
    if folder.known and folder.text.strip("/") not in {"", "."}:
        usage.trees.append(UnnamedTree(folder, "write", "files"))


def values_of_unlisted(args: Sequence[Field], table: ArgumentSpec) -> list[Field]:
    """Return the values of options that the table does not describe, because they may name files to write.

    A value is the text behind `=` or, if the option seems to name a file, the next word. A value that contains another
    `=` may name a file even if the table describes its option.
    """
    found = []
    for before, arg in pairwise([Field(""), *args]):
        name, _, value = arg.text.partition("=")
        is_option = name[:1] == "-" and ("=" in value or not _describes(name, table))
        is_value = before.text[:1] == "-" != name[:1]  # `--emit asm=file`
        if value and (is_option or is_value):
            found.append(Field(value, arg.known))
        elif name[:1] != "-" and _FILE_OPTION.fullmatch(before.text) and not _describes(before.text, table):
            found.append(arg)
    return found


def _describes(name: str, table: ArgumentSpec) -> bool:
    """Return whether a table describes an option. An entry for `--coverage` does not describe `--coverage.x`."""
    found = _option(name, table)
    return found is not None and (found.kind is not None or "." not in name)


def _option(name: str, table: ArgumentSpec | None) -> Option | None:
    named = table.named(name) if table else None
    return table.options[named] if table and named else None
