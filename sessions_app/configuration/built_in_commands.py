"""The commands that every session has. Pure."""

from dataclasses import dataclass
from typing import Final, Literal

from sessions_app.configuration.commands import Command

Action = Literal["compact", "undo", "share", "help"]

INIT: Final = """\
Look at this repository and write the file AGENTS.md in its root, for agents that will work here.
If it exists, improve it and keep what is still true.

Find out, from the files and not from guesses:
- how to build, lint and test, and how to run a single test;
- what the parts are, and where a change of each kind goes;
- conventions of the code: formatting, imports, naming, types, handling of errors;
- what surprises newcomers.

Include the rules of .cursor/rules, .cursorrules and .github/copilot-instructions.md if there are any.
Write at most 60 lines, without general advice.

$ARGUMENTS"""

REVIEW: Final = """\
Review changes and say what is wrong with them. What to review: $ARGUMENTS

If nothing is named, review what is not committed yet. Look at a commit, branch or range with `git show` or `git diff`.
Read the whole files around the changes before you judge.

Look for mistakes first: wrong results, edge cases, errors that nobody handles, races, holes in security, and behaviour
that other code depends on. Then for what does not fit the rest of the code. Only report what you are certain of, each
with file and line, what goes wrong and when, and what would fix it. Change no files. If there is nothing, say so.

State of the repository: !`git status --short` and !`git diff --stat HEAD`"""

PROMPTS: Final = (
    Command("init", INIT, "Write AGENTS.md from the code of the repository"),
    Command("review", REVIEW, "Review changes: what is not committed, or a commit, branch or range", subtask=True),
)
"""Commands that are prompts. Documents may override them."""


@dataclass(frozen=True, slots=True)
class ActionCommand:
    """A command that the site carries out itself, without a model."""

    name: Action
    description: str


ACTIONS: Final = (
    ActionCommand("compact", "Replace the older part of the conversation by a summary"),
    ActionCommand("undo", "Take back the last prompt and what it changed"),
    ActionCommand("share", "Create a link with which the team can read the session"),
    ActionCommand("help", "List the commands"),
)
"""Commands that the site carries out. Their names cannot be overridden."""
