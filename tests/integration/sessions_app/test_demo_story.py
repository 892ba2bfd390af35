"""The demo model fixes the demo project's failing test; a person allows each test run."""

import sys
from typing import Final

from django.core.management import call_command

from deploy import demo_project
from deploy.demo_project import fix
from sessions_app.models import Message, Turn
from tests.support.session_site import SessionSite

# The local sandbox gives commands the system's Python, which need not have pytest. `python3 -m pytest` runs this file
# instead, which starts pytest with the Python of the tests.
PYTEST: Final = """\
import os

program = "import pytest, sys; sys.path.insert(0, ''); sys.exit(pytest.main(sys.argv[1:]))"
options = ["-q", "-p", "no:cacheprovider"]
os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"  # those of the site's tests take seconds to load
os.execv({python!r}, [{python!r}, "-P", "-c", program, *options])
"""


def test_the_demo_model_fixes_the_demo_project_and_asks_before_it_runs_the_tests(site: SessionSite) -> None:
    for path, content in demo_project.files().items():
        site.write(path, content.decode())
    site.write("pytest.py", PYTEST.format(python=sys.executable))
    site.settings.MODEL_NAME = "demo"
    call_command("seed_demo_policy", site.team.slug, site.project.slug)
    session = site.open_session(title="")
    turn = site.run_prompt(demo_project.SUGGESTED_PROMPT, session=session)
    for calls in (["list", "bash"], ["list", "bash", "read", "edit", "bash"]):
        assert turn.state == Turn.State.WAITING
        assert "pytest" in site.open_request().title
        assert [call.tool for call in site.calls(turn)] == calls
        site.reply("once")
        site.pump.run()
        turn.refresh_from_db()
    assert turn.state == Turn.State.COMPLETED
    assert fix.NEW in (site.files / fix.PATH).read_text()
    assert "all 9 tests pass" in _last_text(site, turn)
    session.refresh_from_db()
    assert session.title


def _last_text(site: SessionSite, turn: Turn) -> str:
    answer: Message = site.answers(turn)[-1]
    return "".join(part.text for part in answer.parts.all())
