"""The diagnosis in a process of its own, with an end."""

import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from deploy.demo_model.repair.diagnosis import Diagnosis, Failure, Repair

TIME_LIMIT: Final = 15.0
ROOT: Final = Path(__file__).resolve().parents[3]


def diagnose_bounded(sources: Mapping[str, str]) -> Diagnosis:
    """As `diagnose`; a project that is too much for it gives an empty diagnosis."""
    command = [sys.executable, "-m", "deploy.demo_model.repair"]
    try:
        done = subprocess.run(
            command,
            input=json.dumps(dict(sources)),
            capture_output=True,
            text=True,
            timeout=TIME_LIMIT,
            check=True,
            cwd=ROOT,
        )
        data = json.loads(done.stdout)
    except (subprocess.SubprocessError, ValueError):
        return Diagnosis()
    return Diagnosis(
        failures=tuple(Failure(**one) for one in data["failures"]),
        passed=data["passed"],
        unclear=data["unclear"],
        repairs=tuple(Repair(**one) for one in data["repairs"]),
    )
