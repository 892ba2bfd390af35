"""One container for all tests that trace commands."""

from collections.abc import Iterator

import pytest

from tests.contract.shell.container import Tracing, tracing
from tests.support.engine import TestEngine, docker_engine

__all__ = ["docker_engine"]


@pytest.fixture(scope="package")
def traced(docker_engine: TestEngine) -> Iterator[Tracing]:
    with tracing(docker_engine) as made:
        yield made
