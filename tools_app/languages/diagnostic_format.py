"""Problems that language servers find in a file, and their text form for models."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final, Literal

from tools_app.text import clean, counted

MAX_SHOWN: Final = 20  # errors of one file
MAX_MESSAGE_CHARACTERS: Final = 1_000

Severity = Literal["error", "warning", "information", "hint"]
SEVERITIES: Final[tuple[Severity, ...]] = ("error", "warning", "information", "hint")
"""In the order of the protocol, where "error" is 1."""


@dataclass(frozen=True, slots=True)
class Problem:
    """A problem in a file.

    `path` is relative to the workspace's root if possible. `line` and `column` count characters from 1. `source` is the
    program that found the problem.
    """

    path: str
    line: int
    column: int
    severity: Severity
    message: str
    source: str

    def as_fields(self) -> dict[str, Any]:
        return asdict(self)

    @property
    def identity(self) -> tuple[str, str]:
        """A key that stays the same if the problem only moves to another line."""
        return self.path, self.message


def errors_in(problems: Iterable[Problem]) -> list[Problem]:
    return [problem for problem in problems if problem.severity == "error"]


def describe_errors(errors: Sequence[Problem]) -> str:
    """Return the text for the model about the errors of one file; at most 20 are listed."""
    sources = ", ".join(dict.fromkeys(error.source for error in errors))
    lines = [f"{counted(len(errors), 'error')} in {errors[0].path} ({sources}):"]
    lines += [f"  {error.line}:{error.column} {_indented(error.message)}" for error in errors[:MAX_SHOWN]]
    if len(errors) > MAX_SHOWN:
        lines.append(f"  ... and {len(errors) - MAX_SHOWN:,} more")
    return "\n".join(lines)


def bounded(message: str) -> str:
    """Return the message cleaned and shortened to 1,000 characters."""
    text = clean(message.strip())
    return text if len(text) <= MAX_MESSAGE_CHARACTERS else f"{text[: MAX_MESSAGE_CHARACTERS - 1]}…"


def _indented(message: str) -> str:
    return message.replace("\n", "\n    ")
