"""Compare the analysis with bash for generated commands: `python -m tests.contract.shell.fuzz --count 20000`.

The commands run only in a container without a network. The same seed gives the same commands; a failure is printed with
its number, so that `--first NUMBER --count 1` repeats it.
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

from tests.contract.shell.container import tracing
from tests.contract.shell.fuzz.calls import every_option
from tests.contract.shell.fuzz.generate import Generator
from tests.contract.shell.fuzz.hunt import Hunt, hunt
from tests.contract.shell.fuzz.vocabulary import Vocabulary, of_image
from tests.support.engine import TestEngine, running_engine

os.environ.setdefault("SANDBOX_LOCAL_FOR_TESTS", "yes")


def main() -> int:
    options = _options()
    found = Hunt()
    began = time.monotonic()
    with running_engine() as engine, ProcessPoolExecutor(options.jobs) as pool, suppress(KeyboardInterrupt):
        step = -(-options.count // options.jobs)
        ranges = [
            range(start, min(start + step, options.first + options.count))
            for start in range(options.first, options.first + options.count, step)
        ]
        for part in pool.map(partial(_part, options.seed, options.options, engine), ranges):
            found.add(part)
    seconds = time.monotonic() - began
    print(
        f"seed {options.seed}: {found.texts} texts, {found.ran} of them called complete and run, {found.cut} cut off,"
    )
    print(f"{len(found.failures)} failures; {seconds:.0f} s, {found.texts / seconds:.0f} texts/s")
    return int(bool(found.failures))


def _part(seed: int, options: bool, engine: TestEngine, numbers: range) -> Hunt:
    total = Hunt()
    with tracing(engine) as traced:
        for found in hunt(_texts(seed, options, numbers, of_image(traced)), traced):
            total.add(found)
            for failure in found.failures:
                print(failure, flush=True)
            print(
                f"# {numbers.start + total.texts}: {total.ran} run, {len(total.failures)} failures",
                file=sys.stderr,
                flush=True,
            )
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
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
