"""needs_of_pushes(): the push that a command makes, as far as its text shows it.

A person who is asked about `git push` is asked about the push itself in the same request: the door then lets it pass.
What the text does not show, the door asks about when it is made.
"""

import shlex
from collections.abc import Awaitable, Callable, Sequence
from typing import Final

from tools_app.permission.shell.model import Command
from tools_app.spec import PermissionNeed

PERMISSION: Final = "git_push"
PLAIN_OPTIONS: Final = frozenset(
    {"-u", "--set-upstream", "-q", "--quiet", "-v", "--verbose", "--progress", "--no-progress", "--porcelain"}
)
"""Options that change nothing about what is pushed."""
DESCRIPTION: Final = "It pushes to this branch of the project's repository, which the answer allows too:"


async def needs_of_pushes(
    commands: Sequence[Command], session_branch: Callable[[], Awaitable[str]] | None
) -> list[PermissionNeed]:
    """Return the need of a push to the session's branch, which counts only if the command itself is asked about."""
    destinations = [found for each in commands if (found := pushed_to(each.text)) is not None]
    if not destinations or session_branch is None:
        return []
    branch = await session_branch()
    if not branch or not any(each in ("", branch) for each in destinations):
        return []
    return [PermissionNeed(PERMISSION, (branch,), (branch,), {"along": True, "description": DESCRIPTION})]


def pushed_to(command: str) -> str | None:
    """Return the branch that a command pushes to: "" for the one that is checked out, None if it is no plain push."""
    try:
        words = shlex.split(command)
    except ValueError:
        return None
    if words[:2] != ["git", "push"]:
        return None
    operands = [each for each in words[2:] if each not in PLAIN_OPTIONS]
    if len(operands) > 2 or any(each.startswith(("-", "+", ":")) for each in operands):
        return None
    if operands and operands[0] != "origin":
        return None
    source, colon, target = operands[1].partition(":") if len(operands) == 2 else ("HEAD", "", "")
    name = target if colon else source
    return "" if name in ("HEAD", "@") else name.removeprefix("refs/heads/")
