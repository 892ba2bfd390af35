"""Find protected files that code in a command may name, if the command would run without asking a person."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Final

from sandbox.errors import LimitReached, SandboxRefused
from sandbox.ports import HOME, WORKSPACE_ROOT, Runtime
from tools_app.command_folders import may_be_below, named_places, places_below
from tools_app.git_steering import HOOKS
from tools_app.lock_files import MANIFESTS
from tools_app.permission.shell import PathUse, ShellAnalysis, paths
from tools_app.permission.shell.constants import may_calculate
from tools_app.permission.shell.named import named_files, pieces_of
from tools_app.permission.wildcard import match
from tools_app.secret_paths import is_secret, is_steering
from tools_app.spec import PathRule, PathRules, PermissionNeed
from tools_app.touched_paths import TouchedPaths, displayed, expand_known, stat_of

IF_UNASKED: Final = "if_unasked"
"""Metadata key of a permission need that applies only where an incomplete command runs without asking."""
AT_MOST_ASKED: Final = "asks_at_most"
"""Metadata key of a permission need about which a person is asked even where a rule denies it."""
MAX_STATS: Final = 20  # secrets that are looked up; more count as if they existed
MAX_LINKS: Final = 300  # names in code that are looked up because they may be links
MAX_GLOBS: Final = 8  # in code, whose files are looked up

_HINT: Final = re.compile(
    r"env|pem|key|p12|pfx|ppk|jks|id_[rde]|netrc|npmrc|pypirc|git|pass|cnf|kube|docker|vault|tfstate|service|secret"
    r"|credential|HEAD|husky|hooks|agentsite|opencode|pre-|post-|-msg|-checkout|-transaction|-watchman|-validate|bash"
    r"|profile|\.\w*rc\b|vim|emacs|zsh|tmux|init\b|cargo/|ssh|gnupg|local/bin|\.config/",
    re.IGNORECASE,
)
"""Every path that presets protect contains one of these, which saves most comparisons."""
_MAY_NAME: Final = re.compile(rf"{_HINT.pattern}|\bmk[ev]|['\"\\]|[\w.?]\*|\*[\w.]|[\w.]\?\w", re.IGNORECASE)
"""Every text that names such a path and calculates nothing contains a match. Quotes, backslashes and globs match: they
may hide a part of the name."""
_GLOB: Final = re.compile(r"[*?\[]")
_GLOB_IN_CODE: Final = re.compile(
    rf"{WORKSPACE_ROOT}/(?=.*\w[*?]|.*[*?][\w.]|\.?[*?]|.*\.\?\*)[\w./*?-]*[*?][\w./*?-]*"
)
"""Text that looks like a glob for files, and not like a multiplication or a regular expression."""
_FILE_NAME: Final = re.compile(r".*\w\.[A-Za-z]\w*")
"""A word that is probably the name of a file, because it has a file extension."""
_OF_HOME: Final = re.compile(
    rf"{HOME}/(?:\.(?:bash\w*|z?profile|zsh\w*|inputrc|gitconfig|hgrc|ssh|gnupg|g?vimrc|exrc|vim|emacs(?:\.d)?|nanorc"
    r"|npmrc|yarnrc[\w.]*|gemrc|irbrc|pdbrc|pythonrc[\w.]*|condarc|curlrc|wgetrc|screenrc|tmux\.conf|(?:gdb|lldb)init"
    rf"|psqlrc|sqliterc|cargo/config[\w.]*)|\.config)(?:/.*)?|{HOME}/\.local/bin/.+"
)
"""Files in the home directory that control git or other commands. Others there are caches, which code may name."""


_HOOK: Final = re.compile(
    r".+/(?:(?:pre|post)-(?:applypatch|auto-gc|checkout|commit|index-change|merge|merge-commit|push|rebase|receive"
    r"|rewrite|update)|applypatch-msg|commit-msg|prepare-commit-msg|push-to-checkout|reference-transaction"
    r"|fsmonitor-watchman|sendemail-validate)"
)
"""A file with the name of a hook may be one: settings of git can name any folder for them."""


async def needs_of_codes(
    analysis: ShellAnalysis, runtime: Runtime, rules: PathRules | None, title: str
) -> list[PermissionNeed]:
    """Return the permissions needed for paths that code in a command names: to read secrets that exist, to change files
    that control git or the rules, and to read or change paths that rules written by people deny or ask about."""
    found: dict[str, dict[str, None]] = {"read": {}, "edit": {}}
    ruled_by_people: dict[str, dict[str, None]] = {"read": {}, "edit": {}}
    secrets: dict[str, None] = {}
    theirs = {each: _of_people(rules, each) for each in found} if rules and analysis.codes else {}
    any_piece = any(theirs.values()) or any(map(_HINT.search, analysis.code_folders))
    codes = [each for each in analysis.codes if any_piece or _MAY_NAME.search(each) or may_calculate(each)]
    if not codes:
        return []
    pieces = pieces_of(codes)
    named = list(named_files(codes, analysis.code_folders, HOME, pieces))
    globs = [each for each in named if _GLOB_IN_CODE.fullmatch(each)][:MAX_GLOBS]
    matched = await _matches(globs, runtime)
    below = await _below_folders(analysis, filter(may_be_below, pieces), runtime)
    for place in (*named, *matched, *await behind_links((*matched, *named), runtime), *below):
        shown = displayed(place)
        if _HINT.search(place):
            found["edit"] |= dict.fromkeys(_steering(place, shown))
            secrets |= {place: None} if is_secret(shown) else {}
        for permission, rules_of_people in theirs.items():
            ruled_by_people[permission] |= dict.fromkeys(_ruled(shown, permission, rules_of_people, rules))
    for permission, places in ruled_by_people.items():
        found[permission] |= places
    for number, place in enumerate(secrets):
        stat = await stat_of(place, runtime) if number < MAX_STATS else None
        found["read"] |= {displayed(place): None} if stat is None or stat.exists else {}
    metadata = {"title": title, IF_UNASKED: True}
    needs = [PermissionNeed(permission, tuple(its), (), metadata) for permission, its in found.items() if its]
    return [*needs, *_needs_of_written(analysis, ruled_by_people, title)]


async def _below_folders(analysis: ShellAnalysis, names: Iterable[str], runtime: Runtime) -> list[str]:
    """Return the paths that `names` in code mean below other folders than the working directory."""
    given = list(names)
    words = (*pieces_of(analysis.codes), *named_places(analysis)) if given else ()
    return await places_below(given, words, analysis.code_folders, runtime)


def _needs_of_written(
    analysis: ShellAnalysis, ruled: Mapping[str, dict[str, None]], title: str
) -> list[PermissionNeed]:
    """Return the permissions needed for files named in code that the command itself writes and then runs. Only rules
    that people wrote apply, and they lead at most to a permission request, because the effect of the code on a named
    file is not known."""
    if not analysis.complete:
        return []
    metadata = {"title": title, AT_MOST_ASKED: True}
    return [PermissionNeed(permission, tuple(its), (), metadata) for permission, its in ruled.items() if its]


async def behind_links(named: Sequence[str], runtime: Runtime) -> list[str]:
    """Return the real path of each absolute path in `named` that is a link or lies in a folder reached by a link. A
    link may lead to a file that does not exist yet."""
    plain = [each for each in dict.fromkeys(named) if "\0" not in each][:MAX_LINKS]
    try:
        stats = await runtime.stats(plain) if plain else []
    except (SandboxRefused, LimitReached):
        return []
    return [stat.real_path for stat, name in zip(stats, plain, strict=True) if stat.real_path != name]


def _steering(place: str, shown: str) -> Iterator[str]:
    """If a path is a file that controls git, other commands or the rules, yield the patterns that rules for the
    permission `edit` are matched against."""
    if is_steering(shown) or _OF_HOME.fullmatch(place):
        yield shown
    if _HOOK.fullmatch(shown):
        yield from (shown, f"{HOOKS}/{shown.rpartition('/')[2]}")


async def needs_of_words(
    words: Iterable[str], runtime: Runtime, rules: PathRules | None, title: str, *, made: Iterable[str] = ()
) -> list[PermissionNeed]:
    """Return the permissions needed for files and folders that plain words of a command may name. A path is included
    only if it exists, or could be created in an existing folder.

    `made` are the paths that the same text writes. If a rule denies one, a person is asked instead, because the word
    may mean something else.
    """
    needs = []
    named: list[str] | None = None
    written = frozenset(map(paths.normal, made))
    for permission in ("read", "edit") if rules else ():
        theirs = _of_people(rules, permission) if rules else []
        found: dict[str, None] = {}
        if theirs and named is None:
            named = await matching(words, runtime)
        for place in named if theirs and named else ():
            ruled = list(_ruled(displayed(paths.normal(place)), permission, theirs, rules))
            exists = bool(ruled) and await _exists(place, permission, written, runtime)
            found |= dict.fromkeys(ruled if exists else ())
        if found:
            needs.append(PermissionNeed(permission, tuple(found), (), {"title": title, AT_MOST_ASKED: True}))
    return needs


async def _exists(place: str, permission: str, made: AbstractSet[str], runtime: Runtime) -> bool:
    """Return whether a path exists, or could be created in an existing folder of the workspace. For a lock file, return
    whether its manifest (such as package.json) exists beside it."""
    stat = await stat_of(place, runtime)
    if stat is not None and stat.exists:
        return True
    folder, _, name = paths.normal(place).rpartition("/")
    if permission == "edit" and name in MANIFESTS:
        beside = [f"{folder}/{each}" for each in MANIFESTS[name]]
        manifests = [await stat_of(each, runtime) for each in beside]
        return not made.isdisjoint(beside) or any(each is not None and each.exists for each in manifests)
    if permission != "edit" or (folder == WORKSPACE_ROOT and not _FILE_NAME.fullmatch(name)):
        return False
    above = await stat_of(folder, runtime)
    return above is not None and above.exists and above.kind == "directory"


async def matching(words: Iterable[str], runtime: Runtime) -> list[str]:
    """Return the words that are no globs, and the paths that the others match."""
    given = list(words)
    plain = [each for each in given if not _GLOB.search(each)]
    return plain + await _matches([each for each in given if _GLOB.search(each)], runtime)


async def _matches(globs: Iterable[str], runtime: Runtime) -> list[str]:
    """Return the paths that match the globs, and the folders that could not be listed."""
    found = TouchedPaths()
    expanded = [await expand_known(PathUse(each, "read", glob=True), runtime, found) for each in globs]
    return [path for matched, unlisted in expanded for path in (*matched, *unlisted)]


def _of_people(rules: PathRules, permission: str) -> list[PathRule]:
    return [each for each in rules.below(permission, ".", judged=False) if not each.is_preset]


def _ruled(shown: str, permission: str, theirs: Iterable[PathRule], rules: PathRules | None) -> Iterable[str]:
    """Yield the paths that a rule written by people denies or asks about: the path itself, or a path in it if it is a
    folder."""
    for rule in theirs:
        if match(shown, rule.pattern) and rule.pattern != "*":
            candidate = shown
        elif _fixed(rule.pattern).startswith(f"{shown}/") or (shown == "." and rule.pattern != "*"):
            candidate = rule.pattern.replace("*", "…").replace("?", "…")
        else:
            continue
        if rules is not None and rules.hiding((permission,), "", candidate) is not None:
            yield candidate


def _fixed(pattern: str) -> str:
    return re.split(r"[*?]", pattern, maxsplit=1)[0]
