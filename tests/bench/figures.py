"""Measured numbers, the speed of the machine on which they were measured, and their printed form."""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any, Final, Literal, Self

Unit = Literal["ms", "calls/s", "MiB", "kB", "times", "% of a core"]
Clock = Literal["wall", "cpu", ""]
FACTORS: Final[Mapping[Unit, int]] = {"ms": 1, "calls/s": -1}  # how a figure grows with the time of the calibration


@dataclass(frozen=True, slots=True)
class Calibration:
    """Milliseconds that the fixed work of `tests.bench.calibration` took."""

    wall: float
    cpu: float


@dataclass(frozen=True, slots=True)
class Figure:
    """One measured number. `clock` names the clock of a time or rate; `target` is its upper limit, or with `at_least`
    its lower limit."""

    name: str
    value: float
    unit: Unit
    clock: Clock = ""
    target: float | None = None
    at_least: bool = False

    def ratio(self, calibration: Calibration) -> float | None:
        """Return a figure relative to the calibration: a time as a multiple of the calibration's time, a rate as the
        number of calls in that time; None for other units."""
        if self.unit not in FACTORS:
            return None
        time = calibration.cpu if self.clock == "cpu" else calibration.wall
        return self.value / time if FACTORS[self.unit] > 0 else self.value * time / 1000

    @property
    def reached(self) -> bool:
        if self.target is None:
            return True
        return self.value >= self.target if self.at_least else self.value <= self.target


def cpu_figures(seconds: Mapping[str, float], *, calls: int, work: str) -> list[Figure]:
    """Return the CPU time that each process needs for one call, and the sum of all."""
    figures = [Figure(f"CPU of {work}: {name}", 1000 * used / calls, "ms", "cpu") for name, used in seconds.items()]
    return [*figures, Figure(f"CPU of {work}: all", 1000 * sum(seconds.values()) / calls, "ms", "cpu")]


@dataclass(frozen=True, slots=True)
class MeasuredRow:
    """The figures of one benchmark row, and the calibration that ran just before it."""

    row: str
    calibration: Calibration
    figures: tuple[Figure, ...]

    def as_dict(self) -> dict[str, Any]:
        ratios = [{**asdict(figure), "ratio": figure.ratio(self.calibration)} for figure in self.figures]
        return {"row": self.row, "calibration": asdict(self.calibration), "figures": ratios}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        figures = ({name: value for name, value in each.items() if name != "ratio"} for each in data["figures"])
        return cls(data["row"], Calibration(**data["calibration"]), tuple(Figure(**each) for each in figures))


def print_row(row: MeasuredRow) -> None:
    """Print the figures of a benchmark row, with each time and rate as a ratio to the calibration."""
    print(f"\n{row.row}  (calibration {row.calibration.wall:.0f} ms, of it CPU {row.calibration.cpu:.0f} ms)")
    for figure in row.figures:
        ratio = figure.ratio(row.calibration)
        columns = f"  {figure.name:44}{figure.value:10.2f} {figure.unit:12}"
        print(f"{columns}{f'{ratio:10.4f} x' if ratio is not None else '':12}{_target(figure)}".rstrip())


def _target(figure: Figure) -> str:
    if figure.target is None:
        return ""
    word = "at least" if figure.at_least else "at most"
    return f"   {word} {figure.target:g}: {'reached' if figure.reached else 'MISSED'}"


def all_reached(rows: Iterable[MeasuredRow]) -> bool:
    return all(figure.reached for row in rows for figure in row.figures)
