"""Integration tests run on a real database and a real Valkey, which is empty at the start of each test."""

import pytest


@pytest.fixture(autouse=True)
def _own_valkey(empty_valkey: str) -> None:
    pass
