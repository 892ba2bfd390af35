"""Analyse commands, run the commands with a complete analysis, and compare the analyses with the traces."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Final

from sandbox.ports import HOME, WORKSPACE_ROOT
from tests.contract.shell.compare import differences
from tests.contract.shell.container import Tracing
from tools_app.permission import shell
from tools_app.permission.shell import ShellAnalysis

Analyze = Callable[[str], ShellAnalysis]

ROOT: Final = PurePosixPath(WORKSPACE_ROOT)
HOME_PATH: Final = PurePosixPath(HOME)


@dataclass(frozen=True, slots=True)
class Proof:
    """The result of a comparison. `kept_back` maps a command to its traced actions that are missing in its complete
    analysis."""

    commands: int
    complete: int
    cut: int
    kept_back: dict[str, list[str]]

    def __str__(self) -> str:
        lines = [f"{self.commands} commands, {self.complete} of them complete and run, {self.cut} cut off"]
        for command, deeds in self.kept_back.items():
            lines += [repr(command), *(f"    {deed}" for deed in deeds[:5])]
        return "\n".join(lines)


def analyze(command: str) -> ShellAnalysis:
    return shell.analyze(command, cwd=ROOT, root=ROOT, home=HOME_PATH)


def prove(commands: Iterable[str], traced: Tracing, analyze: Analyze = analyze) -> Proof:
    """Compare the analyses of commands with their traces. Only commands with a complete analysis are run."""
    analyses = {command: analyze(command) for command in dict.fromkeys(commands)}
    complete = {f"{number}": command for number, (command, found) in enumerate(analyses.items()) if found.complete}
    traces = traced.run(complete)
    kept_back = {
        complete[name]: found
        for name, trace in traces.items()
        if (found := differences(trace, analyses[complete[name]]))
    }
    return Proof(len(analyses), len(complete), sum(trace.is_cut for trace in traces.values()), kept_back)
