"""Hide files in the output of a tool according to the rules about paths, and add a note about them.

The note never depends on the content of a hidden file, or on names that may not be listed. Otherwise a model could find
out the content or the names by repeated calls.
"""

from collections.abc import Sequence
from typing import Final

from sandbox.ports import Found, Runtime
from tools_app.arguments import ResolvedPath
from tools_app.spec import PathRule, PathRules, ToolContext
from tools_app.text import counted

MAX_NAMED: Final = 5  # files of one rule
MAX_CANDIDATES: Final = 5_000  # files that are judged to count those that are left out
MAX_GLOB_CHARACTERS: Final = 900  # the sandbox takes 1,000
_SPECIAL: Final = str.maketrans({sign: f"\\{sign}" for sign in "[]{},\\"})


class Sight:
    """The rules about the files below a folder that a tool may show. The folder itself was already checked for the
    first of `permissions`."""

    def __init__(self, rules: PathRules | None, folder: str, permissions: Sequence[str]) -> None:
        self._rules = rules
        self._folder = folder
        self._permissions = permissions
        found: dict[PathRule, None] = {}
        for number, each in enumerate(permissions if rules else ()):
            found.update(dict.fromkeys(rules.below(each, folder, judged=number == 0)) if rules else {})
        self.guards: Sequence[PathRule] = tuple(found)

    @classmethod
    async def below(cls, target: ResolvedPath, permissions: Sequence[str], ctx: ToolContext) -> "Sight":
        """Return a `Sight`, which decides by the current rules which files below the folder `target` the tool may show.
        The permission for the folder itself must have been checked already."""
        return cls(await ctx.path_rules() if ctx.path_rules else None, target.shown, permissions)

    @property
    def is_limited(self) -> bool:
        """True if rules can hide files or folders below the folder."""
        return bool(self.guards)

    def hiding(self, path: str) -> PathRule | None:
        """Return the rule that hides a path; None if the path may be shown."""
        return self._rules.hiding(self._permissions, self._folder, path) if self._rules and self.guards else None

    def shows(self, path: str) -> bool:
        return self.hiding(path) is None

    def may_name(self, path: str) -> bool:
        return self._rules is None or self._rules.hiding(("list", "glob"), self._folder, path) is None

    def may_name_match(self, path: str) -> bool:
        """Return whether a match in a file's content may be shown with the file's name. Rules that hide every name
        (`deny list *`) are ignored here: they are about listing folders."""
        rule = self._rules.hiding(("list",), "", path) if self._rules else None
        return rule is None or rule.pattern == "*"

    def matches_note(self) -> str:
        """Return a note that search matches in some files are left out, because rules hide the files' names. "" if only
        presets or rules with the pattern `*` hide names."""
        rules = self._rules.below("list", self._folder, judged=False) if self._rules else ()
        written = [rule.named for rule in rules if not rule.is_preset and rule.pattern != "*"]
        return f"(What {', '.join(written)} covers is left out.)" if written else ""

    def names_note(self) -> str:
        """Return a note which lists the rules of people that hide files below this folder; "" if there are no such
        rules."""
        written = [rule.named for rule in self.guards if not rule.is_preset]
        return f"(What {', '.join(written)} covers is left out.)" if written else ""


async def find_shown(pattern: str, target: ResolvedPath, sight: Sight, runtime: Runtime, *, limit: int) -> Found:
    """Return the files below a folder that match a glob and that `sight` does not hide from the agent, newest first."""
    found = await runtime.glob(pattern, path=target.real, limit=limit)
    shown = [path for path in found.paths if sight.shows(path)]
    if found.capped and len(shown) < len(found.paths):  # hidden files must not use up the limit
        found = await runtime.glob(pattern, path=target.real, limit=MAX_CANDIDATES)
        shown = [path for path in found.paths if sight.shows(path)]
    return Found(tuple(shown[:limit]), found.capped or len(shown) > limit)


async def unsearched(target: ResolvedPath, sight: Sight, include: str | None, runtime: Runtime) -> str:
    """Return a note about files that were not searched because `sight` hides their contents; "" if there are none.

    The note counts the files below `target` by their names: all files, or the files that match the glob `include`.
    """
    if not sight.is_limited:
        return ""
    found = await runtime.glob(include or _candidates(sight, target), path=target.real, limit=MAX_CANDIDATES)
    hidden: dict[PathRule, list[str]] = {}
    for path in found.paths:
        if rule := sight.hiding(path):
            hidden.setdefault(rule, []).append(path)
    return "\n".join(_note(rule, paths, sight) for rule, paths in hidden.items())


def inside(folder: str, name: str) -> str:
    """Return the path of a folder's entry, without `./` in front if the folder is "."."""
    return name if folder == "." else f"{folder.rstrip('/')}/{name}"


def _note(rule: PathRule, paths: Sequence[str], sight: Sight) -> str:
    count = counted(len(paths), "file was", "files were")
    names = [path for path in paths if rule.action == "ask" and sight.may_name(path)]
    if not names:
        return f"({count} not searched: {rule.named}.)"
    more = ", ..." if len(names) > MAX_NAMED else ""
    return f"({count} not searched: {rule.named}. Search one by its name: {', '.join(names[:MAX_NAMED])}{more}.)"


def _candidates(sight: Sight, target: ResolvedPath) -> str:
    """Return a glob that matches every file below `target` that a rule of `sight` may hide from the agent."""
    top = "" if target.shown == "." else f"{target.shown}/"
    wanted = dict.fromkeys(_as_glob(rule.pattern, top) for rule in sight.guards)
    glob = f"{{{','.join(wanted)}}}"
    return "**" if "**" in wanted or len(glob) > MAX_GLOB_CHARACTERS else glob


def _as_glob(pattern: str, top: str) -> str:
    """Return a glob, relative to the folder `top`, that matches at least all paths that a rule's pattern matches."""
    if not pattern.startswith("*"):
        if not pattern.startswith(top):
            return "**"
        pattern = pattern.removeprefix(top)
    if pattern.endswith(" *"):
        pattern = f"{pattern[:-2]}*"
    return pattern.translate(_SPECIAL).replace("?", "*").replace("*", "**")
