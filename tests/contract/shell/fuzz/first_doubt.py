"""first_doubt(): the analysis of a text, given up at its first doubt: only what is complete is run and compared.

Most composed texts are incomplete, and most of their time goes into what they may mean. A hunt does not need that.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final
from unittest.mock import patch

from tests.contract.shell.proof import Analyze, analyze
from tools_app.permission.shell import ShellAnalysis
from tools_app.permission.shell import analysis as module
from tools_app.permission.shell.record import Record

INCOMPLETE: Final = ShellAnalysis((), (), (), complete=False, reasons=(), commands=(), redirects=(), paths=())


class _DoubtfulError(Exception):
    pass


class _FirstDoubt(Record):
    """A record that ends the analysis at its first doubt. No doubt is ever taken back."""

    __slots__ = ()

    def doubt(self, reason: str) -> None:
        raise _DoubtfulError(reason)


@contextmanager
def first_doubt(analyze: Analyze = analyze) -> Iterator[Analyze]:
    """Give a function that analyses like `analyze`, and says of incomplete texts only that they are incomplete."""

    def until_doubt(text: str) -> ShellAnalysis:
        try:
            return analyze(text)
        except _DoubtfulError:
            return INCOMPLETE

    with patch.object(module, "Record", _FirstDoubt):
        yield until_doubt
