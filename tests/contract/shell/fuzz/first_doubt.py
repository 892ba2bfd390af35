"""End each shell analysis at its first doubt (reason why it may be incomplete), because incomplete texts are not run.

Most generated texts are incomplete, and the analysis would spend most of its time on their possible meanings.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any, Final
from unittest.mock import patch

from tests.contract.shell.proof import analyze
from tools_app.permission.shell import ShellAnalysis, analysis

INCOMPLETE: Final = ShellAnalysis((), (), (), complete=False, reasons=(), commands=(), redirects=(), paths=())


class _DoubtfulError(Exception):
    pass


def _raise(_: object, reason: str) -> None:
    raise _DoubtfulError(reason)


@contextmanager
def first_doubt(
    analyze: Callable[[str], Any] = analyze, module: ModuleType = analysis
) -> Iterator[Callable[[str], Any]]:
    """Yield a function that analyses like `analyze`, but returns `INCOMPLETE` for every incomplete text.

    The analysis ends at the first doubt (reason why it may be incomplete), because a doubt is never withdrawn. `module`
    is the module with the class `Record` that `analyze` uses.
    """

    def until_doubt(text: str) -> Any:
        try:
            return analyze(text)
        except _DoubtfulError:
            return INCOMPLETE

    with patch.object(module, "Record", type("_FirstDoubt", (module.Record,), {"__slots__": (), "doubt": _raise})):
        yield until_doubt
