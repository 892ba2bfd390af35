"""The demo model fixes the demo project's failing test, deciding from what the tools tell it."""

import subprocess
import sys

from django.core.management import call_command

from deploy import demo_project
from sessions_app.models import Turn
from tests.support.session_site import SessionSite


def test_the_demo_model_fixes_the_demo_project_and_asks_before_it_runs_the_tests(site: SessionSite) -> None:
    for path, content in demo_project.files().items():
        site.write(path, content.decode())
    site.settings.MODEL_NAME = "demo"
    assert not _tests_pass(site)
    call_command("seed_demo_policy", site.team.slug, site.project.slug)
    session = site.open_session(title="")
    turn = site.run_prompt(demo_project.SUGGESTED_PROMPT, session=session)
    assert turn.state == Turn.State.WAITING
    assert "pytest" in site.open_request().title
    assert {"read", "grep", "edit", "bash"} <= {call.tool for call in site.calls(turn)}
    assert _tests_pass(site)
    session.refresh_from_db()
    assert session.title


def _tests_pass(site: SessionSite) -> bool:
    """With our own Python: the local sandbox gives commands the system's, which need not have pytest."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:django"]
    done = subprocess.run(
        command, cwd=site.files, env={"HOME": str(site.files)}, capture_output=True, text=True, check=False
    )
    assert " passed" in done.stdout, done.stdout + done.stderr
    return done.returncode == 0
