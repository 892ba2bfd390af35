"""One house for all categories that a test process gets."""

from collections.abc import Iterator

import pytest

from tests.integration.sandbox.hostile.house import House, open_house
from tests.support.engine import TestEngine


@pytest.fixture(scope="session")
def house(docker_engine: TestEngine, tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    with open_house(docker_engine, tmp_path_factory.mktemp("hostile"), "runc") as opened:
        yield opened
