"""Integration tests use a real database and a real Valkey, which is empty at the start of each test."""

from collections.abc import Iterator

import pytest
from channels.layers import channel_layers


@pytest.fixture(autouse=True)
def _own_valkey(empty_valkey: str) -> None:
    pass


@pytest.fixture(autouse=True)
def _own_channel_layer() -> Iterator[None]:
    """Drop the channel layer after each test: its locks belong to the event loop of the test that took them."""
    yield
    channel_layers.backends.clear()
