from pathlib import Path

import pytest

from sandbox import local
from sandbox.errors import SandboxUnavailable
from sandbox.local import LocalDeployment


def test_a_sandbox_without_walls_must_be_wanted(tmp_path: Path) -> None:
    with pytest.raises(SandboxUnavailable, match="for tests only"):
        LocalDeployment(tmp_path)


def test_a_sandbox_without_walls_does_not_exist_outside_tests(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for mark in local.TEST_MARKS:
        monkeypatch.delenv(mark, raising=False)

    with pytest.raises(SandboxUnavailable, match="for tests only"):
        LocalDeployment(tmp_path, for_tests=True)
