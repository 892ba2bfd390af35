"""The option tables match the programs in the sandbox image."""

import json
from pathlib import Path

import pytest

from sandbox.image.options.ask import ask
from tests.support.engine import TestEngine
from tools_app.permission import shell

pytestmark = pytest.mark.docker

RECORDED = Path(shell.__file__).with_name("program_options.json")


def test_the_programs_of_the_image_have_the_recorded_versions_and_options(docker_engine: TestEngine) -> None:
    """The programs of the image have the recorded versions and options. If not, run `python -m sandbox.image.options`
    and judge the new ones; see docs/permissions.md."""
    asked = ask(docker_engine.image, docker_engine.host)
    recorded = json.loads(RECORDED.read_text())
    changed = {
        name: (recorded.get(name), asked.get(name))
        for name in sorted({*recorded, *asked})
        if recorded.get(name) != asked.get(name)
    }
    assert changed == {}
