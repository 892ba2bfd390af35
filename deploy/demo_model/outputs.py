"""Reading what tools answered. Pure, and forgiving: an output that is not understood teaches nothing."""

import re
from dataclasses import dataclass
from typing import Final

NUMBERED: Final = re.compile(r"^\s*(\d+): ?(.*)$")
PATH: Final = re.compile(r"^[\w./@+-]+\.\w+$")
COUNT: Final = re.compile(r"(\d+) (passed|failed|error)s?\b")
TIMED_OUT: Final = re.compile(r"\(Ended after [\d.]+ s, its time limit")
FAILED_TEST: Final = re.compile(r"^FAILED ([\w./-]+\.py)::([\w:]+)", re.MULTILINE)
REJECTED: Final = re.compile(
    r"(?i)\b(?:person|user) (?:has )?rejected|rejected (?:this|the) (?:call|permission)|this call was not made"
    r"|permission rules deny|another call of this turn was rejected"
)
TASK_RESULT: Final = re.compile(r"<task_result>\n(.*)\n</task_result>", re.DOTALL)
WORDS: Final = re.compile(r"They say: (.*)", re.DOTALL)
ROOT: Final = "/workspace/"


@dataclass(frozen=True, slots=True)
class TestRun:
    """A pytest run's end; all zero when the output is not pytest's. `timed_out`: a test that never ends."""

    __test__ = False

    passed: int = 0
    failed: int = 0
    errors: int = 0
    timed_out: bool = False
    failing: tuple[tuple[str, str], ...] = ()
    output: str = ""

    @property
    def ok(self) -> bool:
        return self.passed > 0 and not (self.failed or self.errors or self.timed_out)

    @property
    def understood(self) -> bool:
        return bool(self.passed or self.failed or self.errors or self.timed_out)


def relative(path: str) -> str:
    return path.removeprefix(ROOT).removeprefix("./")


def file_text(output: str) -> str | None:
    """The text of a numbered listing; None when there is none that begins with line 1."""
    if output.startswith("(The file is empty.)"):
        return ""
    lines: list[str] = []
    for line in output.split("\n"):
        found = NUMBERED.match(line)
        if found and int(found[1]) == len(lines) + 1:
            lines.append(found[2])
        elif lines:
            break
    return "\n".join(lines) + "\n" if lines else None


def paths(output: str) -> list[str]:
    """Paths that stand alone on a line."""
    return [relative(line) for line in map(str.strip, output.splitlines()) if PATH.match(line)]


def names_in_tree(output: str) -> set[str]:
    return {line.strip() for line in output.splitlines()}


def task_result(output: str) -> str:
    """What a sub-agent said at its end; empty when that is not in it."""
    found = TASK_RESULT.search(output)
    return found[1] if found else ""


def read_test_run(output: str) -> TestRun:
    counts = {kind: int(number) for number, kind in COUNT.findall(output)}
    failing = tuple((path, name.rpartition("::")[2]) for path, name in FAILED_TEST.findall(output))
    timed_out = bool(TIMED_OUT.search(output))
    return TestRun(counts.get("passed", 0), counts.get("failed", 0), counts.get("error", 0), timed_out, failing, output)


def is_rejection(output: str) -> bool:
    return bool(REJECTED.search(output[:400]))


def words_of_rejection(output: str) -> str:
    found = WORDS.search(output)
    return found[1].strip() if found else ""


def is_edit_done(output: str) -> bool:
    return output.startswith(("Edited", "Created", "Wrote", "Updated", "Replaced"))
