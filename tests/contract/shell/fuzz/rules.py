"""Compare rules about folders and patterns with the traced actions of commands.

The team allows everything, and its project's limits deny reading in one folder and writing one kind of file. A command
that did read or write these must not be allowed, whatever its analysis contains.
"""

from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Final

from sandbox.ports import WORKSPACE_ROOT
from tests.contract.shell.compare import resolved
from tests.contract.shell.traces import Touched, Trace
from tests.corpora.shell.verdicts import needs_of
from tools_app import gate
from tools_app.permission import layers
from tools_app.permission.model import rules_from_config
from tools_app.permission.presets import HOME
from tools_app.permission.shell.commands import is_known

UNREAD: Final = "deep/*"
UNCHANGED: Final = "*.py"
_PREFERENCES: Final = layers.preferences(agent="build", preset="autonomous")
_DENIED: Final = rules_from_config({"read": {UNREAD: "deny"}, "edit": {UNCHANGED: "deny"}}, home=HOME)
_LIMITS: Final = layers.limits(agent="build", project=_DENIED)
_OF_ITS_OWN: Final = frozenset({"git"})
"""Programs that read denied files by themselves: git reads every file that may have changed."""


def broken(traces: Mapping[str, Trace]) -> dict[str, list[str]]:
    """Return the shell texts that the rules allow although their traces read or write denied files, each with these
    reads and writes."""
    found = {text: deeds for text, trace in traces.items() if (deeds := _forbidden(trace))}
    if not found:
        return {}
    needs = needs_of(found)
    allowed = (text for text in found if gate.judge(needs[text], _PREFERENCES, _LIMITS).action == "allow")
    return {text: [f"{deed}, although a rule denies that" for deed in found[text]] for text in allowed}


def _forbidden(trace: Trace) -> Sequence[str]:
    return [
        f"{program} {'wrote' if deed.is_write else 'read'} {path}"
        for deed in trace.deeds
        if isinstance(deed, Touched)
        and not deed.by_script
        and (path := _inside(deed)) is not None
        and (program := deed.program.rpartition("/")[2]) not in _OF_ITS_OWN
        and is_known(program)
        and _is_denied(deed, path)
    ]


def _inside(deed: Touched) -> str | None:
    path = resolved(deed.path, follow=deed.follows)
    return path.removeprefix(f"{WORKSPACE_ROOT}/") if path.startswith(f"{WORKSPACE_ROOT}/") else None


def _is_denied(deed: Touched, path: str) -> bool:
    if deed.is_write:
        return fnmatchcase(path, UNCHANGED)
    return deed.deed == "open" and not deed.is_of_folder and fnmatchcase(path, UNREAD)
