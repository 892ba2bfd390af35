"""Formatters whose commands are part of the configuration."""

import json
from typing import Any

import pytest

from sessions_app.models import Workspace
from sessions_app.workers.sandbox import deployment, project_files
from sessions_app.workers.sandbox.project_files import refresh_project_files
from tests.support.model_server import calls, text, tool_call
from tests.support.session_site import SessionSite

pytestmark = pytest.mark.one_database

SED = {"command": ["sed", "-i", "s/quiet/LOUD/", "$FILE"], "extensions": [".txt"], "environment": {"LC_ALL": "C"}}
SHOUT = {"command": ["python3", "shout.py", "$FILE"], "extensions": [".txt"], "environment": {"WORD": "LOUD"}}
PROGRAM = "import os, sys\nopen(sys.argv[1], 'w').write(os.environ['WORD'] + '\\n')\n"


def configured(site: SessionSite, formatter: Any) -> None:
    project_files._seen.clear()
    runtime = deployment.runtime_of(site.workspace)
    site.write("opencode.json", json.dumps({"formatter": formatter}))
    site.write("shout.py", PROGRAM)
    refresh_project_files(Workspace.objects.select_related("project").get(pk=site.workspace.pk), runtime)


def written(site: SessionSite, *allow: str, path: str = "a b.txt") -> list[str]:
    """Let an agent write two files; return the outputs of the calls."""
    site.script(
        calls(tool_call("write", filePath=path, content="quiet\n")),
        calls(tool_call("write", filePath=f"2{path}", content="quiet\n")),
        text("Done."),
    )
    return [call.output for call in site.calls(site.run_prompt(session=site.open_session(allow=allow)))]


def test_a_command_of_the_configuration_formats_where_the_rules_allow_it(site: SessionSite) -> None:
    configured(site, {"shout": SED})
    assert all("shout has formatted" in output for output in written(site, "edit", "bash"))
    assert (site.files / "a b.txt").read_text() == "LOUD\n"


def test_a_command_with_a_variable_of_its_own_runs_where_every_command_may(site: SessionSite) -> None:
    configured(site, {"shout": SHOUT})
    assert all("shout has formatted" in output for output in written(site, "edit", "bash"))
    assert (site.files / "a b.txt").read_text() == "LOUD\n"


def test_a_variable_that_changes_what_runs_keeps_it_from_running_and_is_named(site: SessionSite) -> None:
    configured(site, {"shout": {**SHOUT, "environment": {"WORD": "LOUD", "PATH": "bin"}}})
    first, _ = written(site, "edit", "bash")
    assert "Setting PATH can change what runs" in first
    assert (site.files / "a b.txt").read_text() == "quiet\n"


def test_elsewhere_it_does_not_run_and_the_agent_is_told_once(site: SessionSite) -> None:
    configured(site, {"shout": SHOUT})
    first, second = written(site, "edit")
    assert "The formatter shout of the configuration did not run" in first
    assert "WORD=LOUD python3 shout.py 'a b.txt'" in first
    assert "did not run" not in second
    assert (site.files / "a b.txt").read_text() == "quiet\n"


@pytest.mark.parametrize(
    "formatter", [{"shout": {**SHOUT, "disabled": True}}, {"shout": {**SHOUT, "extensions": [".md"]}}]
)
def test_a_formatter_that_is_off_or_for_other_files_does_nothing(formatter: Any, site: SessionSite) -> None:
    configured(site, formatter)
    assert not any("shout" in output for output in written(site, "edit", "bash"))
    assert (site.files / "a b.txt").read_text() == "quiet\n"
