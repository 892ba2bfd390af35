"""What language servers find wrong in a file, as values and as the lines that models read."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final, Literal

from tools_app.text import clean, counted

MOST_SHOWN: Final = 20
LONGEST_MESSAGE: Final = 1_000

Severity = Literal["error", "warning", "information", "hint"]
SEVERITIES: Final[tuple[Severity, ...]] = ("error", "warning", "information", "hint")
"""In the protocol's order, which counts from 1."""


@dataclass(frozen=True, slots=True)
class Problem:
    """`path` as tools show it; line and column count characters from 1; `source` is who found it."""

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
        """The same for a problem that only moved."""
        return self.path, self.message


def errors_in(problems: Iterable[Problem]) -> list[Problem]:
    return [problem for problem in problems if problem.severity == "error"]


def described(errors: Sequence[Problem]) -> str:
    """For a model: the errors of one file, at most 20 of them."""
    sources = ", ".join(dict.fromkeys(error.source for error in errors))
    lines = [f"{counted(len(errors), 'error')} in {errors[0].path} ({sources}):"]
    lines += [f"  {error.line}:{error.column} {_indented(error.message)}" for error in errors[:MOST_SHOWN]]
    if len(errors) > MOST_SHOWN:
        lines.append(f"  ... and {len(errors) - MOST_SHOWN:,} more")
    return "\n".join(lines)


def bounded(message: str) -> str:
    text = clean(message.strip())
    return text if len(text) <= LONGEST_MESSAGE else f"{text[: LONGEST_MESSAGE - 1]}…"


def _indented(message: str) -> str:
    return message.replace("\n", "\n    ")
