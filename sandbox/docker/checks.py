"""What the self-check of each container found, kept beside the workspaces where no container can write.

A report holds for the container it was made in, on the engine, kernel and runtime it was made on. With another of any
of them, or when its file is gone, the container is checked again.
"""

import json
import os
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Final

from sandbox.errors import CheckFailed
from sandbox.reports import CheckItem, CheckReport

FOLDER: Final = ".checks"
"""No workspace can have this name."""
NAMED_FAILURES: Final = 12


class KeptReports:
    def __init__(self, root: Path) -> None:
        self._folder = root / FOLDER

    def find(self, workspace_id: str, stamp: str | None = None) -> CheckReport | None:
        """The report that was kept; with `stamp` only one that was kept with it."""
        try:
            kept = json.loads(self._file(workspace_id).read_text())
            report = kept["report"]
            items = tuple(CheckItem(**item) for item in report.pop("items"))
            return CheckReport(**report, items=items) if stamp in (None, kept["stamp"]) else None
        except (OSError, ValueError, LookupError, TypeError):
            return None

    def keep(self, workspace_id: str, stamp: str, report: CheckReport) -> None:
        """A disk that is full only means that the container is checked again by the next process that adopts it."""
        file = self._file(workspace_id)
        temporary = file.with_suffix(f".{os.getpid()}")
        with suppress(OSError):
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            temporary.write_text(json.dumps({"stamp": stamp, "report": asdict(report)}))
            temporary.rename(file)

    def forget(self, workspace_id: str) -> None:
        with suppress(OSError):
            self._file(workspace_id).unlink()

    def _file(self, workspace_id: str) -> Path:
        return self._folder / f"{workspace_id}.json"


def require_passed(report: CheckReport) -> None:
    """CheckFailed, in words that name what is wrong and what can be done about it."""
    if report.passed:
        return
    first = report.failures[0]
    names = ", ".join(item.name for item in report.failures[:NAMED_FAILURES])
    raise CheckFailed(
        f"The sandbox failed its self-check under the runtime {report.runtime!r} and was removed again: {names}. "
        f"The first of them: {first.found}. Choose another runtime by policy, or install a current version of this one "
        "and of the engine on the node.",
        report,
    )
