"""Functions for commands whose arguments an `ArgumentSpec` alone cannot describe."""

import re
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Final

from tools_app.permission.names import names
from tools_app.permission.shell.archives import COMPRESSORS, ar, bsd_tar, patch, seven_zip, tar, unzip, zipinfo
from tools_app.permission.shell.copying import copy, disk_dump, install, link, move, remote_copy
from tools_app.permission.shell.find_command import find
from tools_app.permission.shell.git_command import git
from tools_app.permission.shell.options import may_split, parse_arguments
from tools_app.permission.shell.sed_commands import sed_commands, sed_files
from tools_app.permission.shell.specs import spec
from tools_app.permission.shell.specs_of_image import of_image
from tools_app.permission.shell.tables_files import READING
from tools_app.permission.shell.usage import CommandUsage, usage_of
from tools_app.permission.shell.words import UNKNOWN, Field

_SED: Final = of_image(
    spec(
        "bnErsuz",
        "-e: --expression: -l: --line-length: -f! --file! -i?= --in-place?= --binary --quiet --silent --regexp-extended"
        " --separate --unbuffered --null-data --zero-terminated --posix --sandbox --debug --follow-symlinks --help"
        " --version",
        "tr",
        drops="-e --expression -f --file",
    ),
    "sed",
)
_SED_CLASS: Final = (
    r"\[(?:(?!{0})\^|(?!\^)|(?={0})(?=\^))\]?+(?:(?!{0})[^\\\[\]\n]|\\[^\\\[\]\n]|\[(?!{0}):\w+:\])*\\?+\]"
)
"""Characters in brackets. sed takes its delimiter for plain text there, but this pattern accepts the delimiter only
behind a backslash."""
_SED_PATTERN: Final = r"(?:(?!{0})[^\\\[\n]|\\[^\n]|" + _SED_CLASS + r")*"
"""A regular expression of sed. No two of its parts begin alike, so a text is read in only one way. (`*+` of a group is
wrong before Python 3.11.5.)"""
_SED_PLACE: Final = rf"(?:\d+|\$|/{_SED_PATTERN.format('/')}/I?)"
_SED_ADDRESS: Final = rf"(?:(?:\d+~\d+|{_SED_PLACE})(?:,[+~]?{_SED_PLACE})?\s*!?\s*)?"
_SED_COMMAND: Final = re.compile(
    _SED_ADDRESS
    + r"(?:[pdDPqQ=hHgGxnNlF]\d*"
    + rf"|s([^\w\s\\\[\]:]){_SED_PATTERN.format(chr(92) + '1')}\1(?:(?!\1)[^\\\n]|\\[^\n])*\1[gpiIM0-9]*"
    + r"|y([^\w\s\\])(?:(?!\2)[^\\\n]|\\[^\n])*\2(?:(?!\2)[^\\\n]|\\[^\n])*\2"
    + r"|[aic](?:\\\n|\\|[ \t])[^\n\\]*(?=\n|$)"
    + r"|\{|\})?\s*(?:[;\n]\s*|$|(?=\})|(?<=\{))"
)
_AWK: Final = spec("", "-F: -v: --field-separator: --assign: --version --help --posix --re-interval", "tr")
_AWK_RISKS: Final = re.compile(
    r"system|getline|[|>@]|printf?\s*\(.*\)\s*>|ARGV|ENVIRON|PROCINFO|close|fflush|\binclude\b|\bload\b"
)
_TEST_FILES: Final = names("-a -b -c -d -e -f -g -h -k -p -r -s -u -w -x -G -L -N -O -S -nt -ot -ef")
_JQ_FILES: Final = frozenset({"--slurpfile", "--rawfile", "--argfile"})


def sed(args: Sequence[Field]) -> CommandUsage:
    found = parse_arguments("sed", args, _SED)
    usage = usage_of(found, _SED)
    given = found.values_of("-e", "--expression")
    scripts = given or found.operands[:1]
    for script in scripts:
        if not script.known or script.pattern is not None or not _is_plain_sed(script.text):
            usage.doubt("this `sed` script may run commands or touch other files")
            usage.texts += map(Field, sed_commands(script.text) if script.known else ())
    for name, mode in sed_files("\n".join(each.text for each in scripts)) if usage.doubts else ():
        usage.touch([Field(name)] if UNKNOWN not in name else [], mode)
    for suffix in found.values_of("-i", "--in-place"):
        _keep_copies(suffix, found.operands if given else found.operands[1:], usage)
    return usage


def _keep_copies(suffix: Field, files: Sequence[Field], usage: CommandUsage) -> None:
    """Record the backup files that `sed -i` writes.

    A `*` in the suffix stands for the file's name, and the suffix may contain a path.
    """
    if not suffix.known or suffix.pattern is not None:
        usage.doubt("it is not known where `sed` keeps the old files")
    for each in files if suffix.text else ():
        folder, slash, name = each.text.rpartition("/")
        copied = suffix.text.replace("*", name) if "*" in suffix.text else f"{name}{suffix.text}"
        if each.pattern is not None and not re.fullmatch(r"[\w.~-]*", suffix.text):
            usage.doubt("it is not known where `sed` keeps the old files")
        usage.touch([Field(copied if "/" in suffix.text else f"{folder}{slash}{copied}", each.known)], "write")


def _is_plain_sed(script: str) -> bool:
    position = 0
    while position < len(script):
        found = _SED_COMMAND.match(script, position)
        if not found or found.end() == position:
            return False
        position = found.end()
    return True


_AWK_CONDITION: Final = re.compile(r"\bif\s*\((?:[^(){}\"/;#\n]|\([^(){}\"/;#\n]*\))*\)")
"""A condition in parentheses that contains no quote and no comment."""


def awk(args: Sequence[Field]) -> CommandUsage:
    found = parse_arguments("awk", args, _AWK)
    usage = usage_of(found, _AWK)
    usage.possible += args
    program = found.operands[0] if found.operands else None
    plain = re.sub(r"\|\||>=", " ", program.text) if program else ""
    if (
        program is None
        or not program.known
        or program.pattern is not None
        or _AWK_RISKS.search(_without_comparisons(plain))
    ):
        usage.doubt("this `awk` program may run commands or touch other files")
    if any(before is program and _follows_as_file(args[index + 1 :]) for index, before in enumerate(args)):
        usage.doubt("what looks like an option behind the program is a file for `awk`")
    return usage


def _follows_as_file(words: Sequence[Field]) -> bool:
    return any(len(each.text) > 1 and each.text.startswith("-") for each in words)


def _without_comparisons(program: str) -> str:
    """Remove `>` where awk compares with it: before the first brace and in conditions (`$3 > 5`).

    Elsewhere in braces, `>` may be a redirection of `print`.
    """
    program = _AWK_CONDITION.sub(lambda found: re.sub(r">(?!>)", " ", found[0]), program)
    pattern, brace, actions = program.partition("{")
    return re.sub(r">(?!>)", " ", pattern) + brace + actions if '"' not in pattern else program


def jq(args: Sequence[Field]) -> CommandUsage:
    kept: list[Field] = []
    files: list[Field] = []
    loose = any(each.split and not each.known for each in args)
    index = 0
    while index < len(args):
        if args[index].text == "--":
            kept += args[index:]
            break
        if args[index].text in {"--arg", "--argjson"} or args[index].text in _JQ_FILES:
            files += args[index + 2 : index + 3] if args[index].text in _JQ_FILES else []
            loose = loose or any(map(may_split, args[index : index + 3]))
            index += 3
        else:
            kept.append(args[index])
            index += 1
    usage = usage_of(parse_arguments("jq", kept, READING["jq"]), READING["jq"])
    usage.touch(files, "read")
    if usage.doubts:  # the program may be in a file
        usage.possible += kept
    if any(before.text == "--indent" and not each.text.isdigit() for before, each in pairwise(args)):
        usage.doubt("the value of `--indent` is no number, and the next words are not what they seem")
    if loose:
        usage.doubt("an argument of `jq` may expand to several")
    if any(each.pattern is not None for each in kept[:1]) or any(
        re.search(r"\b(?:import|include|input_filename|modulemeta|\$__prog|get_search_list)\b", each.text)
        for each in kept
    ):
        usage.doubt("this `jq` program may read other files")
    return usage


def test(args: Sequence[Field]) -> CommandUsage:
    usage = CommandUsage()
    for before, current in zip([None, *args], args, strict=False):
        if before is not None and before.text in _TEST_FILES:
            usage.paths.append((current, "names"))
        elif current.text in {"-nt", "-ot", "-ef"} and before is not None:
            usage.paths.append((before, "names"))
        if before is not None and not (before.known or before.number) and (not current.known or "[" in current.text):
            usage.doubt("a word may turn into a test of a variable's name, which can run commands")
        if current.text in {"-v", "-R"} or (current.split and not current.known) or _may_match_operator(current):
            usage.doubt("a test of a variable's name can run commands, or a word may turn into an operator")
    return usage


def _may_match_operator(word: Field) -> bool:
    """Return whether a glob may match a file that is called `-v`."""
    return word.pattern is not None and word.pattern[:1] in {*"*?[-"} and "/" not in word.pattern


_GREP_SELECTS: Final = names("--include --exclude --exclude-from")


def grep(args: Sequence[Field]) -> CommandUsage:
    grep_spec = READING["grep"]
    found = parse_arguments("grep", args, grep_spec)
    usage = usage_of(found, grep_spec)
    if found.has("-R", "--dereference-recursive"):
        usage.follow = True
    selecting = [name for name, _ in found.options if name in _GREP_SELECTS]
    if selecting[:1] == ["--include"]:  # otherwise files that match none of them are searched, too
        usage.only_names(each.text for name, each in found.options if name == "--include" and each)
    return usage


def _recursive_grep(args: Sequence[Field]) -> CommandUsage:
    """Return the usage of `rgrep`, which is `grep -r`."""
    return grep([Field("-r"), *args])


_RG_HIDDEN: Final = frozenset(
    {
        "-u",
        "-.",
        "--hidden",
        "--unrestricted",
        "--no-ignore",
        "--no-ignore-vcs",
        "--iglob",
        "--type-add",
        "--ignore-file",
    }
)
"""Options that make ripgrep search hidden files. Globs and types that name hidden files do so as well."""
_MARKDOWN: Final = "*.md *.markdown *.mdown *.mdwn *.mkd *.mkdn *.mkdown"
_RG_TYPES: Final[Mapping[str, str]] = {
    "py": "*.py *.pyi", "rust": "*.rs", "go": "*.go", "js": "*.js *.jsx *.vue *.cjs *.mjs",
    "ts": "*.ts *.tsx *.cts *.mts", "md": _MARKDOWN, "markdown": _MARKDOWN, "css": "*.css *.scss",
    "html": "*.html *.htm *.ejs", "json": "*.json *.sarif composer.lock", "yaml": "*.yaml *.yml", "txt": "*.txt",
    "c": "*.c *.h *.H *.c.in *.h.in *.H.in *.cats", "cs": "*.cs", "kotlin": "*.kt *.kts", "lua": "*.lua",
    "sql": "*.sql *.psql", "swift": "*.swift",
}  # fmt: skip
"""The names that belong to the types of ripgrep 13 and 14. With any other type, a search counts as one of all files."""


def ripgrep(args: Sequence[Field]) -> CommandUsage:
    """Return the usage of `rg`, which skips hidden files unless an option says otherwise."""
    grep_spec = READING["rg"]
    found = parse_arguments("rg", args, grep_spec)
    usage = usage_of(found, grep_spec)
    if found.has("-L", "--follow"):
        usage.follow = True
    wanted = [value.text for name, value in found.options if name in {"-g", "--glob"} and value]
    wanted = [each.removeprefix("**/") for each in wanted if not each.startswith("!")]
    usage.hidden = bool(wanted) or found.has(*_RG_HIDDEN)
    usage.deep = True
    types = [value.text for name, value in found.options if name in {"-t", "--type"} and value]
    if not found.has("--type-add", "--iglob", "--glob-case-insensitive") and all(map(_RG_TYPES.get, types)):
        usage.only_names([*wanted, *(glob for each in types for glob in _RG_TYPES[each].split())])
    if found.has("--files", "--type-list"):
        usage.paths = [(path, "list" if kind == "tree" else kind) for path, kind in usage.paths]
    return usage


PROGRAMS: Final[Mapping[str, Callable[[Sequence[Field]], CommandUsage]]] = {
    "find": find, "git": git, "grep": grep, "egrep": grep, "fgrep": grep, "rgrep": _recursive_grep, "rg": ripgrep,
    "jq": jq, "test": test,
    "[": test, "sed": sed, "gsed": sed, "awk": awk, "gawk": awk, "mawk": awk, "nawk": awk, "cp": copy,
    "install": install, "mv": move, "ln": link, "link": link, "dd": disk_dump, "tar": tar, "bsdtar": bsd_tar,
    "unzip": unzip, "zipinfo": zipinfo, "ar": ar, "rsync": remote_copy, "patch": patch,
    **dict.fromkeys(("7z", "7za", "7zr", "7zz", "p7zip"), seven_zip), **COMPRESSORS,
}  # fmt: skip
