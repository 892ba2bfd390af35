"""Files that code in a command may name, where it runs without a question: those that rules protect."""

import re
from collections.abc import Iterable, Iterator
from typing import Final

from sandbox.ports import HOME, Runtime
from tools_app.git_steering import HOOKS
from tools_app.permission.shell import ShellAnalysis, paths
from tools_app.permission.shell.named import named_files
from tools_app.permission.wildcard import match
from tools_app.secret_paths import is_secret, is_steering
from tools_app.spec import PathRule, PathRules, PermissionNeed
from tools_app.touched_paths import displayed, stat_of

IF_UNASKED: Final = "if_unasked"
"""In the metadata of a need: it counts only where an incomplete command runs without a question."""
AT_MOST_ASKED: Final = "asks_at_most"
"""In the metadata of a need: where a rule denies it, a person is asked."""
MAX_STATS: Final = 20  # secrets that are looked up; more count as if they existed

_HINT: Final = re.compile(
    r"env|pem|key|p12|pfx|ppk|jks|id_[rde]|netrc|npmrc|pypirc|git|pass|cnf|kube|docker|vault|tfstate|service|secret"
    r"|credential|HEAD|husky|hooks|agentsite|opencode|pre-|post-|-msg|-checkout|-transaction|-watchman|-validate|bash"
    r"|profile|inputrc|ssh|gnupg|local/bin",
    re.IGNORECASE,
)
"""Every path that presets protect contains one of these, which saves most comparisons."""
_MAY_NAME: Final = re.compile(rf"{_HINT.pattern}|['\"\\]", re.IGNORECASE)
"""Every text that names such a path contains one of these; in quotes and behind backslashes are parts of it."""
_OF_HOME: Final = re.compile(
    rf"{HOME}/(?:\.(?:bash\w*|profile|inputrc|gitconfig|ssh|gnupg)|\.config/git)(?:/.*)?|{HOME}/\.local/bin/.+"
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
    """Return the needs of paths that code in a command names: reading secrets that exist, changing what controls git or
    the rules, and both where rules that people wrote ask or deny."""
    found: dict[str, dict[str, None]] = {"read": {}, "edit": {}}
    secrets: dict[str, None] = {}
    theirs = {each: _of_people(rules, each) for each in found} if rules and analysis.codes else {}
    any_piece = any(theirs.values()) or any(map(_HINT.search, analysis.code_folders))
    codes = [each for each in analysis.codes if any_piece or _MAY_NAME.search(each)]
    if not codes:
        return []
    for place in named_files(codes, analysis.code_folders, HOME):
        shown = displayed(place)
        if _HINT.search(place):
            found["edit"] |= dict.fromkeys(_steering(place, shown))
            secrets |= {place: None} if is_secret(shown) else {}
        for permission, rules_of_people in theirs.items():
            found[permission] |= dict.fromkeys(_ruled(shown, permission, rules_of_people, rules))
    for number, place in enumerate(secrets):
        stat = await stat_of(place, runtime) if number < MAX_STATS else None
        found["read"] |= {displayed(place): None} if stat is None or stat.exists else {}
    metadata = {"title": title, IF_UNASKED: True}
    return [PermissionNeed(permission, tuple(its), (), metadata) for permission, its in found.items() if its]


def _steering(place: str, shown: str) -> Iterator[str]:
    """Yield what changing a file means, if it controls git, other commands or the rules."""
    if is_steering(shown) or _OF_HOME.fullmatch(place):
        yield shown
    if _HOOK.fullmatch(shown):
        yield from (shown, f"{HOOKS}/{shown.rpartition('/')[2]}")


async def needs_of_words(
    words: Iterable[str], runtime: Runtime, rules: PathRules | None, title: str
) -> list[PermissionNeed]:
    """Return the needs of files and folders that plain words of a command may mean, if they exist.

    A rule that denies asks: the word may mean something else.
    """
    needs = []
    for permission in ("read", "edit") if rules else ():
        theirs = _of_people(rules, permission) if rules else []
        found: dict[str, None] = {}
        for place in words if theirs else ():
            ruled = list(_ruled(displayed(paths.normal(place)), permission, theirs, rules))
            stat = await stat_of(place, runtime) if ruled else None
            found |= dict.fromkeys(ruled if stat is not None and stat.exists else ())
        if found:
            needs.append(PermissionNeed(permission, tuple(found), (), {"title": title, AT_MOST_ASKED: True}))
    return needs


def _of_people(rules: PathRules, permission: str) -> list[PathRule]:
    return [each for each in rules.below(permission, ".", judged=False) if not each.is_preset]


def _ruled(shown: str, permission: str, theirs: Iterable[PathRule], rules: PathRules | None) -> Iterable[str]:
    """Yield a path, or a file in it if it is a folder, about which a rule asks or denies that people wrote."""
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
