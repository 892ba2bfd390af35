"""An edit through workers and sandbox: errors found in the file go back to the model, and the session's rules decide
which language servers may run."""

from pathlib import Path

import pytest

from tests.support.model_server import calls, text, tool_call
from tests.support.session_site import SessionSite
from tools_app.languages import edit_diagnostics, servers
from tools_app.languages.servers import ServerSpec

SCRIPT = Path(__file__).parents[2] / "support" / "scripted_language_server.py"


@pytest.fixture(autouse=True)
def _a_server_that_builds_the_project(monkeypatch: pytest.MonkeyPatch) -> None:
    """Register a language server for .txt files that needs the permission to run the command `deploy --all`."""
    argv = ("python3", "-I", str(SCRIPT), "honest")
    spec = ServerSpec("scripted", argv, {".txt": "plaintext"}, consent="deploy --all")
    monkeypatch.setattr(servers, "SERVERS", (spec,))
    monkeypatch.setattr(edit_diagnostics, "TIMEOUT_SECONDS", 30.0)


def test_errors_after_an_edit_go_back_to_the_model_and_to_the_interface(site: SessionSite) -> None:
    script = site.script(calls(tool_call("write", filePath="a.txt", content="wrong\n")), text("I see."))

    turn = site.run_prompt(session=site.open_session(allow=("edit", "bash")))

    assert "1 error in a.txt (scripted)" in script.requests(at_least=2)[1]["body"]["messages"][-1]["content"]
    (call,) = site.calls(turn)
    assert [problem["line"] for problem in call.metadata["diagnostics"]] == [1]


def test_a_server_that_runs_the_projects_code_stays_off_where_that_would_be_asked(site: SessionSite) -> None:
    site.script(calls(tool_call("write", filePath="a.txt", content="wrong\n")), text("Done."))

    turn = site.run_prompt(session=site.open_session(allow=("edit",)))

    (call,) = site.calls(turn)
    assert call.metadata["diagnostics"] == []
