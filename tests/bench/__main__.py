"""Measure the cost of the site's own work on this machine, as times and as ratios to fixed work: `make bench`.

    python -m tests.bench [rows]                    all rows, or some of them: `steps reads`
    python -m tests.bench --list                    the names of the rows
    python -m tests.bench --json steps              one JSON document on the standard output
    python -m tests.bench --source DIRECTORY steps  the site of another checkout; `make bench-compare` uses it

It exits with status 1 if a figure misses its target.
"""

import argparse
import json
import os
import sys
from pathlib import Path

from tests.bench.calibration import calibrate
from tests.bench.figures import Figure, MeasuredRow, all_reached, print_row
from tests.bench.rows import COMPONENTS, SITE_ROWS
from tests.support.running_site import REPOSITORY


def main() -> int:
    options = _options()
    if options.list:
        print(*COMPONENTS, *SITE_ROWS, sep="\n")
        return 0
    wanted = options.rows or [*COMPONENTS, *SITE_ROWS]
    if unknown := [name for name in wanted if name not in {*COMPONENTS, *SITE_ROWS}]:
        print(f"There is no row {', '.join(unknown)}. The rows are {', '.join([*COMPONENTS, *SITE_ROWS])}.")
        return 2
    reached = True
    if not options.json:
        for name in wanted:
            if name in COMPONENTS:
                reached = COMPONENTS[name]() and reached
                print()
    rows = [_measure(name, options.source, show=not options.json) for name in wanted if name in SITE_ROWS]
    if options.json:
        print(json.dumps({"rows": [row.as_dict() for row in rows]}, indent=1))
    return int(not (all_reached(rows) and reached))


def _measure(name: str, source: Path, *, show: bool) -> MeasuredRow:
    calibration = calibrate()
    figures: list[Figure] = SITE_ROWS[name](source)
    row = MeasuredRow(name, calibration, tuple(figures))
    if show:
        print_row(row)
        sys.stdout.flush()
    return row


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__.split("\n", 1)[0])
    parser.add_argument("rows", nargs="*", metavar="row", help="names of rows; all of them if none is named")
    parser.add_argument("--list", action="store_true", help="print the names of the rows")
    parser.add_argument("--json", action="store_true", help="print one JSON document; only rows of a whole site")
    parser.add_argument("--source", type=Path, default=REPOSITORY, help="the checkout whose site is measured")
    return parser.parse_args()


if __name__ == "__main__":
    os.environ.setdefault("AGENTSITE_ROLE", "manage")
    sys.exit(main())
