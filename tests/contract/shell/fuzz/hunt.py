"""Find texts that do more than a complete analysis says, or than rules allow: analyse, run, compare, reduce."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Final

from tests.contract.shell.compare import differences
from tests.contract.shell.container import Tracing
from tests.contract.shell.fuzz.reduce import reduced
from tests.contract.shell.fuzz.rules import broken
from tests.contract.shell.proof import Analyze, analyze

BATCH: Final = 1000  # texts that are run by one call of the container
MILLISECONDS: Final = 400  # after which a command is ended
MOST_REDUCED: Final = 2  # failures of a kind; the rest is printed as it was found


@dataclass(frozen=True, slots=True)
class Failure:
    """A shell text that performed actions beyond its analysis or its rules, listed in `deeds`. `number` is the text's
    number in the generator."""

    number: int
    text: str
    deeds: tuple[str, ...]
    reduced: str = ""

    @property
    def kind(self) -> str:
        """Return the program and its action, without names of files. Failures with the same cause often have the same
        kind."""
        return " ".join(self.deeds[0].split()[:2])

    def __str__(self) -> str:
        shown = [f"{self.number}: {self.text!r}", *(f"    {deed}" for deed in self.deeds[:3])]
        return "\n".join([*shown, f"    reduced: {self.reduced!r}"] if self.reduced else shown)


@dataclass(slots=True)
class Hunt:
    """The results of running generated shell texts. `ran` counts the texts with a complete analysis, `cut` the texts
    that reached the time limit."""

    texts: int = 0
    ran: int = 0
    cut: int = 0
    failures: list[Failure] = field(default_factory=list)

    def add(self, other: "Hunt") -> None:
        self.texts += other.texts
        self.ran += other.ran
        self.cut += other.cut
        self.failures += other.failures


def hunt(numbered: Iterable[tuple[int, str]], traced: Tracing, analyze: Analyze = analyze) -> Iterator[Hunt]:
    """Run and compare batches of generated shell texts; yield the results of each batch. A text that occurs twice is
    run once."""
    seen: set[int] = set()
    kinds: Counter[str] = Counter()
    for batch in _batches(numbered):
        new = {text: number for number, text in batch if hash(text) not in seen}
        seen.update(map(hash, new))
        found = Hunt(texts=len(batch))
        for text, deeds in failing(list(new), traced, analyze, found).items():
            failure = Failure(new[text], text, tuple(deeds))
            kinds[failure.kind] += 1
            if kinds[failure.kind] <= MOST_REDUCED:
                failure = replace(failure, reduced=reduced(text, lambda texts: failing(texts, traced, analyze)))
            found.failures.append(failure)
        yield found


def failing(
    texts: Sequence[str], traced: Tracing, analyze: Analyze = analyze, count: Hunt | None = None
) -> dict[str, list[str]]:
    """Map texts to their unexpected actions: actions that the complete analysis of a text does not contain, or that a
    rule denies."""
    analyses = {text: analyze(text) for text in dict.fromkeys(texts)}
    complete = {str(number): text for number, (text, found) in enumerate(analyses.items()) if found.complete}
    traces = traced.run(complete, MILLISECONDS) if complete else {}
    if count:
        count.ran += len(traces)
        count.cut += sum(trace.is_cut for trace in traces.values())
    ran = {complete[id_]: trace for id_, trace in traces.items()}
    found = {text: deeds for text, trace in ran.items() if (deeds := differences(trace, analyses[text]))}
    return found | broken({text: trace for text, trace in ran.items() if text not in found})


def _batches(numbered: Iterable[tuple[int, str]]) -> Iterator[list[tuple[int, str]]]:
    waiting = iter(numbered)
    while batch := list(islice(waiting, BATCH)):
        yield batch
