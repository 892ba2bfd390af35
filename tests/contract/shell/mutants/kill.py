"""Which changes of the analysis for the worse are noticed: a command does more than the changed analysis says.

Traces do not depend on the analysis, so each command runs once, whatever is changed. Only commands on whose way a site
lies are analysed again without it.
"""

import signal
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final

from tests.contract.shell.compare import differences
from tests.contract.shell.container import Tracing
from tests.contract.shell.fuzz.hunt import BATCH, MILLISECONDS
from tests.contract.shell.mutants.sites import Mutants
from tests.contract.shell.proof import HOME_PATH, ROOT, analyze
from tests.contract.shell.traces import Trace
from tests.corpora.shell.corpus import everyday, ways_around
from tools_app.permission.shell import ShellAnalysis

MOST_TRIED: Final = 1500  # commands that are analysed without a site
MOST_RUN: Final = 60  # of those that are complete only without it
MOST_CRASHES: Final = 3
SECONDS: Final = 0.5  # after which an analysis has been caught in an endless loop


class _TooLong(Exception):
    pass


FAULTS: Final = (
    AssertionError, AttributeError, LookupError, NameError, RuntimeError, TypeError, ValueError, _TooLong,
)  # fmt: skip
"""What careless code raises."""


@dataclass(slots=True)
class Verdict:
    """What happened to one mutant. `command` is what it was noticed by; `crashes` counts analyses that failed."""

    site: str
    command: str = ""
    tried: int = 0
    ran: int = 0
    crashes: int = 0

    @property
    def is_killed(self) -> bool:
        return bool(self.command or self.crashes)

    @property
    def fate(self) -> str:
        """Unchanged: for no command did the mutant claim more or name less, so it may even be stricter."""
        if self.is_killed:
            return "noticed" if self.command else "crashes"
        return "SURVIVES" if self.ran else "unchanged" if self.tried else "unreached"

    def __str__(self) -> str:
        by = f" by {self.command!r}" if self.command else ""
        return f"{self.fate:9} {self.site}\n          {self.tried} tried, {self.ran} run{by}"


def verdicts(mutants: Mutants, sites: Iterable[str], commands: Iterable[str], traced: Tracing) -> list[Verdict]:
    """Leave out one site after the other; then run all commands about which a mutant claims more, or names less."""
    reaching = _reaching(mutants, commands)
    usual: dict[str, ShellAnalysis] = {}
    found: list[Verdict] = []
    candidates: list[dict[str, ShellAnalysis]] = []
    for site in sites:
        verdict = Verdict(site)
        mutants.left_out = site
        candidates.append(dict(islice(_worse(mutants, reaching.get(site, ()), verdict, usual), MOST_RUN)))
        verdict.ran = len(candidates[-1])
        found.append(verdict)
    mutants.left_out = ""
    traces = _run({command for each in candidates for command in each}, traced)
    for verdict, each in zip(found, candidates, strict=True):
        verdict.command = next((name for name in each if _is_noticed(traces[name], each[name], usual[name])), "")
    return found


def corpora() -> list[str]:
    return [*(way.command for way in ways_around()), *(one.command for one in everyday())]


def _reaching(mutants: Mutants, commands: Iterable[str]) -> dict[str, list[str]]:
    """Return for each site the commands on whose way it lies, the shortest first."""
    reaching: dict[str, list[str]] = defaultdict(list)
    for command in sorted(dict.fromkeys(commands), key=len):
        mutants.reached.clear()
        careful(mutants, command)
        for site in mutants.reached:
            reaching[site].append(command)
    return reaching


def _worse(
    mutants: Mutants, commands: Sequence[str], verdict: Verdict, usual: dict[str, ShellAnalysis]
) -> Iterator[tuple[str, ShellAnalysis]]:
    for command in commands[:MOST_TRIED]:
        verdict.tried += 1
        analysis = careful(mutants, command)
        if analysis is None:
            verdict.crashes += 1
            if verdict.crashes == MOST_CRASHES:
                return
            continue
        if command not in usual:
            usual[command] = analyze(command)
        if analysis.complete and _claims(analysis) != _claims(usual[command]):
            yield command, analysis


def _run(commands: Iterable[str], traced: Tracing) -> dict[str, Trace]:
    traces: dict[str, Trace] = {}
    waiting = iter(sorted(commands))
    while batch := list(islice(waiting, BATCH)):
        ran = traced.run({str(number): command for number, command in enumerate(batch)}, MILLISECONDS)
        traces |= {batch[int(number)]: trace for number, trace in ran.items()}
    return traces


def _is_noticed(trace: Trace, analysis: ShellAnalysis, usual: ShellAnalysis) -> bool:
    deeds = differences(trace, analysis)
    return bool(deeds) and deeds != differences(trace, usual)


def careful(mutants: Mutants, command: str) -> Any:
    """Return the analysis, or None if it fails or does not end."""
    try:
        with _within(SECONDS):
            return mutants.analyze(command, cwd=ROOT, root=ROOT, home=HOME_PATH)
    except FAULTS:
        return None


@contextmanager
def _within(seconds: float) -> Iterator[None]:
    def stop(*_: object) -> None:
        raise _TooLong

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def _claims(analysis: ShellAnalysis) -> tuple[object, ...]:
    """The analyses are of two copies of one class, which are never equal."""
    return (analysis.complete, repr(analysis.commands), repr(analysis.paths))
