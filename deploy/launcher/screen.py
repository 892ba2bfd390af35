"""Output of the launcher: a few lines on the terminal, everything else in the site's log file."""

import contextlib
import sys
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, TextIO

_MAX_LOG_BYTES: Final = 20 * 1024 * 1024


class Screen:
    """Output of the launcher to the terminal and a log file. An old log file of more than 20 MiB is renamed."""

    def __init__(self, log_file: Path, terminal: TextIO = sys.stdout) -> None:
        log_file.parent.mkdir(parents=True, exist_ok=True)
        if log_file.exists() and log_file.stat().st_size > _MAX_LOG_BYTES:
            log_file.replace(log_file.with_suffix(".old.log"))
        self._log = log_file.open("ab", buffering=0)
        self._terminal = terminal
        self._started = time.monotonic()

    def log(self, name: str, line: str) -> None:
        """Write a line to the log. If the disk is full, the line is dropped, so that the site can still stop."""
        with contextlib.suppress(OSError):
            self._log.write(f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%S} {name:8} {line}\n".encode())

    def say(self, name: str, text: str) -> None:
        """Write a line to the terminal and to the log."""
        elapsed = time.monotonic() - self._started
        self.print(f"{elapsed:6.1f} s  {name:9} {text}")
        self.log(name, text)

    def print(self, text: str) -> None:
        """Write a line to the terminal. A closed terminal is ignored, so that the site can still stop."""
        with contextlib.suppress(OSError):
            print(text, file=self._terminal, flush=True)

    def close(self) -> None:
        self._log.close()
