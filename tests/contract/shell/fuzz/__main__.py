"""Compare the analysis with bash for generated commands: `python -m tests.contract.shell.fuzz --count 20000`.

The commands run only in a container without a network. The same seed gives the same commands; a failure is printed with
its number, so that `--first NUMBER --count 1` repeats it. With `--progress FILE` a run continues where the last one was
stopped, and reports the findings of all runs at the end.
"""

import argparse
import os
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from functools import partial
from itertools import islice
from pathlib import Path

from tests.contract.shell.container import tracing
from tests.contract.shell.fuzz.calls import every_option
from tests.contract.shell.fuzz.first_doubt import first_doubt
from tests.contract.shell.fuzz.generate import Generator
from tests.contract.shell.fuzz.hunt import Hunt, hunt
from tests.contract.shell.fuzz.progress import Progress
from tests.contract.shell.fuzz.vocabulary import Vocabulary, of_image
from tests.support.engine import TestEngine, running_engine

os.environ.setdefault("SANDBOX_LOCAL_FOR_TESTS", "yes")


def main() -> int:
    options = _options()
    found = Hunt()
    began = time.monotonic()
    with running_engine() as engine, ProcessPoolExecutor(options.jobs) as pool, suppress(KeyboardInterrupt):
        parts = 1 if options.progress else options.jobs
        step = -(-options.count // parts)
        ranges = [
            range(start, min(start + step, options.first + options.count))
            for start in range(options.first, options.first + options.count, step)
        ]
        for part in pool.map(partial(_part, options, engine), ranges):
            found.add(part)
    seconds = time.monotonic() - began
    print(
        f"seed {options.seed}: {found.texts} texts, {found.ran} of them called complete and run, {found.cut} cut off,"
    )
    print(f"{len(found.failures)} failures; {seconds:.0f} s, {found.texts / seconds:.0f} texts/s")
    return int(bool(found.failures))


def _part(options: argparse.Namespace, engine: TestEngine, numbers: range) -> Hunt:
    total = Hunt()
    progress = Progress.of(options.progress, options.seed, numbers)
    end = time.monotonic() + options.seconds
    with tracing(engine) as traced, first_doubt() as quick:
        texts = _texts(options.seed, options.options, progress.left, of_image(traced))
        for found in hunt(texts, traced, quick):
            total.add(found)
            progress.add(found)
            for failure in found.failures:
                print(failure, flush=True)
            print(f"# {progress}: {total.ran} run, {len(total.failures)} failures", file=sys.stderr, flush=True)
            if time.monotonic() > end:
                break
    return total


def _texts(seed: int, options: bool, numbers: range, vocabulary: Vocabulary) -> Iterator[tuple[int, str]]:
    if options:
        yield from islice(enumerate(every_option(vocabulary)), numbers.start, numbers.stop)
        return
    generator = Generator(seed, vocabulary)
    for number in numbers:
        yield number, generator.text(number)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.contract.shell.fuzz", description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="number of the first command")
    parser.add_argument("--count", type=int, default=20_000)
    parser.add_argument("--options", action="store_true", help="each option of each program in turn, not composed")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--progress", type=Path, help="a file that keeps how far the hunt of this seed is; one job")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="after which no batch is begun any more")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
