"""A process with metrics continues when the file system of its metric files is full, and writes the files when there is
space."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from agentsite.base.environment import REPOSITORY
from sandbox.disk import loops

pytestmark = [pytest.mark.docker, pytest.mark.skipif(os.getuid() != 0, reason="only root can mount")]

SIZE_KIB: Final = 256
PROGRAM: Final = """
import json, os, sys
import django; django.setup()
from pathlib import Path
filler, has_file = Path(sys.argv[1]), sys.argv[2] == "counted"
from agentsite.base import metrics
if has_file:
    metrics.REAPED.labels("before").inc()
with filler.open("wb", buffering=0) as file:
    try:
        while file.write(bytes(4096)): pass
    except OSError:
        pass
for number in range(500):
    metrics.REAPED.labels(f"kind-{number}").inc()
    metrics.TOOL_CALLS.labels("bash", f"outcome-{number}").observe(1)
full = "kind-400" in metrics.exposition().decode()
filler.unlink()
metrics.REAPED.labels("after").inc()
written = metrics.exposition().decode()
print(json.dumps([full, [f'agentsite_reaped_total{{kind="{kind}"}} 1.0' in written for kind in ("kind-400", "after")]]))
"""


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    disk = tmp_path / "disk"
    disk.mkdir()
    loops.mount("tmpfs", disk, "tmpfs", f"size={SIZE_KIB}k")
    yield disk
    loops.unmount(disk)


@pytest.mark.parametrize("before", ["counted", "nothing"])
def test_a_full_disk_ends_no_process_that_counts_and_no_number_is_lost(small_disk: Path, before: str) -> None:
    environment = {
        "AGENTSITE_ROLE": "sandbox",
        "AGENTSITE_STATE": str(small_disk),
        "PATH": "/usr/bin:/bin",
        "DJANGO_SETTINGS_MODULE": "agentsite.settings",
    }

    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, small_disk / "filler", before],
        env=environment,
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )

    assert done.returncode == 0, done.stderr  # -7 would be SIGBUS
    assert json.loads(done.stdout) == [False, [True, True]]
