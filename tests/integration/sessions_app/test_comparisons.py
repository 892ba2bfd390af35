"""Several attempts at one prompt work in their own copies of the workspace, are compared, and one of them is kept."""

from typing import Any

import pytest

from agentsite.tenancy.models import AuditEntry
from agentsite.tenancy.roles import Role
from sessions_app.models import Session, Turn, Workspace
from sessions_app.workers.sandbox.archives import archive
from tests.support.asking import set_policy
from tests.support.model_server import calls, text, tool_call
from tests.support.nodes import archives
from tests.support.rest_api import RestApi
from tests.support.session_site import SessionSite, snapshot_of
from tests.support.uploads import storage

__all__ = ["archives", "storage"]


@pytest.fixture
def api(site: SessionSite) -> RestApi:
    return RestApi(site.user)


@pytest.fixture
def base(site: SessionSite) -> Session:
    site.write("a.txt", "tea")
    site.script(text("Hello."))
    session = site.open_session("Tea time", allow=("read", "edit", "write", "bash"))
    site.run_prompt("Hello?", session=session)
    return session


def start(api: RestApi, session: Session, **more: Any) -> dict[str, Any]:
    body = {"text": "Make it coffee.", "models": ["", "", ""], **more}
    made: dict[str, Any] = api("post", f"/sessions/{session.public_id}/comparisons", body, expect=201)
    return made


def rows_of(comparison: dict[str, Any]) -> list[Session]:
    ids = [attempt["session"]["id"] for attempt in comparison["attempts"]]
    return [Session.objects.select_related("workspace").by_public_id(public_id) for public_id in ids]


def read(site: SessionSite, session: Session, path: str) -> str:
    return (site.deployment.files_of(session.workspace.public_id) / path).read_text()


def test_each_attempt_has_a_workspace_with_the_same_files_and_the_prompt(
    site: SessionSite, api: RestApi, base: Session, archives: Any
) -> None:
    archive(site.workspace.pk, wanted=True, node=site.settings.NODE_NAME)
    site.write("a.txt", "changed since")
    site.script(*(text(f"Attempt {number}.") for number in range(3)))
    made = start(api, base)
    site.pump.run()
    attempts = rows_of(made)
    assert len({row.workspace_id for row in (*attempts, base)}) == 4
    assert [read(site, row, "a.txt") for row in attempts] == ["tea", "tea", "tea"]
    for row in attempts:
        texts = [part["text"] for part in snapshot_of(row.pk)["parts"]]
        assert texts[:3] == ["Hello?", "Hello.", "Make it coffee."]
        assert snapshot_of(row.pk)["comparison_id"] == made["id"]
    found = api("get", f"/comparisons/{made['id']}")
    assert [attempt["turn"]["state"] for attempt in found["attempts"]] == ["completed"] * 3
    assert len(snapshot_of(base.pk)["messages"]) == 2


def test_attempts_have_models_of_their_own_and_their_costs(site: SessionSite, api: RestApi, base: Session) -> None:
    script = site.script(text("One."), text("Two."))
    name = f"{site.settings.MODEL_NAME}"
    made = start(api, base, models=["", name])
    site.pump.run()
    assert [row.model for row in rows_of(made)] == ["", name]
    assert len(script.requests()) == 2
    error = api.error(
        "post", f"/sessions/{base.public_id}/comparisons", {"text": "x", "models": ["", "no/such"]}, expect=400
    )
    assert error["fields"] == {"model": "is not offered here"}
    assert Session.objects.filter(comparison__isnull=False).count() == 2


def test_the_outcome_of_the_test_command_is_that_of_its_last_run(
    site: SessionSite, api: RestApi, base: Session
) -> None:
    site.script(*(text("Later.") for _ in range(3)))
    made = start(api, base, test_command="test -f coffee.txt")
    site.pump.run()
    run = tool_call("bash", command="test -f coffee.txt")
    write = tool_call("write", filePath="coffee.txt", content="beans")
    for row, steps in zip(rows_of(made), ([run, write, run], [run], []), strict=True):
        site.script(*(calls(step) for step in steps), text("Done."))
        site.run_prompt("Now.", session=row)
    found = api("get", f"/comparisons/{made['id']}")["attempts"]
    assert [(attempt["test"], attempt["exit_code"]) for attempt in found] == [
        ("passed", 0),
        ("failed", 1),
        ("not_run", None),
    ]
    prompts = [snapshot_of(row.pk)["parts"][2]["text"] for row in rows_of(made)]
    assert all(prompt.endswith("test -f coffee.txt") for prompt in prompts)


def test_one_is_kept_and_the_others_are_put_away(site: SessionSite, api: RestApi, base: Session) -> None:
    site.script(*(text(f"Attempt {number}.") for number in range(3)))
    made = start(api, base)
    site.pump.run()
    first, second, third = rows_of(made)
    kept = api("post", f"/comparisons/{made['id']}/keep", {"session_id": second.public_id})
    site.pump.run()
    assert kept["kept_id"] == second.public_id
    states = dict(Workspace.objects.values_list("pk", "state"))
    assert states[first.workspace_id] == states[third.workspace_id] == Workspace.State.REMOVING
    assert states[second.workspace_id] != Workspace.State.REMOVING
    archived = [row.archived for row in rows_of(made)]
    assert archived == [True, False, True]
    api("post", f"/comparisons/{made['id']}/keep", {"session_id": second.public_id})
    error = api.error("post", f"/comparisons/{made['id']}/keep", {"session_id": first.public_id}, expect=409)
    assert error["message"] == "Another attempt was kept already."
    actions = list(AuditEntry.objects.filter(action__startswith="comparison.").values_list("action", flat=True))
    assert sorted(actions) == ["comparison.kept", "comparison.started"]


def test_attempts_that_still_work_are_stopped(site: SessionSite, api: RestApi, base: Session) -> None:
    made = start(api, base)
    kept, other, _ = rows_of(made)
    api("post", f"/comparisons/{made['id']}/keep", {"session_id": kept.public_id})
    assert Turn.objects.filter(session=other).latest("id").state == Turn.State.ABORTED
    assert Turn.objects.filter(session=kept).latest("id").state == Turn.State.QUEUED


def test_a_workspace_in_which_others_work_stays(site: SessionSite, api: RestApi, base: Session) -> None:
    made = start(api, base, models=["", ""])
    kept, other = rows_of(made)
    body = {"workspace_id": other.workspace.public_id}
    api("post", f"/projects/{site.project.public_id}/sessions", body, expect=201)
    api("post", f"/comparisons/{made['id']}/keep", {"session_id": kept.public_id})
    other.refresh_from_db()
    assert other.archived
    assert Workspace.objects.get(pk=other.workspace_id).state != Workspace.State.REMOVING


def test_all_attempts_start_or_none(site: SessionSite, api: RestApi, base: Session) -> None:
    set_policy(site.team, options={"sandbox": {"workspaces": 3}})
    body = {"text": "Make it coffee.", "models": ["", "", ""]}
    error = api.error("post", f"/sessions/{base.public_id}/comparisons", body, expect=409)
    assert error["code"] == "workspace_limit"
    assert (Session.objects.count(), Workspace.objects.count()) == (1, 1)


@pytest.mark.parametrize("models", [[], [""], [""] * 5])
def test_a_comparison_has_two_to_four_attempts(
    site: SessionSite, api: RestApi, base: Session, models: list[str]
) -> None:
    body = {"text": "Make it coffee.", "models": models}
    api.error("post", f"/sessions/{base.public_id}/comparisons", body, expect=400)


def test_a_session_without_messages_can_be_attempted(site: SessionSite, api: RestApi) -> None:
    site.script(text("One."), text("Two."))
    made = start(api, site.open_session(), models=["", ""])
    site.pump.run()
    assert [attempt["turn"]["state"] for attempt in made["attempts"]] == ["queued", "queued"]
    found = api("get", f"/comparisons/{made['id']}")
    assert [attempt["turn"]["state"] for attempt in found["attempts"]] == ["completed", "completed"]


def test_only_who_started_the_attempts_or_manages_sessions_keeps_one(
    site: SessionSite, api: RestApi, base: Session
) -> None:
    made = start(api, base, models=["", ""])
    kept = rows_of(made)[0]
    member = RestApi(site.member(Role.MEMBER))
    error = member.error("post", f"/comparisons/{made['id']}/keep", {"session_id": kept.public_id}, expect=403)
    assert error["hint"] == "Ask that person or an admin of the team."
    assert member("get", f"/comparisons/{made['id']}")["id"] == made["id"]
    listed = member("get", f"/sessions/{base.public_id}/comparisons")["items"]
    assert [row["id"] for row in listed] == [made["id"]]
    api.error("post", f"/comparisons/{made['id']}/keep", {"session_id": base.public_id}, expect=400)
