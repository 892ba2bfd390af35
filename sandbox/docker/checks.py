"""Stored self-check reports, in a directory beside the workspaces that no container can write to.

A report is valid for one container on one engine, kernel and runtime. If any of them changes, or the file is missing,
the container is checked again.
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
"""Folder of the reports. Workspace ids cannot start with a dot."""
MAX_NAMED_FAILURES: Final = 12  # items named in the error message


class StoredReports:
    """The stored self-check reports of all workspaces below `root`, one file per workspace."""

    def __init__(self, root: Path) -> None:
        self._folder = root / FOLDER

    def find(self, workspace_id: str, stamp: str | None = None) -> CheckReport | None:
        """Return the stored report, or None. With `stamp`, only a report that was saved with the same stamp."""
        try:
            kept = json.loads(self._file(workspace_id).read_text())
            report = kept["report"]
            items = tuple(CheckItem(**item) for item in report.pop("items"))
            return CheckReport(**report, items=items) if stamp in (None, kept["stamp"]) else None
        except (OSError, ValueError, LookupError, TypeError):
            return None

    def save(self, workspace_id: str, stamp: str, report: CheckReport) -> None:
        """Save a report. Errors such as a full disk are ignored.

        The container is then checked again by the next process that adopts it.
        """
        file = self._file(workspace_id)
        temporary = file.with_suffix(f".{os.getpid()}")
        with suppress(OSError):
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            temporary.write_text(json.dumps({"stamp": stamp, "report": asdict(report)}))
            temporary.rename(file)

    def delete(self, workspace_id: str) -> None:
        with suppress(OSError):
            self._file(workspace_id).unlink()

    def _file(self, workspace_id: str) -> Path:
        return self._folder / f"{workspace_id}.json"


def require_passed(report: CheckReport) -> None:
    """Raise CheckFailed with the failed items and a next step, unless the report passed."""
    if report.passed:
        return
    first = report.failures[0]
    names = ", ".join(item.name for item in report.failures[:MAX_NAMED_FAILURES])
    raise CheckFailed(
        f"The sandbox failed its self-check under the runtime {report.runtime!r} and was removed again: {names}. "
        f"The first of them: {first.found}. Choose another runtime by policy, or install a current version of this one "
        "and of the engine on the node.",
        report,
    )
