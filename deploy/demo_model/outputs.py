"""Parse the outputs of tool calls. Pure functions; for an output that is not recognised, the result is empty."""

import re
from dataclasses import dataclass
from typing import Final

NUMBERED_LINE: Final = re.compile(r"^\s*(\d+): ?(.*)$")
COUNT: Final = re.compile(r"(\d+) (passed|failed|error)s?\b")
TIMED_OUT: Final = re.compile(r"\(Ended after [\d.]+ s, its time limit")
FAILED_TEST: Final = re.compile(r"^FAILED ([\w./-]+\.py)::([\w:]+)", re.MULTILINE)
ERROR_LINE: Final = re.compile(r"^E +(\S.*)$", re.MULTILINE)
REJECTED: Final = re.compile(
    r"(?i)\b(?:person|user) (?:has )?rejected|rejected (?:this|the) (?:call|permission)|this call was not made"
    r"|permission rules deny|another call of this turn was rejected"
)
MAX_REJECTION_PREFIX: Final = 400  # characters of an output that are searched for a rejection
REASON_OF_REJECTION: Final = re.compile(r"They say: (.*)", re.DOTALL)
TASK_RESULT: Final = re.compile(r"<task_result>\n(.*)\n</task_result>", re.DOTALL)
EDIT_VERBS: Final = ("Edited", "Created", "Wrote", "Updated", "Replaced")


@dataclass(frozen=True, slots=True)
class TestRun:
    """The result of a pytest run. All counts are zero if the output is not from pytest.

    `timed_out`: the command reached its time limit. `failing`: path and function name of each failed test.
    `first_error`: the first error line that pytest marks with "E", such as "assert 1 == 2".
    """

    __test__ = False  # tells pytest that this is not a test class

    passed: int = 0
    failed: int = 0
    errors: int = 0
    timed_out: bool = False
    failing: tuple[tuple[str, str], ...] = ()
    first_error: str = ""
    output: str = ""

    @property
    def ok(self) -> bool:
        return self.passed > 0 and not (self.failed or self.errors or self.timed_out)

    @property
    def understood(self) -> bool:
        return bool(self.passed or self.failed or self.errors or self.timed_out)


def file_text(output: str) -> str | None:
    """Return the file's text from a listing with line numbers; None if no listing starts with line 1."""
    if output.startswith("(The file is empty.)"):
        return ""
    lines: list[str] = []
    for line in output.split("\n"):
        found = NUMBERED_LINE.match(line)
        if found and int(found[1]) == len(lines) + 1:
            lines.append(found[2])
        elif lines:
            break
    return "\n".join(lines) + "\n" if lines else None


def task_result(output: str) -> str:
    """Return the final answer of a sub-agent; empty if the output contains none."""
    found = TASK_RESULT.search(output)
    return found[1] if found else ""


def read_test_run(output: str) -> TestRun:
    counts = {kind: int(number) for number, kind in COUNT.findall(output)}
    first_error = ERROR_LINE.search(output)
    return TestRun(
        passed=counts.get("passed", 0),
        failed=counts.get("failed", 0),
        errors=counts.get("error", 0),
        timed_out=bool(TIMED_OUT.search(output)),
        failing=tuple((path, name.rpartition("::")[2]) for path, name in FAILED_TEST.findall(output)),
        first_error=first_error[1] if first_error else "",
        output=output,
    )


def is_rejection(output: str) -> bool:
    """Return whether the output of a tool call says that a person or a rule refused the call."""
    return bool(REJECTED.search(output[:MAX_REJECTION_PREFIX]))


def words_of_rejection(output: str) -> str:
    """Return the reason that the person gave for a rejection; empty if they gave none."""
    found = REASON_OF_REJECTION.search(output)
    return found[1].strip() if found else ""


def is_edit_done(output: str) -> bool:
    return output.startswith(EDIT_VERBS)
