"""Find the files that a command writes although its words do not name them, as `git remote add` does.

The commands were computed from a partly known text. They have no quotes, so their words are split at blanks.
"""

from collections.abc import Iterator
from typing import Final

from tools_app.permission.shell.commands import usage_of_command
from tools_app.permission.shell.specs import WRITING
from tools_app.permission.shell.usage import CommandUsage
from tools_app.permission.shell.words import Field

MAX_WORDS: Final = 30


def usage_of_text(text: str) -> CommandUsage:
    """Split the text of a command at blanks, and return the command's usage: the files and programs that it uses."""
    name, *rest = text.split()[:MAX_WORDS] or [""]
    return usage_of_command(name, [Field(each) for each in rest])


def implied_files(usage: CommandUsage, text: str) -> Iterator[str]:
    """Yield the files that a command writes although its text does not name them."""
    for path, kind in usage.paths:
        if (kind in WRITING or kind == "any") and path.known and path.text not in text:
            yield path.text
