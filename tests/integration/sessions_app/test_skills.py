"""Skills in the repository are listed for the model, and their changes apply from the next call on."""

import json

import pytest

from deploy.demo_model.scripts import ScriptedCall
from sessions_app.models import Workspace
from sessions_app.workers.sandbox import project_files
from tests.support.model_server import calls, text, tool_call
from tests.support.session_site import SessionSite

pytestmark = pytest.mark.one_database

PDF = "---\nname: pdf\ndescription: Fills in forms\n---\nRun fill.py."
LIST = tool_call("list")


@pytest.fixture(autouse=True)
def _forgetful() -> None:
    project_files._seen.clear()


def test_a_skill_is_listed_and_loaded_unless_a_rule_denies_it(site: SessionSite) -> None:
    write = tool_call("write", filePath=".opencode/skill/pdf/SKILL.md", content=PDF)
    rules = json.dumps({"permission": {"skill": {"secret": "deny"}}})
    script = site.script(calls(write), calls(LIST), calls(ScriptedCall("skill", {"name": "pdf"})), text("Done."))
    site.write(".claude/skills/secret/SKILL.md", PDF.replace("pdf", "secret"))
    site.write("opencode.json", rules)
    turn = site.run_prompt(session=site.open_session(allow=("edit", "doom_loop")))
    prompts = [request["body"]["messages"][0]["content"] for request in script.requests(at_least=4)]
    assert ["- pdf: Fills in forms" in prompt for prompt in prompts] == [False, False, True, True]
    assert not any("secret" in prompt for prompt in prompts[1:])
    loaded = site.calls(turn)[-1]
    assert (loaded.state, loaded.title) == ("completed", "Used the skill pdf")
    assert loaded.metadata["folder"] == ".opencode/skill/pdf"
    kept = {skill["name"] for skill in Workspace.objects.get(pk=site.workspace.pk).skills}
    assert kept == {"pdf", "secret"}
