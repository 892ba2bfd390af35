"""first_doubt(): the analysis of a text, given up at its first doubt: only what is complete is run and compared.

Most composed texts are incomplete, and most of their time goes into what they may mean. A hunt does not need that.
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
    """Give a function that analyses like `analyze`, and says of incomplete texts only that they are incomplete.

    No doubt is ever taken back, so an analysis is over at its first one. `module` is that with the record of `analyze`.
    """

    def until_doubt(text: str) -> Any:
        try:
            return analyze(text)
        except _DoubtfulError:
            return INCOMPLETE

    with patch.object(module, "Record", type("_FirstDoubt", (module.Record,), {"__slots__": (), "doubt": _raise})):
        yield until_doubt
