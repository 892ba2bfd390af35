"""Skills that people upload: their versions and levels, and their loading by agents."""

from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from agentsite.tenancy.models import AuditEntry, User
from agentsite.tenancy.roles import Role
from deploy.demo_model.scripts import ScriptedCall
from sessions_app.actions.sessions import create_session
from sessions_app.models import Session, SkillPackage
from sessions_app.toolset import skills_of
from sessions_app.workers.sandbox import project_files
from tests.support.builders import browser_of, make_member
from tests.support.model_server import calls, text, tool_call
from tests.support.rest_api import RestApi
from tests.support.session_site import SessionSite
from tests.unit.sessions_app.configuration.test_skill_packages import SKILL, zipped

pytestmark = pytest.mark.one_database


@pytest.fixture(autouse=True)
def _forgetful() -> None:
    project_files._seen.clear()


def upload(user: User, place: str, files: dict[str, str], *, expect: int = 201) -> Any:
    browser: Client = browser_of(user)
    file = SimpleUploadedFile("skill.zip", zipped(files))
    answer = browser.post(f"/api/v1/configurations/{place}/skills", {"file": file})
    assert answer.status_code == expect, answer.content
    return answer.json()


def described(text: str) -> dict[str, str]:
    return {"SKILL.md": SKILL.replace("Fills in forms", text)}


def loaded(site: SessionSite, session: Session) -> Any:
    script = site.script(calls(ScriptedCall("skill", {"name": "pdf"})), text("Done."))
    (call,) = site.calls(site.run_prompt(session=session))
    return call, script.requests(at_least=1)[0]["body"]["messages"][0]["content"]


def test_an_agent_loads_an_uploaded_skill_and_runs_its_files(site: SessionSite) -> None:
    files = {"SKILL.md": SKILL, "fill.sh": "#!/bin/sh\necho filled\n"}
    upload(site.user, site.team.public_id, files)
    session = site.open_session(allow=("bash",))
    call, prompt = loaded(site, session)
    assert "- pdf: Fills in forms" in prompt
    assert (call.state, call.title) == ("completed", "Used the skill pdf")
    folder = call.metadata["folder"]
    assert folder.startswith("/home/agent/.skills/pdf-")
    assert f"- {folder}/fill.sh" in call.output
    run = tool_call("bash", command=f"{folder.replace('/home/agent', '~')}/fill.sh")
    site.script(calls(run), text("Done."))
    (ran,) = site.calls(site.run_prompt(session=session))
    assert (ran.state, ran.output.strip()) == ("completed", "filled")


def test_what_an_agent_changes_in_a_skill_is_replaced_when_it_is_loaded_again(site: SessionSite) -> None:
    upload(site.user, site.team.public_id, {"SKILL.md": SKILL})
    session = site.open_session(allow=("bash", "doom_loop", "external_directory", "edit"))
    folder = loaded(site, session)[0].metadata["folder"]
    file = f"{folder.replace('/home/agent', '~')}/SKILL.md"
    spoil = f"chmod u+w {file} && echo evil > {file}"
    site.script(calls(tool_call("bash", command=spoil)), text("Done."))
    (ran,) = site.calls(site.run_prompt(session=session))
    assert ran.state == "completed"
    assert "Run fill.py." in loaded(site, session)[0].output


def test_a_new_version_is_in_force_at_once_and_an_older_one_can_be_chosen(site: SessionSite) -> None:
    place, api = site.team.public_id, RestApi(site.user)
    first = upload(site.user, place, described("One"))
    assert upload(site.user, place, described("One"))["in_force"] == 1  # the same file again
    second = upload(site.user, place, described("Two"))
    assert (second["id"], second["in_force"], [each["number"] for each in second["versions"]]) == (
        first["id"], 2, [2, 1],
    )  # fmt: skip
    session = site.open_session()
    told = [skills_of(Session.objects.get(pk=session.pk))[0]["description"]]
    api("patch", f"/skill-packages/{first['id']}", {"in_force": 1})
    told.append(skills_of(Session.objects.get(pk=session.pk))[0]["description"])
    assert told == ["Two", "One"]
    api("patch", f"/skill-packages/{first['id']}", {"in_force": None})
    assert skills_of(Session.objects.get(pk=session.pk)) == []
    api("patch", f"/skill-packages/{first['id']}", {"in_force": 3}, expect=404)
    api("delete", f"/skill-packages/{first['id']}", expect=204)
    assert not SkillPackage.objects.exists()
    actions = AuditEntry.objects.filter(subject=first["id"]).order_by("id").values_list("action", flat=True)
    assert list(dict.fromkeys(actions)) == ["skill.uploaded", "skill.version_chosen", "skill.removed"]


def test_the_strongest_level_counts_and_the_list_says_which(site: SessionSite) -> None:
    api, session = RestApi(site.user), site.open_session()

    def source() -> tuple[str, str]:
        (skill,) = api("get", f"/sessions/{session.public_id}/skills")["items"]
        return skill["source"], skill["description"]

    upload(site.user, site.team.public_id, described("Team"))
    assert source() == ("team", "Team")
    upload(site.user, site.user.public_id, described("Mine"))
    assert source() == ("person", "Mine")
    site.write(".claude/skills/pdf/SKILL.md", SKILL)
    site.script(calls(tool_call("list")), text("Done."))
    site.run_prompt(session=session)
    assert source() == ("file", "Fills in forms")
    upload(site.user, site.project.public_id, described("Project"))
    assert source() == ("project", "Project")


def test_a_persons_own_skills_follow_the_person_and_nobody_else(site: SessionSite) -> None:
    colleague = make_member(site.team, Role.MEMBER)
    mine = upload(colleague, colleague.public_id, described("Mine"))
    theirs = create_session(actor=colleague, project=site.project, workspace=site.workspace)
    assert [skill["name"] for skill in skills_of(theirs)] == ["pdf"]
    assert skills_of(site.open_session()) == []
    RestApi(site.user)("get", f"/skill-packages/{mine['id']}", expect=404)
    RestApi(site.user)("get", f"/configurations/{colleague.public_id}/skills", expect=404)


def test_only_admins_upload_for_the_team_and_a_bad_file_is_refused_by_name(site: SessionSite) -> None:
    member = make_member(site.team, Role.MEMBER)
    upload(member, site.team.public_id, {"SKILL.md": SKILL}, expect=403)
    refused = upload(site.user, site.team.public_id, {"SKILL.md": SKILL, "../evil": "x"}, expect=400)
    assert "'../evil' leads out" in refused["error"]["message"]
    assert not SkillPackage.objects.exists()


def test_a_version_is_downloaded_as_it_was_uploaded(site: SessionSite) -> None:
    made = upload(site.user, site.team.public_id, {"SKILL.md": SKILL, "a/b.txt": "b"})
    answer = browser_of(make_member(site.team, Role.VIEWER)).get(f"/api/v1/skill-packages/{made['id']}/versions/1")
    assert (answer.status_code, answer["Content-Disposition"]) == (200, 'attachment; filename="pdf.zip"')
    assert [file["path"] for file in made["versions"][0]["files"]] == ["SKILL.md", "a/b.txt"]
    assert answer.content.startswith(b"PK")
