"""Find the mutants of the shell analysis that tests detect: a command does more than the mutated analysis predicts.

Traces do not depend on the analysis, so each command runs once for all mutants. A command is analysed again for a
mutant only if its analysis executes the code that the mutant leaves out.
"""

import signal
import tomllib
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import groupby, islice
from pathlib import Path
from typing import Any, Final
from unittest.mock import patch

from tests.contract.shell.compare import differences
from tests.contract.shell.container import Tracing
from tests.contract.shell.fuzz.first_doubt import first_doubt
from tests.contract.shell.fuzz.hunt import BATCH, MILLISECONDS
from tests.contract.shell.mutants.sites import PACKAGE, Mutants
from tests.contract.shell.proof import HOME_PATH, ROOT
from tests.contract.shell.traces import Trace
from tests.corpora.shell.claims import CLAIMS, missing
from tests.corpora.shell.corpus import Way, everyday, ways_around
from tests.corpora.shell.verdicts import needs_of, verdict
from tools_app import command_needs
from tools_app.permission.shell import ShellAnalysis

MOST_TRIED: Final = 1500  # commands that are analysed without a site
MOST_RUN: Final = 60  # of those that are complete only without it
MOST_REACHING: Final = 400  # commands that execute a site and are judged as ways around, besides those that were run
MOST_CRASHES: Final = 3
SECONDS: Final = 0.5  # after which an analysis has been caught in an endless loop


class _TooLong(Exception):
    pass


FAULTS: Final = (
    AssertionError, AttributeError, LookupError, NameError, RuntimeError, TypeError, ValueError, _TooLong,
)  # fmt: skip
"""Exceptions that a mutant may cause."""
HARMLESS: Final[Mapping[str, str]] = tomllib.loads(Path(__file__).with_name("harmless.toml").read_text())
"""Mutants without a relevant effect, each with the reason."""
_WAYS: Final[Mapping[str, Sequence[Way]]] = {
    command: tuple(ways)
    for command, ways in groupby(sorted(ways_around(), key=lambda way: way.command), key=lambda way: way.command)
}


@dataclass(slots=True)
class Verdict:
    """The result for one mutant.

    A mutant is detected by a `command` that does more than its analysis says, by a `way` (a command that bypasses the
    rules without a request), or by a wrong analysis in `CLAIMS` (`claim`). `crashes` counts failed analyses.
    """

    site: str
    command: str = ""
    way: str = ""
    claim: str = ""
    tried: int = 0
    ran: int = 0
    crashes: int = 0

    @property
    def is_killed(self) -> bool:
        return bool(self.command or self.way or self.claim or self.crashes)

    @property
    def fate(self) -> str:
        """Return the result in one word. "unchanged": the mutant was tried, but it made no analysis more permissive or
        less complete, so it may be stricter."""
        if self.is_killed:
            return "crashes" if self.crashes else "noticed"
        if self.site in HARMLESS:
            return "harmless"
        return "SURVIVES" if self.ran else "unchanged" if self.tried else "unreached"

    def __str__(self) -> str:
        by = f" by {self.command!r}" if self.command else ""
        by += f" by the verdict on {self.way}" if self.way else ""
        by += f" by the claim about {self.claim!r}" if self.claim else ""
        return f"{self.fate:9} {self.site}\n          {self.tried} tried, {self.ran} run{by}"


def verdicts(mutants: Mutants, sites: Iterable[str], commands: Iterable[str], traced: Tracing) -> list[Verdict]:
    """Return the verdict on each mutation site.

    Each mutant leaves out one site. The commands for which a mutant's analysis is more permissive or lists less are
    run, to see whether their traces contradict it. If neither a trace nor an entry of `CLAIMS` detects a mutant, the
    rule-bypassing commands whose analysis executes its site are judged.
    """
    usual: dict[str, ShellAnalysis] = {}
    found: list[Verdict] = []
    candidates: list[dict[str, ShellAnalysis]] = []
    copied = next(module for module in mutants.modules if module.__name__ == f"{PACKAGE}.analysis")
    with first_doubt() as quick, first_doubt(partial(careful, mutants), copied) as mutated:
        reaching = _reaching(mutants, mutated, commands)
        for site in sites:
            its = Verdict(site)
            mutants.left_out = site
            comparing = _Comparing(mutated, quick, usual, its)
            candidates.append(dict(islice(comparing.worse(reaching.get(site, ())), MOST_RUN)))
            its.ran = len(candidates[-1])
            found.append(its)
    mutants.left_out = ""
    traces = _run({command for each in candidates for command in each}, traced)
    for its, each in zip(found, candidates, strict=True):
        its.command = next((name for name in each if _is_noticed(traces[name], each[name], usual[name])), "")
        its.claim = _claimed(mutants, its.site, reaching.get(its.site, ()))
        if not its.is_killed:
            its.way = _passing(mutants, its.site, [*each, *reaching.get(its.site, ())[:MOST_REACHING]])
    return found


def _claimed(mutants: Mutants, site: str, commands: Sequence[str]) -> str:
    """Return the first command for which a claim of `claims.toml` fails once the check at `site` is removed; "" if all
    claims hold."""
    mutants.left_out = site
    found = {each: careful(mutants, each) for each in commands if each in CLAIMS}
    mutants.left_out = ""
    return next((each for each, analysis in found.items() if analysis is None or missing(each, analysis)), "")


def _passing(mutants: Mutants, site: str, commands: Sequence[str]) -> str:
    """Return the id of the first rule-bypassing command that would be allowed without the site; empty if there is
    none."""
    ways = [way for command in dict.fromkeys(commands) for way in _WAYS.get(command, ())]
    mutants.left_out = site
    try:
        with patch.object(command_needs, "analyze", mutants.analyze):
            needs = needs_of([way.command for way in ways]) if ways else {}
        judged = ((way, name) for way in ways for name in way.judged)
        return next((way.id for way, name in judged if verdict(way.command, needs, name).action == "allow"), "")
    except FAULTS:
        return "a failure"
    finally:
        mutants.left_out = ""


def corpora() -> list[str]:
    return [*(way.command for way in ways_around()), *(one.command for one in everyday()), *CLAIMS]


def _reaching(mutants: Mutants, analyze: Callable[[str], Any], commands: Iterable[str]) -> dict[str, list[str]]:
    """Return, for each mutation site, the commands whose analysis executes it, the shortest first."""
    reaching: dict[str, list[str]] = defaultdict(list)
    for command in sorted(dict.fromkeys(commands), key=len):
        mutants.reached.clear()
        analyze(command)
        for site in mutants.reached:
            reaching[site].append(command)
    return reaching


@dataclass(frozen=True, slots=True)
class _Comparing:
    """The mutated and the usual analysis, with the results of the usual one so far."""

    mutated: Callable[[str], Any]
    analyze: Callable[[str], ShellAnalysis]
    usual: dict[str, ShellAnalysis]
    verdict: Verdict

    def worse(self, commands: Sequence[str]) -> Iterator[tuple[str, ShellAnalysis]]:
        """Yield commands for which the mutated analysis is complete and predicts other actions than the unchanged
        analysis, each with the mutated analysis."""
        for command in commands[:MOST_TRIED]:
            self.verdict.tried += 1
            analysis = self.mutated(command)
            if analysis is None:
                self.verdict.crashes += 1
                if self.verdict.crashes == MOST_CRASHES:
                    return
                continue
            if command not in self.usual:
                self.usual[command] = self.analyze(command)
            if analysis.complete and _claims(analysis) != _claims(self.usual[command]):
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
    """Return the mutant's analysis of a command, or None if it fails or does not end."""
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
    """Return the promises of an analysis as comparable values: two instances of ShellAnalysis are never equal."""
    return (analysis.complete, repr(analysis.commands), repr(analysis.paths))
