"""Measure how fast this machine is, so that figures of two machines can be compared as ratios.

The work is fixed, takes about a second, and resembles the work of a step:

1. Python: 9,000 times, build an event of nested dicts, write it as JSON, read it again, and sort its words.
2. Hashing: SHA-256 over 6,000 blocks of 64 KiB.
3. SQLite: in a new database file with write-ahead log, 4,500 transactions of two inserts, one update and two reads by
   index.
"""

import hashlib
import json
import sqlite3
import tempfile
import time
from contextlib import closing
from pathlib import Path
from typing import Final

from tests.bench.figures import Calibration

EVENTS: Final = 9_000
BLOCKS: Final = 6_000
BLOCK: Final = bytes(range(256)) * 256
TRANSACTIONS: Final = 4_500
SCHEMA: Final = """
PRAGMA journal_mode=WAL;
PRAGMA synchronous=NORMAL;
CREATE TABLE session (id INTEGER PRIMARY KEY, seq INTEGER NOT NULL);
CREATE TABLE event (id INTEGER PRIMARY KEY, session INTEGER NOT NULL, seq INTEGER NOT NULL, data TEXT NOT NULL);
CREATE UNIQUE INDEX event_by_session ON event (session, seq);
INSERT INTO session VALUES (1, 0);
"""


def calibrate() -> Calibration:
    """Run the benchmark's CPU work once, in this thread; return the wall-clock and CPU milliseconds that it took."""
    wall, cpu = time.perf_counter(), time.process_time()
    _handle_events()
    _hash_blocks()
    _store_events()
    return Calibration((time.perf_counter() - wall) * 1000, (time.process_time() - cpu) * 1000)


def _handle_events() -> None:
    for number in range(EVENTS):
        parts = [{"id": f"part_{number}_{index}", "text": f"line {index} of {number}\n"} for index in range(8)]
        event = {"type": "message.updated", "seq": number, "data": {"parts": parts, "state": "running"}}
        read = json.loads(json.dumps(event))
        words = [word for part in read["data"]["parts"] for word in part["text"].split()]
        if len(sorted(words, key=str.lower)) != len(parts) * 4:
            raise AssertionError("the event changed on its way")


def _hash_blocks() -> None:
    digest = hashlib.sha256()
    for _ in range(BLOCKS):
        digest.update(BLOCK)
    digest.hexdigest()


def _store_events() -> None:
    with (
        tempfile.TemporaryDirectory(prefix="bench-") as folder,
        closing(sqlite3.connect(Path(folder) / "db.sqlite3", isolation_level=None)) as database,
    ):
        database.executescript(SCHEMA)
        insert = "INSERT INTO event (session, seq, data) VALUES (1, ?, ?)"
        for number in range(TRANSACTIONS):
            database.execute("BEGIN IMMEDIATE")
            database.executemany(insert, [(2 * number, "x" * 800), (2 * number + 1, "y" * 800)])
            database.execute("UPDATE session SET seq = ? WHERE id = 1", (2 * number + 1,))
            database.execute("SELECT data FROM event WHERE session = 1 AND seq = ?", (number,)).fetchone()
            database.execute("SELECT seq FROM session WHERE id = 1").fetchone()
            database.execute("COMMIT")
