"""The program and options with which tests and benches start Chromium."""

from typing import Final

CHROMIUM: Final = "/usr/bin/chromium-headless-shell"
"""Chromium without browser windows around the pages; drawing them takes three times as much CPU."""
OFFLINE: Final = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
]  # fmt: skip
