"""Arguments of commands that copy, move and link files: cp, mv, ln, install, dd, rsync."""

import re
from collections.abc import Sequence
from fnmatch import fnmatchcase
from typing import Final

from tools_app.permission.shell.options import ParsedArguments, parse_arguments
from tools_app.permission.shell.specs import ArgumentSpec, spec
from tools_app.permission.shell.specs_of_image import of_image
from tools_app.permission.shell.usage import CommandUsage, Copied, UnnamedTree, touch_folders_on_the_way, usage_of
from tools_app.permission.shell.words import Field

_BACKUPS: Final = (
    "-b --backup? -S: --suffix: -t> --target-directory> --no-target-directory --verbose --context? --help --version "
)
_COPY: Final = of_image(
    spec(
        "adfilnpPHLTuvxsZ",
        _BACKUPS
        + "-r^ -R^ --recursive^ --archive --attributes-only --copy-contents --dereference --force --interactive"
        " --link --no-clobber --no-dereference --no-preserve: --one-file-system --parents --path --preserve?"
        " --remove-destination --sparse: --reflink? --strip-trailing-slashes --symbolic-link --update?",
        "r",
    ),
    "cp",
)
_MOVE: Final = of_image(
    spec("finuvTZ", _BACKUPS + "--force --interactive --no-clobber --strip-trailing-slashes --update?", "r"), "mv"
)
_LINK: Final = of_image(
    spec(
        "dfFinLPrsTv",
        _BACKUPS + "--directory --force --interactive --no-dereference --logical --physical --relative --symbolic",
        "r",
    ),
    "ln",
)
_INSTALL: Final = of_image(
    spec(
        "cCdDpTvZ",
        _BACKUPS + "-g: --group: -m: --mode: -o: --owner: -s! --strip! --strip-program! --compare --directory"
        " --preserve-timestamps --preserve-context",
        "r",
    ),
    "install",
)
_REMOTE: Final = spec(
    "abdiklnpPLHuvxsZ",
    "-r^ -R^ -e! --rsh! -S -m -o -g -D -C --backup-dir] --log-file> --write-batch> --only-write-batch> --read-batch<"
    " -T] --temp-dir] --partial-dir] --compare-dest/ --copy-dest/ --link-dest/ --files-from<! --exclude-from<"
    " --include-from< --password-file< --early-input< -M! --remote-option! --rsync-path! --config!"
    " -f:! --filter:! --remove-source-files --log-file-format:",
    "r",
    strict=False,
)

_MAX_NAMED: Final = 50  # sources of which the other names are recorded
_LINKS: Final = ("-d", "-P", "--no-dereference", "-s", "-l", "--symbolic", "--symbolic-link", "--link")
_TARGETS: Final = ("-t", "--target-directory")


def copy(args: Sequence[Field]) -> CommandUsage:
    found = parse_arguments("cp", args, _COPY)
    usage = _copied(found, _COPY)
    usage.follow = usage.deep and found.has("-L", "-H", "--dereference")
    if found.has("-l", "--link"):
        _may_change_sources(found, usage)
    if usage.deep or found.has(*_LINKS):
        usage.links.extend(_targets(found))
        pairs = usage.linked if found.has("-s", "--symbolic-link") else usage.copied_links
        pairs += _other_names(found)
    return usage


def move(args: Sequence[Field]) -> CommandUsage:
    found = parse_arguments("mv", args, _MOVE)
    usage = _copied(found, _MOVE, moves=True)
    usage.deep = True
    usage.touch(_sources(found), "write")
    usage.touch(_sources(found), "tree")
    usage.copied_links += _other_names(found)
    usage.links.extend(path for path, kind in usage.paths if kind in {"write", "place"})
    return usage


def install(args: Sequence[Field]) -> CommandUsage:
    found = parse_arguments("install", args, _INSTALL)
    if found.has("-d", "--directory"):
        usage = CommandUsage(list(found.paths), list(found.doubts))
        touch_folders_on_the_way(found.operands, usage)
        usage.touch(found.operands, "write")
        return usage
    usage = _copied(found, _INSTALL)
    if not found.has("-D"):
        return usage
    touch_folders_on_the_way([*_targets(found), *found.operands[-1:]], usage)
    return _in_new_folders(usage)


def link(args: Sequence[Field]) -> CommandUsage:
    found = parse_arguments("ln", args, _LINK)
    usage = _copied(found, _LINK)
    if not found.has("-s", "--symbolic"):
        _may_change_sources(found, usage)
    usage.links.extend(path for path, kind in usage.paths if kind in {"write", "place", "into"})
    if any(operand.pattern is not None for operand in found.operands):
        usage.doubt("`ln` creates links whose names are not known")
    if len(found.operands) == 1 and not found.has(*_TARGETS):  # a link in the working directory
        name = found.operands[0].text.rstrip("/").rpartition("/")[2]
        usage.touch(found.operands, "read")
        usage.touch([Field(name or ".")], "write")
        usage.links.append(Field(name or "."))
    if len(found.operands) == 1:
        usage.linked += [(Field(each.text.rstrip("/").rpartition("/")[2]), each) for each in _sources(found)]
    usage.linked += _other_names(found)
    return usage


def _may_change_sources(found: ParsedArguments, usage: CommandUsage) -> None:
    """Record the sources as written: hard links to them are created, through which anybody may change them later."""
    usage.touch(_sources(found) or found.operands, "write")


def _other_names(found: ParsedArguments) -> list[tuple[Field, Field]]:
    return names_of_copies(_sources(found), _targets(found))


def names_of_copies(sources: Sequence[Field], targets: Sequence[Field]) -> list[tuple[Field, Field]]:
    """Return the possible names of copies with their sources: the target itself, and the source's name below the
    target."""
    names: list[tuple[Field, Field]] = []
    for source in sources[:_MAX_NAMED]:
        name = source.text.rstrip("/").rpartition("/")[2]
        for each in targets:
            names += [(each, source), (Field(f"{each.text}/{name}", each.known and source.known), source)]
    return names


def remote_copy(args: Sequence[Field]) -> CommandUsage:
    """Return the usage of `rsync`."""
    found = parse_arguments("rsync", args, _REMOTE)
    usage = _copied(found, _REMOTE, moves=True)
    usage.paths += [(path, kind) for path, kind in found.paths if kind == "output"]
    usage.follow = found.has("-L", "-k", "--copy-links", "--copy-dirlinks", "--copy-unsafe-links")
    if found.has("--remove-source-files"):
        usage.touch(_sources(found), "write")
    for rule in found.values_of("-f", "--filter"):
        named = [*rule.text.split()[1:], *re.split("[ _]", rule.text, maxsplit=1)[1:]]  # `merge_file`
        usage.words += [Field(each, rule.known) for each in named]
        usage.possible += [Field(each, rule.known) for each in named]
    usage.deep = True
    usage.links.extend(path for path, kind in usage.paths if kind in {"write", "place"})
    usage.copied_links += _other_names(found)
    return _in_new_folders(usage).doubt("`rsync` can run programs and connect to other machines")


def _in_new_folders(usage: CommandUsage) -> CommandUsage:
    """Return the usage of a command that also creates missing folders for its targets."""
    usage.paths = [(path, "place" if kind == "into" else kind) for path, kind in usage.paths]
    return usage


def _copied(found: ParsedArguments, spec: ArgumentSpec, *, moves: bool = False) -> CommandUsage:
    """Return the usage of a command that copies, moves or links its sources into its target.

    `moves`: the command moves a folder with its contents, even without an option.
    """
    usage = usage_of(found, spec)
    usage.paths = [(path, kind) for path, kind in found.paths if kind not in {"write", "output"}]
    usage.deep = usage.deep or found.has("-a", "--archive")
    sources, targets = _sources(found), _targets(found)
    usage.touch(sources, "tree" if usage.deep else "read")
    for target in targets:
        usage.touch([target], "write" if usage.deep and not _is_folder(target) else "place")
    if len(targets) * len(sources) > _MAX_PAIRS:
        usage.doubt("too many files are copied to list")
        targets, sources = targets[-1:], sources[:_MAX_PAIRS]
    below = _below(targets, sources, found)
    usage.copies += _copies(targets, sources, deep=usage.deep or moves)
    if found.has("--parents", "--path"):
        below += [Field(f"{target.text}/{each.text}", each.known) for target in targets for each in sources]
        globs = [each.pattern.rpartition("/")[2] for each in sources if each.pattern is not None]
        usage.trees += [UnnamedTree(target, "write", "nothing", (name,)) for target in targets for name in globs]
    usage.touch(below, "into")
    _keep_backups(found, [*targets, *below], usage)
    return usage


def _is_folder(target: Field) -> bool:
    """Return whether the target is certainly an existing folder, judging by its name: `a/`, `.` or `..`.

    A target that does not exist yet may become a copy of a source folder, with all file names in that folder.
    """
    return target.known and target.text.rpartition("/")[2] in {"", ".", ".."}


def _sources(found: ParsedArguments) -> list[Field]:
    return found.operands if found.has(*_TARGETS) else found.operands[:-1]


def _targets(found: ParsedArguments) -> list[Field]:
    return found.values_of(*_TARGETS) or found.operands[-1:]


def _keep_backups(found: ParsedArguments, written: Sequence[Field], usage: CommandUsage) -> None:
    """Record that a command backs up existing files: the written paths with a suffix such as `~`."""
    if not found.has("-b", "--backup", "-S", "--suffix"):
        return
    suffix = (found.values_of("-S", "--suffix") or [Field("~")])[-1]
    if not suffix.known or suffix.pattern is not None:
        usage.doubt("the suffix of the backups is not known")
    usage.touch([Field(f"{each.text.rstrip('/')}{suffix.text}", each.known) for each in written], "into")


_GUARDED_NAMES: Final = ("HEAD", ".git", ".env", "agentsite.json", "opencode.json", ".agentsite", ".opencode")
"""File names that presets protect; a copied tree may contain them."""


def _copies(targets: Sequence[Field], sources: Sequence[Field], *, deep: bool) -> list[Copied]:
    """Return the copies whose new paths do not follow from the arguments alone: because of a glob, an unknown name or a
    recursive copy. If the target is a glob, its last match is the target."""
    found: list[Copied] = []
    for target in targets:
        globs = [target] if target.pattern is not None else []
        named = [each for each in sources if deep or globs or each.pattern is not None or not each.known]
        found += [Copied(each, target, deep) for each in (*named, *globs) if target.known]
    return found


def _below(targets: Sequence[Field], sources: Sequence[Field], options: ParsedArguments) -> list[Field]:
    """Return the paths at which copies are created if the targets are directories.

    Names inside a copied directory (`-T`) and names that match a glob cannot be looked up, so `_GUARDED_NAMES` are
    assumed.
    """
    names = [name for source in sources if source.known for name in _names_of(source)]
    names += _GUARDED_NAMES if options.has("-T", "--no-target-directory") else ()
    return [Field(f"{target.text.rstrip('/')}/{name}") for target in targets if target.known for name in names]


def _names_of(source: Field) -> list[str]:
    name = source.text.rstrip("/").rpartition("/")[2]
    if source.pattern is None and name not in {"", ".", ".."}:
        return [name]
    return [each for each in _GUARDED_NAMES if name in {"", ".", ".."} or fnmatchcase(each, name)]


_MAX_PAIRS: Final = 1_000
"""The most pairs of a source and a target that are examined."""
_DISK: Final = re.compile(r"(if|of)=(.*)", re.DOTALL)


def disk_dump(args: Sequence[Field]) -> CommandUsage:
    """Return the usage of `dd`."""
    usage = CommandUsage()
    for arg in args:
        if not arg.known or arg.split:
            usage.doubt("an argument of `dd` is not known")
            usage.touch([arg] if arg.globs_of_found else [], "write" if arg.text.startswith("of=", 1) else "read")
        elif found := _DISK.fullmatch(arg.text):
            usage.paths.append((Field(found[2]), "read" if found[1] == "if" else "write"))
    return usage
