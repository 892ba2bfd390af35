"""Compare bench rows of a site at another commit with the rows of this checkout: `make bench-compare REF=<commit>`.

    python -m tests.bench.compare REF [rows]

Both sites are measured by this checkout's bench and its scripted model, in turns, so that whatever else happens on the
machine affects both. The other commit is unpacked below `var/bench` and removed afterwards; it has a virtual
environment of its own only if its `requirements.lock` differs.
"""

import argparse
import json
import shutil
import statistics
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from tests.bench.figures import Figure, MeasuredRow
from tests.support.running_site import REPOSITORY

ROWS: Final = ("steps", "reads", "first-token")
ROUNDS: Final = 2
SOURCES: Final = REPOSITORY / "var" / "bench-sources"
LOCK: Final = "requirements.lock"


class UnknownCommit(Exception):
    """The given text does not name a commit; the message says why."""


def find_commit(name: str) -> str:
    """Return the full hash of a commit. Raises UnknownCommit."""
    if not name:
        raise UnknownCommit("Name the commit to compare with: make bench-compare REF=<commit>")
    if name.endswith("-dirty"):
        raise UnknownCommit(f"{name} has changes that no commit contains. Commit them, and name that commit.")
    command = ["git", "rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}"]
    found = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=False)
    if found.returncode:
        raise UnknownCommit(f"There is no commit {name} in this repository.")
    return found.stdout.strip()


@contextmanager
def unpacked(commit: str) -> Iterator[Path]:
    """Unpack a commit into a directory from which its site can be run; remove the directory at the end."""
    source = SOURCES / commit[:12]
    shutil.rmtree(source, ignore_errors=True)
    source.mkdir(parents=True)
    try:
        archive = subprocess.run(["git", "archive", commit], cwd=REPOSITORY, capture_output=True, check=True).stdout
        subprocess.run(["tar", "-x", "-C", str(source)], input=archive, check=True)
        (source / "var").mkdir(exist_ok=True)
        (source / "var" / "cache").symlink_to((REPOSITORY / "var" / "cache").resolve())
        if (source / LOCK).read_bytes() == (REPOSITORY / LOCK).read_bytes():
            (source / ".venv").symlink_to((REPOSITORY / ".venv").resolve())
        else:
            subprocess.run(["deploy/bin/python-env"], cwd=source, stdout=sys.stderr, check=True)
        yield source
    finally:
        shutil.rmtree(source)
        with suppress(OSError):  # another comparison is going on
            SOURCES.rmdir()


def measure(source: Path, rows: Sequence[str]) -> list[MeasuredRow]:
    """Run benchmark rows with the site in the directory `source`, in a process of its own, and return the results."""
    command = [sys.executable, "-m", "tests.bench", "--json", "--source", str(source), *rows]
    result = subprocess.run(command, cwd=REPOSITORY, stdout=subprocess.PIPE, check=False)
    if not result.stdout:
        raise SystemExit(f"The bench failed with status {result.returncode}; its reason is above.")
    return [MeasuredRow.from_dict(row) for row in json.loads(result.stdout)["rows"]]


def medians(rounds: Sequence[Sequence[MeasuredRow]]) -> dict[tuple[str, str], tuple[float, str]]:
    """Return the median and the unit of each figure over several rounds, by row and name."""
    values: dict[tuple[str, str], list[Figure]] = {}
    for row in (row for rows in rounds for row in rows):
        for figure in row.figures:
            values.setdefault((row.row, figure.name), []).append(figure)
    return {key: (statistics.median(each.value for each in found), found[0].unit) for key, found in values.items()}


def print_comparison(name: str, here: Sequence[Sequence[MeasuredRow]], there: Sequence[Sequence[MeasuredRow]]) -> None:
    """Print each figure for this checkout and for the other commit `name`, and the ratio of the two."""
    ours, theirs = medians(here), medians(there)
    print(f"{'':60}{'here':>12}{name:>14}   here / {name}")
    for (row, figure), (value, unit) in ours.items():
        other = theirs.get((row, figure), (0.0, unit))[0]
        ratio = f"{value / other:14.2f}" if other else f"{'-':>14}"
        print(f"{f'{row}: {figure}'[:59]:60}{value:12.2f}{other:14.2f}{ratio} {unit}")


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.compare", description="Compare two commits.")
    parser.add_argument("commit", metavar="REF", help="the commit to compare with: a hash, a branch or a tag")
    parser.add_argument("rows", nargs="*", default=ROWS, help=f"rows of a site; {', '.join(ROWS)} if none is named")
    parser.add_argument("--rounds", type=int, default=ROUNDS, help=f"how often each is measured; {ROUNDS} if not said")
    options = parser.parse_args()
    try:
        commit = find_commit(options.commit)
    except UnknownCommit as error:
        print(error, file=sys.stderr)
        return 2
    here, there = list[list[MeasuredRow]](), list[list[MeasuredRow]]()
    with unpacked(commit) as source:
        for number in range(options.rounds):
            print(f"round {number + 1} of {options.rounds}", file=sys.stderr)
            here.append(measure(REPOSITORY, options.rows))
            there.append(measure(source, options.rows))
    print_comparison(commit[:9], here, there)
    return 0


if __name__ == "__main__":
    sys.exit(main())
