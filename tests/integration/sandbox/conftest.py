"""Fixtures of tests that need only the container engine: no database and no Valkey."""

import pytest

from tests.contract.sandbox.conftest import (
    Sandbox,
    docker_shelf,
    fresh_sandbox,
    local_shelf,
    make_deployment,
    sandbox,
    spec,
)
from tests.support.engine import docker_engine

__all__ = [
    "Sandbox",
    "docker_engine",
    "docker_shelf",
    "fresh_sandbox",
    "local_shelf",
    "make_deployment",
    "sandbox",
    "spec",
]


@pytest.fixture
def kind() -> str:
    return "docker"


@pytest.fixture
def _own_valkey() -> None:
    """Override the fixture that starts Valkey for other integration tests."""
