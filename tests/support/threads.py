"""Run functions in threads, like several workers or people at once; a failure in a thread fails the test."""

import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

from django.db import connections

PATIENCE = 20.0


def race(*functions: Callable[[], Any]) -> list[Any]:
    """Start all functions at the same moment; return their results or exceptions in order."""
    start = threading.Barrier(len(functions))

    def run(function: Callable[[], Any]) -> Any:
        try:
            start.wait(PATIENCE)
            return function()
        finally:
            connections.close_all()

    with ThreadPoolExecutor(len(functions)) as pool:
        futures = [pool.submit(run, function) for function in functions]
        return [_outcome(future) for future in futures]


def _outcome(future: "Future[Any]") -> Any:
    error = future.exception(PATIENCE)
    return future.result() if error is None else error


def of_kind(outcomes: Sequence[Any], kind: type) -> list[Any]:
    return [outcome for outcome in outcomes if isinstance(outcome, kind)]


@contextmanager
def at_work(function: Callable[[], Any]) -> Iterator[None]:
    """Run a function in a thread during the block, and wait for its end."""

    def run() -> None:
        try:
            function()
        finally:
            connections.close_all()

    with ThreadPoolExecutor(1) as pool:
        future = pool.submit(run)
        yield
        future.result(PATIENCE)
