"""Functions for commands whose arguments need more than a table: sed, awk, cp, tar and others."""

import re
from collections.abc import Callable, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Final

from tools_app.permission.shell.find_command import find
from tools_app.permission.shell.git_command import git
from tools_app.permission.shell.names import names
from tools_app.permission.shell.options import may_split, parse_arguments, spec
from tools_app.permission.shell.tables_files import STRICT
from tools_app.permission.shell.usage import CommandUsage, usage_of
from tools_app.permission.shell.words import Field

_SED: Final = spec(
    "nErsuz",
    "-e: --expression: -l: --line-length: -f! --file! -i= --in-place= --quiet --silent --regexp-extended --separate"
    " --unbuffered --null-data --posix --sandbox --debug --follow-symlinks --help --version",
    "tr",
    drops="-e --expression -f --file",
)
_SED_ADDRESS: Final = (
    r"(?:(?:\d+(?:~\d+)?|\$|/(?:[^/\\\n]|\\[^\n])*/I?)(?:,[+~]?(?:\d+|\$|/(?:[^/\\\n]|\\[^\n])*/I?))?\s*!?\s*)?"
)
_SED_COMMAND: Final = re.compile(
    _SED_ADDRESS
    + r"(?:[pdDPqQ=hHgGxnNlF]\d*"
    + r"|s([^\w\s\\])(?:(?!\1)[^\\\n]|\\[^\n])*\1(?:(?!\1)[^\\\n]|\\[^\n])*\1[gpiIM0-9]*"
    + r"|y([^\w\s\\])(?:(?!\2)[^\\\n]|\\[^\n])*\2(?:(?!\2)[^\\\n]|\\[^\n])*\2"
    + r"|[aic](?:\\\n|\\|[ \t])[^\n\\]*(?=\n|$)"
    + r"|\{|\})?\s*(?:[;\n]\s*|$|(?=\})|(?<=\{))"
)
_AWK: Final = spec("", "-F: -v: --field-separator: --assign: --version --help --posix --re-interval", "tr", stops=False)
_AWK_RISKS: Final = re.compile(
    r"system|getline|[|>@]|printf?\s*\(.*\)\s*>|ARGV|ENVIRON|PROCINFO|close|fflush|\binclude\b|\bload\b"
)
_TEST_FILES: Final = names("-a -b -c -d -e -f -g -h -k -p -r -s -u -w -x -G -L -N -O -S -nt -ot -ef")
_JQ_FILES: Final = frozenset({"--slurpfile", "--rawfile", "--argfile"})


def sed(args: Sequence[Field]) -> CommandUsage:
    args = [_in_place(arg) for arg in args]
    found = parse_arguments("sed", args, _SED)
    usage = usage_of(found, _SED)
    given = [value for name, value in found.options if name in {"-e", "--expression"} and value]
    for script in given or found.operands[:1]:
        if not script.known or not _is_plain_sed(script.text):
            usage.doubt("this `sed` script may run commands or touch other files")
    return usage


def _in_place(arg: Field) -> Field:
    """Replace `-i` with a suffix or after other short options (`-i.bak`, `-ni`) by `-i`."""
    if arg.known and re.fullmatch(r"-[nErsuz]*i[\w.~]*", arg.text):
        return Field("-i", source=arg.source)
    return arg


def _is_plain_sed(script: str) -> bool:
    position = 0
    while position < len(script):
        found = _SED_COMMAND.match(script, position)
        if not found or found.end() == position:
            return False
        position = found.end()
    return True


def awk(args: Sequence[Field]) -> CommandUsage:
    found = parse_arguments("awk", args, _AWK)
    usage = usage_of(found, _AWK)
    program = found.operands[0] if found.operands else None
    plain = re.sub(r"\|\||>=", " ", program.text) if program else ""
    if program is None or not program.known or _AWK_RISKS.search(_without_comparisons(plain)):
        usage.doubt("this `awk` program may run commands or touch other files")
    return usage


def _without_comparisons(program: str) -> str:
    """Remove `>` in front of the first brace, where it compares (`$3 > 5`). In braces, `print` may write with it."""
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
    usage = usage_of(parse_arguments("jq", kept, STRICT["jq"]), STRICT["jq"])
    usage.touch(files, "read")
    if loose:
        usage.doubt("an argument of `jq` may expand to several")
    if any(re.search(r"\b(?:import|include|input_filename|\$__prog|get_search_list)\b", each.text) for each in kept):
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
        if current.text in {"-v", "-R"} or (current.split and not current.known):
            usage.doubt("a test of a variable's name can run commands, or a word may turn into an operator")
    return usage


def grep(args: Sequence[Field]) -> CommandUsage:
    grep_spec = STRICT["grep"]
    found = parse_arguments("grep", args, grep_spec)
    usage = usage_of(found, grep_spec)
    if found.has("-R", "--dereference-recursive"):
        usage.follow = True
    usage.only_names(each.text for name, each in found.options if name == "--include" and each)
    return usage


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


def ripgrep(args: Sequence[Field]) -> CommandUsage:
    """Return the usage of `rg`, which skips hidden files unless an option says otherwise."""
    grep_spec = STRICT["rg"]
    found = parse_arguments("rg", args, grep_spec)
    usage = usage_of(found, grep_spec)
    if found.has("-L", "--follow"):
        usage.follow = True
    wanted = [value.text for name, value in found.options if name in {"-g", "--glob"} and value]
    wanted = [each.removeprefix("**/") for each in wanted if not each.startswith("!")]
    usage.hidden = bool(wanted) or found.has(*_RG_HIDDEN)
    usage.deep = True
    if not found.has("--type-add", "--iglob"):
        types = [value.text for name, value in found.options if name in {"-t", "--type"} and value]
        usage.only_names([*wanted, *(f"*.{each}" for each in types if each != "all")])
    if found.has("--files", "--type-list"):
        usage.paths = [(path, "list" if kind == "tree" else kind) for path, kind in usage.paths]
    return usage


_COPY: Final = spec(
    "abdfilnpPLHTuvxsZ",
    "-r^ -R^ --recursive^ --archive -t> --target-directory> -S: --suffix: --preserve --no-preserve: --backup --sparse:"
    " --reflink --force --interactive --no-clobber --update --verbose --no-target-directory --parents -m: -o: -g: -D -C"
    " --mode: --owner: --group: --symbolic --no-dereference --relative",
    "r",
)


def copy(args: Sequence[Field]) -> CommandUsage:
    found = parse_arguments("cp", args, _COPY)
    usage = usage_of(found, _COPY)
    usage.paths = list(found.paths)
    into = [path for path, kind in found.paths if kind == "write"]
    sources, targets = (found.operands, into) if into else (found.operands[:-1], found.operands[-1:])
    usage.deep = usage.deep or found.has("-a", "--archive")
    usage.touch(sources, "tree" if usage.deep else "read")
    usage.touch(targets, "write")
    usage.touch(_below(targets, sources), "into")
    if usage.deep or found.has("-d", "-P", "--no-dereference", "-s", "-l", "--symbolic"):
        usage.links.extend(targets)
    return usage


_GUARDED_NAMES: Final = ("HEAD", ".git", ".env")
"""File names that presets protect; a copied tree may contain them."""


def _below(targets: Sequence[Field], sources: Sequence[Field]) -> list[Field]:
    """Return the paths of the copied sources if the targets are directories.

    The names in a copied directory or glob are not known, so `_GUARDED_NAMES` are assumed.
    """
    names = [name for source in sources if source.known for name in _names_of(source)]
    return [Field(f"{target.text.rstrip('/')}/{name}") for target in targets if target.known for name in names]


def _names_of(source: Field) -> list[str]:
    name = source.text.rstrip("/").rpartition("/")[2]
    if source.pattern is None and name not in {"", ".", ".."}:
        return [name]
    return [each for each in _GUARDED_NAMES if name in {"", ".", ".."} or fnmatchcase(each, name)]


def move(args: Sequence[Field]) -> CommandUsage:
    usage = copy(args)
    usage.touch([path for path, kind in usage.paths if kind in {"read", "tree"}], "write")
    usage.links.extend(path for path, kind in usage.paths if kind == "write")
    return usage


def link(args: Sequence[Field]) -> CommandUsage:
    usage = copy(args)
    found = parse_arguments("ln", args, _COPY)
    usage.links.extend(path for path, kind in usage.paths if kind == "write")
    if any(operand.pattern is not None for operand in found.operands):
        usage.doubt("`ln` creates links whose names are not known")
    if len(found.operands) == 1:  # a link in the working directory
        name = found.operands[0].text.rstrip("/").rpartition("/")[2]
        usage.touch(found.operands, "read")
        usage.touch([Field(name or ".")], "write")
        usage.links.append(Field(name or "."))
    return usage


_DISK: Final = re.compile(r"(if|of)=(.*)", re.DOTALL)


def dd(args: Sequence[Field]) -> CommandUsage:
    usage = CommandUsage()
    for arg in args:
        if not arg.known or arg.split:
            usage.doubt("an argument of `dd` is not known")
        elif found := _DISK.fullmatch(arg.text):
            usage.paths.append((Field(found[2]), "read" if found[1] == "if" else "write"))
    return usage


_TAR: Final = spec(
    "xctruvzjJahkpPOmSWwlBdA",
    "-f< --file< -C/ --directory/ -T! --files-from! -X< --exclude-from< -I! --use-compress-program! --to-command!"
    " --checkpoint-action! -F! --info-script! --new-volume-script! --rsh-command! --rmt-command! --exclude:"
    " --strip-components: --transform: --xform: -H: -b: -g> --listed-incremental> --index-file> --one-top-level>",
    "R",
    strict=False,
)


def tar(args: Sequence[Field]) -> CommandUsage:
    """Return the usage of `tar`. Creating writes the archive; extracting may write any files and links."""
    if args and args[0].known and re.fullmatch(r"[A-Za-z]+", args[0].text):
        args = _old_style(args)
    found = parse_arguments("tar", args, _TAR)
    usage = usage_of(found, _TAR)
    usage.paths = list(found.paths)
    creating = found.has("-c", "-r", "-u", "-A", "--create", "--append", "--update")
    extracting = found.has("-x", "--extract", "--get")
    if any(name in {"-f", "--file"} and each is not None and ":" in each.text for name, each in found.options):
        usage.doubt("`tar` connects to another machine")
    if creating:
        usage.paths = [(each, "write" if name in {"-f", "--file"} else "enter") for name, each in found.options
                        if each is not None and name in {"-f", "--file", "-C", "--directory"}]  # fmt: skip
        usage.deep = True
        usage.touch(found.operands, "tree")
    if extracting and found.has("-P", "--absolute-names"):
        usage.doubt("`tar -P` writes to any path that the archive contains")
    if extracting:
        folders = [each for name, each in found.options if name in {"-C", "--directory"} and each is not None]
        usage.deep = True
        usage.touch(folders or [Field(".")], "write")
        usage.links.extend(folders or [Field(".")])
    return usage


def _old_style(args: Sequence[Field]) -> Sequence[Field]:
    """Rewrite old-style options: `tar cfI archive program` is `tar -c -f archive -I program`."""
    letters, rest = args[0].text, list(args[1:])
    found: list[Field] = []
    for letter in letters:
        takes = f"-{letter}" in _TAR.values or f"-{letter}" in _TAR.runs
        found += [Field(f"-{letter}"), *([rest.pop(0)] if takes and rest else [])]
    return [*found, *rest]


def unzip(args: Sequence[Field]) -> CommandUsage:
    kept = spec("lotpqvnjuZ", "-d> -x:", "rt", strict=False)
    found = parse_arguments("unzip", args, kept)
    usage = usage_of(found, kept)
    if not found.has("-l", "-t", "-p", "-v", "-Z"):
        folders = [each for name, each in found.options if name == "-d" and each is not None]
        usage.touch(folders or [Field(".")], "write")
        usage.links.extend(folders or [Field(".")])
    return usage


def rsync(args: Sequence[Field]) -> CommandUsage:
    usage = copy(args)
    usage.deep = True
    usage.links.extend(path for path, kind in usage.paths if kind == "write")
    return usage.doubt("`rsync` can run programs and connect to other machines")


PROGRAMS: Final[Mapping[str, Callable[[Sequence[Field]], CommandUsage]]] = {
    "find": find, "git": git, "grep": grep, "egrep": grep, "fgrep": grep, "rg": ripgrep, "jq": jq, "test": test,
    "[": test, "sed": sed, "gsed": sed, "awk": awk, "gawk": awk, "mawk": awk, "nawk": awk, "cp": copy,
    "install": copy, "mv": move, "ln": link, "link": link, "dd": dd, "tar": tar, "bsdtar": tar, "unzip": unzip,
    "rsync": rsync,
}  # fmt: skip
