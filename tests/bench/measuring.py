"""Measure several actions in alternating small batches, so that a busy machine slows all of them alike."""

import statistics
import time
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, field

Measured = Callable[[], Awaitable[object]]


@dataclass
class Series:
    """The measured times of one action. A `slow` action runs once in each round instead of a whole batch."""

    name: str
    action: Measured
    slow: bool = False
    seconds: list[float] = field(default_factory=list)

    async def measure(self, times: int) -> None:
        for _ in range(times):
            start = time.perf_counter()
            await self.action()
            self.seconds.append(time.perf_counter() - start)

    @property
    def median(self) -> float:
        return percentile(self.seconds, 50)

    @property
    def p95(self) -> float:
        return percentile(self.seconds, 95)

    def line(self) -> str:
        return (
            f"{self.name:40}{self.median:9.3f} ms  (p10 {percentile(self.seconds, 10):.3f}, p95 {self.p95:.3f},"
            f" n = {len(self.seconds)})"
        )


def percentile(seconds: Iterable[float], percent: int) -> float:
    """Return a percentile of durations, in milliseconds."""
    values = sorted(seconds)
    return (
        statistics.quantiles(values, n=100, method="inclusive")[percent - 1] if len(values) > 1 else values[0]
    ) * 1000


async def measure_in_turns(series: Iterable[Series], *, rounds: int, batch: int) -> None:
    """Measure several series in alternating batches, after one unmeasured run of each series."""
    kinds = list(series)
    for kind in kinds:
        await kind.action()
    for _ in range(rounds):
        for kind in kinds:
            await kind.measure(1 if kind.slow else batch)


def blocking(action: Callable[[], object]) -> Measured:
    async def run() -> object:
        return action()

    return run


@dataclass(frozen=True)
class Target:
    """A figure and its upper limit, or with `at_least` its lower limit."""

    name: str
    value: float
    limit: float
    unit: str = ""
    at_least: bool = False

    @property
    def reached(self) -> bool:
        return self.value >= self.limit if self.at_least else self.value <= self.limit

    def line(self) -> str:
        word = "at least" if self.at_least else "at most"
        unit = f" {self.unit}" if self.unit else ""
        verdict = "reached" if self.reached else "MISSED"
        return f"{self.name:52}{self.value:9.2f}{unit}  ({word} {self.limit:g}{unit}: {verdict})"


def report(targets: Iterable[Target]) -> bool:
    """Print each target. Return whether all were reached."""
    lines = list(targets)
    for target in lines:
        print(target.line())
    return all(target.reached for target in lines)
