"""Determine the permissions that a shell command needs, from the analysis of its text and from the real locations of
its paths."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import Any, Final

from sandbox.ports import HOME, WORKSPACE_ROOT
from tools_app.command_folders import secrets_below
from tools_app.command_links import needs_of_links
from tools_app.command_named import behind_links, needs_of_codes, needs_of_words
from tools_app.command_places import find_touched_paths
from tools_app.git_upstreams import needs_of_branches
from tools_app.patch_names import needs_of_patches
from tools_app.permission.shell import ShellAnalysis, analyze
from tools_app.permission.shell.model import Command
from tools_app.permission.wildcard import is_literal
from tools_app.spec import PermissionNeed, ToolContext
from tools_app.touched_paths import TouchedPaths, Tree

MAX_SHOWN: Final = 50
"""Commands, and reasons, that a permission request shows. All of them are judged."""

PUSH: Final = "git_push"
PLAIN_PUSH_OPTIONS: Final = frozenset(
    {
        "-u", "--set-upstream", "-q", "--quiet", "-v", "--verbose", "--progress", "--no-progress", "--porcelain",
        "--no-verify", "--follow-tags",
    }
)  # fmt: skip
"""Options without influence on the branch that is pushed."""
UNKNOWN: Final = frozenset("$`")
"""Characters of words whose value the text does not show."""
PUSH_DESCRIPTION: Final = "It pushes to this branch of the project's repository, which the answer allows too:"


@dataclass(frozen=True, slots=True)
class CommandText:
    """A shell command, the text that rules match, and the folder in which the command runs."""

    command: str
    text: str
    """What an exact rule matches: the command, with a `cd` in front of it unless it runs in the workspace's root."""
    folder: str
    """The absolute path of the working directory."""


async def needs_of_command(given: CommandText, ctx: ToolContext, **metadata: Any) -> list[PermissionNeed]:
    """Return the permissions that a command needs: for folders outside the workspace, for files that it reads or
    changes, and for the command itself.

    `metadata` is added to the metadata of the permission for the command itself.
    """
    analysis = analyze(
        given.command, cwd=PurePosixPath(given.folder), root=PurePosixPath(WORKSPACE_ROOT), home=PurePosixPath(HOME)
    )
    rules = await ctx.path_rules() if ctx.path_rules else None
    leads = await behind_links(analysis.names, ctx.runtime) if analysis.names else []
    below = await secrets_below(analysis, ctx.runtime) if analysis.complete and analysis.possible else ()
    possible = (*analysis.possible, *below)
    places = await find_touched_paths(analysis.paths, analysis.repositories, ctx.runtime, rules, possible, leads=leads)
    if places.doubts:
        analysis = replace(analysis, complete=False, always=(), reasons=(*analysis.reasons, *places.doubts))
    title = metadata.get("title", "")
    made = [use.path for use in analysis.paths if use.mode == "write"]
    words = (*analysis.words, *leads)
    return [
        *_needs_of_places(analysis, places, title),
        *_needs_of_trees(places, title),
        *(await needs_of_codes(analysis, ctx.runtime, rules, title) if analysis.codes else ()),
        *(await needs_of_patches(analysis, ctx.runtime, title) if analysis.patches else ()),
        *(await needs_of_branches(analysis, ctx.runtime, title) if analysis.branches else ()),
        *(await needs_of_links(analysis.followed, ctx.runtime, rules, title) if analysis.followed else ()),
        *(await needs_of_words(words, ctx.runtime, rules, title, made=made) if words else ()),
        *await needs_of_pushes(analysis.commands, ctx.session_branch),
        _own_need(given, analysis, metadata),
    ]


def _needs_of_places(analysis: ShellAnalysis, places: TouchedPaths, title: str) -> list[PermissionNeed]:
    outside = tuple(dict.fromkeys((*analysis.external_directories, *places.outside)))
    found = (("external_directory", outside), ("read", tuple(places.read)), ("edit", tuple(places.written)))
    return [
        PermissionNeed(permission, patterns, _grantable(permission, patterns), {"title": title})
        for permission, patterns in found
        if patterns
    ]


def _needs_of_trees(places: TouchedPaths, title: str) -> list[PermissionNeed]:
    """Return the permissions needed for folders below which a command touches files that were not named.

    "Always" is not offered, because only a rule can allow a whole folder. Rules about listing names only apply if their
    pattern is more specific than `*`, because `deny list *` is not meant for commands.
    """
    needs = []
    if listed := _not_allowed(places):
        needs.append(PermissionNeed("list", listed, (), {"title": title, "by_name": True}))
    for permission in ("read", "edit", "list"):
        trees = [tree for tree in places.trees if tree.permission == permission]
        if trees:
            metadata: dict[str, Any] = {"title": title, "trees": [tree.as_dict() for tree in trees]}
            if permission == "list":
                metadata["by_name"] = True
            needs.append(PermissionNeed(permission, tuple(map(_everything_below, trees)), (), metadata))
    return needs


def _not_allowed(places: TouchedPaths) -> tuple[str, ...]:
    """Return the paths in `places.listed` that a rule forbids to list, or asks about; all of them if the rules are not
    known."""
    rules = places.rules
    return tuple(path for path in places.listed if rules is None or rules.hiding(("list",), "", path))


def _everything_below(tree: Tree) -> str:
    return "*" if tree.folder == "." else f"{tree.folder.rstrip('/')}/*"


def _grantable(permission: str, patterns: tuple[str, ...]) -> tuple[str, ...]:
    """Return the patterns that "always" may grant: none if a path contains a wildcard character or is `/` itself."""
    plain = [each.removesuffix("/*") if permission == "external_directory" else each for each in patterns]
    return patterns if all(each and is_literal(each) for each in plain) else ()


def _own_need(given: CommandText, analysis: ShellAnalysis, metadata: dict[str, Any]) -> PermissionNeed:
    always = analysis.always
    mentions = {"mentions": list(analysis.mentions)} if analysis.mentions else {}
    if not analysis.complete and analysis.rememberable and is_literal(given.text):
        always = (given.text,)
    return PermissionNeed(
        "bash",
        analysis.patterns,
        always,
        {
            **metadata,
            "command": given.command,
            "text": given.text,
            "complete": analysis.complete,
            **({"too_long": True} if analysis.too_long else {}),
            "spellings": list(analysis.spellings),
            **mentions,
            "reasons": list(analysis.reasons[:MAX_SHOWN]),
            "commands": [each.text for each in analysis.commands[:MAX_SHOWN]],
        },
    )


async def needs_of_pushes(
    commands: Sequence[Command], session_branch: Callable[[], Awaitable[str]] | None
) -> list[PermissionNeed]:
    """Return the permission that is needed to push to the session's branch; an empty list if no command pushes there.

    A person is asked for it only together with the command's own permission, and the door then lets the push pass. If
    the text does not show which branch is pushed, the session's branch is assumed. The door asks about pushes to all
    other branches.
    """
    destinations = [found for each in commands if (found := pushed_to(each.words)) is not None]
    if not destinations or session_branch is None:
        return []
    branch = await session_branch()
    if not branch or not any(each in ("", branch) for each in destinations):
        return []
    return [PermissionNeed(PUSH, (branch,), (branch,), {"along": True, "description": PUSH_DESCRIPTION})]


def pushed_to(words: Sequence[str]) -> str | None:
    """Return the branch that a command pushes to. It is "" for the checked-out branch, or if the text does not show
    which one; None if the command is not a plain push."""
    found = _words_of_push(words)
    operands = [each for each in found or () if each not in PLAIN_PUSH_OPTIONS]
    if found is None or len(operands) > 2 or any(each.startswith(("-", "+", ":")) for each in operands):
        return None
    if operands and operands[0] != "origin":
        return None
    source, colon, target = operands[1].partition(":") if len(operands) == 2 else ("HEAD", "", "")
    name = target if colon else source
    is_shown = name not in ("HEAD", "@") and not UNKNOWN.intersection(name)
    return name.removeprefix("refs/heads/") if is_shown else ""


def _words_of_push(words: Sequence[str]) -> Sequence[str] | None:
    """Return the words after `git push`; None if it is another command. Only `-C FOLDER` may be between the two
    words."""
    if words[:1] != ("git",):
        return None
    rest = words[3:] if words[1:2] == ("-C",) else words[1:]
    return rest[1:] if rest[:1] == ("push",) else None
