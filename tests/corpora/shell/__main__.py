"""Judge the two corpora of shell commands; print the commands that bypass rules, other wrong decisions, and the
duration."""

import os
import sys
import time

from tests.corpora.shell.corpus import everyday, ways_around
from tests.corpora.shell.verdicts import report

os.environ.setdefault("SANDBOX_LOCAL_FOR_TESTS", "yes")


def main() -> int:
    began = time.perf_counter()
    found = report()
    for passed in found.passed:
        print(f"passes               {passed}")
    for one in found.silently_allowed:
        print(f"silently allowed     {one.group}, {one.reason}: {one.command!r}")
    for one in found.asked_without_need:
        print(f"asked without need   {one.group}: {one.command!r}")
    harmless = sum(one.is_harmless for one in everyday())
    print(
        f"\nways around          {len(ways_around())}, of which {len({each.way for each in found.passed})} pass\n"
        f"everyday commands    {len(everyday())}, of which {harmless} are harmless\n"
        f"asked without need   {len(found.asked_without_need)} = {found.share_asked_without_need:.1%} (at most 5 %)\n"
        f"silently allowed     {len(found.silently_allowed)}\n"
        f"seconds              {time.perf_counter() - began:.1f}"
    )
    return int(bool(found.passed or found.silently_allowed))


if __name__ == "__main__":
    sys.exit(main())
