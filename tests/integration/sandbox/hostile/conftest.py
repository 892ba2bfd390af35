"""Fixture of the hostile tests: one attacked sandbox and its neighbour, for each runtime that passes the self-check."""

from collections.abc import Callable, Iterator

import pytest

from tests.integration.sandbox.hostile.house import House, open_house
from tests.support.engine import TestEngine
from tests.support.runtimes import INSTALLED, let_others_pass, why_unusable

__all__ = ["why_unusable"]

RUNTIMES = ["runc", *(pytest.param(name, marks=pytest.mark.runtimes(name)) for name in INSTALLED if name != "runc")]


@pytest.fixture(scope="session", params=RUNTIMES)
def house(
    request: pytest.FixtureRequest,
    docker_engine: TestEngine,
    why_unusable: Callable[[str], str],
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[House]:
    runtime = str(request.param)
    folder = tmp_path_factory.mktemp("hostile")
    if runtime != "runc":
        if reason := why_unusable(runtime):
            pytest.skip(reason)
        let_others_pass(folder)
    with open_house(docker_engine, folder, runtime) as opened:
        yield opened
