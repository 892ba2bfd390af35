"""needs_of_pushes(): determine the permission for the push that a command makes, as far as the command's text shows it.

If a person is asked about a `git push` command, the same request asks about the push itself, and the door then lets it
pass. If the text does not show which branch is pushed, the session's branch is assumed. The door asks about pushes to
all other branches.
"""

from collections.abc import Awaitable, Callable, Sequence
from typing import Final

from tools_app.permission.shell.model import Command
from tools_app.spec import PermissionNeed

PERMISSION: Final = "git_push"
PLAIN_OPTIONS: Final = frozenset(
    {
        "-u", "--set-upstream", "-q", "--quiet", "-v", "--verbose", "--progress", "--no-progress", "--porcelain",
        "--no-verify", "--follow-tags",
    }
)  # fmt: skip
"""Options without influence on the branch that is pushed."""
UNKNOWN: Final = frozenset("$`")
"""Characters of words whose value the text does not show."""
DESCRIPTION: Final = "It pushes to this branch of the project's repository, which the answer allows too:"


async def needs_of_pushes(
    commands: Sequence[Command], session_branch: Callable[[], Awaitable[str]] | None
) -> list[PermissionNeed]:
    """Return the permission that is needed to push to the session's branch; an empty list if no command pushes there. A
    person is asked for it only together with the command's own permission."""
    destinations = [found for each in commands if (found := pushed_to(each.words)) is not None]
    if not destinations or session_branch is None:
        return []
    branch = await session_branch()
    if not branch or not any(each in ("", branch) for each in destinations):
        return []
    return [PermissionNeed(PERMISSION, (branch,), (branch,), {"along": True, "description": DESCRIPTION})]


def pushed_to(words: Sequence[str]) -> str | None:
    """Return the branch that a command pushes to. It is "" for the checked-out branch, or if the text does not show
    which one; None if the command is not a plain push."""
    found = _words_of_push(words)
    operands = [each for each in found or () if each not in PLAIN_OPTIONS]
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
