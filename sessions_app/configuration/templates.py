"""Fill in the template of a command: arguments, files and the output of commands. Pure.

`$ARGUMENTS` is everything after the command's name; `$1`, `$2` and so on are its words, and the highest number in a
template also gets all later words. If a template has neither, the arguments are appended as a paragraph. `@path` names
a file or folder whose content is added, and `` !`command` `` a command that runs before the agent answers.
"""

import re
import shlex
from collections.abc import Collection
from dataclasses import dataclass
from typing import Final

MAX_CALLS: Final = 20  # files and commands of one template
MAX_ARGUMENTS: Final = 50_000  # characters
_WORD: Final = re.compile(r"\"[^\"]*\"|'[^']*'|[^\s\"']+")
_NUMBER: Final = re.compile(r"\$(\d{1,3})")
_SHELL: Final = re.compile(r"!`([^`]+)`")
_FILE: Final = re.compile(r"(?<![\w`@/])@(\.{0,2}[^\s`,;:'\"()<>\[\]{}@]+)")
_PATH: Final = re.compile(r"/|^\.[\w-]|^[\w-][\w.-]*\.\w{1,10}$")


@dataclass(frozen=True, slots=True)
class Filled:
    """A template with its arguments filled in. `shell` are the commands to run and `files` the paths to read, each
    once, in order. `left_out` is the number of commands and files beyond `MAX_CALLS`, which are left out."""

    text: str
    source: str
    """The text before its commands and files were taken out."""
    shell: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    left_out: int = 0


def fill(template: str, arguments: str, agents: Collection[str] = ()) -> Filled:
    """Fill in a command's template. `@name` is not treated as a file if `agents` contains the name."""
    return parts_of(_with_arguments(template, arguments), agents)


def parts_of(text: str, agents: Collection[str] = ()) -> Filled:
    """Find the shell commands and files that a command template names. Each shell command is replaced by a note that
    its output follows."""
    shell = list(dict.fromkeys(found.strip() for found in _SHELL.findall(text) if found.strip()))
    plain = _SHELL.sub(lambda found: f"`{found[1].strip()}` (its output follows)", text)
    files = mentioned_paths(_SHELL.sub("", text), agents)
    kept = files[: max(0, MAX_CALLS - len(shell))]
    left_out = len(shell) + len(files) - len(shell[:MAX_CALLS]) - len(kept)
    return Filled(plain, text, tuple(shell[:MAX_CALLS]), tuple(kept), left_out)


def mentioned_paths(text: str, agents: Collection[str] = ()) -> list[str]:
    """Return the words in the text that follow an `@` and look like a path: they contain a slash or a file extension,
    and are not names in `agents`."""
    found = (match[1].rstrip(".!?") for match in _FILE.finditer(text))
    return list(dict.fromkeys(path for path in found if path not in agents and _PATH.search(path)))


def words_of(arguments: str) -> list[str]:
    """Split the arguments of a command into words. Quotation marks keep words together and are removed."""
    return [word[1:-1] if word[0] in "\"'" and word[-1] == word[0] and len(word) > 1 else word
            for word in _WORD.findall(arguments)]  # fmt: skip


def _with_arguments(template: str, arguments: str) -> str:
    arguments = arguments.strip()[:MAX_ARGUMENTS]
    numbers = [int(found) for found in _NUMBER.findall(template)]
    if not numbers and "$ARGUMENTS" not in template:
        return f"{template.strip()}\n\n{arguments}" if arguments else template.strip()
    words, last = words_of(arguments), max(numbers, default=0)

    def value(found: re.Match[str]) -> str:
        if found[0] == "$ARGUMENTS":
            return arguments
        place = int(found[1])
        if place == 0 or place > len(words):
            return ""
        return " ".join(words[place - 1 :]) if place == last else words[place - 1]

    return re.sub(r"\$ARGUMENTS|\$(\d{1,3})", value, template).strip()


def quoted(path: str) -> str:
    """Return a path as one word of a shell command."""
    return shlex.quote(path)
