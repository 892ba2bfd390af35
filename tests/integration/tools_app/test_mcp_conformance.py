"""The official conformance suite of the Model Context Protocol tests our client, sign-ins included."""

import os
import subprocess
from pathlib import Path
from typing import Final

import pytest

from agentsite.base.environment import REPOSITORY
from tests.support.conformance_client import serving

PROGRAMS: Final = REPOSITORY / "var/test/npm"
REVISIONS: Final = ("2025-11-25", "2026-07-28")


@pytest.mark.full
@pytest.mark.parametrize("revision", REVISIONS)
def test_the_official_conformance_suite_passes(revision: str, tmp_path: Path) -> None:
    """The official conformance suite passes with every scenario of a revision, except those that a file lists with
    reasons."""
    subprocess.run(["deploy/bin/test-programs"], cwd=REPOSITORY, check=True)
    with serving(tmp_path) as client:
        command: list[str | Path] = [
            "deploy/bin/with-node", "node", PROGRAMS / "node_modules/.bin/conformance", "client",
            "--command", client, "--requirements", revision, "--timeout", "600000", "--output-dir", tmp_path,
            "--expected-failures", REPOSITORY / f"tests/e2e/conformance/client-{revision}.yml",
        ]  # fmt: skip
        environment = {**os.environ, "NODE_AT_LEAST": "22"}
        done = subprocess.run(
            command, check=False, cwd=REPOSITORY, env=environment, capture_output=True, text=True, timeout=900
        )
    assert done.returncode == 0, done.stdout[-6000:]
    assert "auth/metadata-default: " in done.stdout
