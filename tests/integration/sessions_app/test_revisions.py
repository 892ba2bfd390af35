"""A session's revision grows with every change of the data that its configuration is derived from."""

import threading
from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection, transaction

from agentsite.tenancy.base import SITE_PLACE
from agentsite.tenancy.models import ModelChoice, Project, Provider, Revision
from agentsite.tenancy.revisions import create_triggers
from sessions_app.actions.sessions import create_session
from sessions_app.agents import effective_agents
from sessions_app.models import Agent, Grant, Session, ToolCall, Workspace
from sessions_app.policy import current_layers, session_policies
from sessions_app.revisions import current_revision, refresh_configuration, revision_of
from sessions_app.workers.sandbox import tool_call
from tests.support.builders import make_project, make_team
from tests.support.model_server import calls, text
from tests.support.model_server import tool_call as made_call
from tests.support.session_site import SessionSite
from tools_app.gate import judge
from tools_app.models import PolicyVersion

DENY_READ = [{"permission": "read", "pattern": "*", "action": "deny"}]
NOW = "2026-01-01T00:00:00Z"


def _revision(session: Session) -> Any:
    refresh_configuration(session)
    return revision_of(session)


def _policy(**fields: Any) -> PolicyVersion:
    newest = PolicyVersion.objects.filter(place=fields["place"]).order_by("-version").first()
    version = 1 if newest is None else newest.version + 1
    return PolicyVersion.objects.create(**fields, version=version)


def _agent(site: SessionSite) -> Agent:
    return Agent.objects.create(place=site.team.public_id, team=site.team, name="mine", changed_at=NOW)


def _grant(site: SessionSite, **fields: Any) -> Grant:
    return Grant.objects.create(team=site.team, scope="team", permission="bash", pattern="ls *", **fields)


def _raw(site: SessionSite) -> None:
    _agent(site)
    with connection.cursor() as cursor:
        cursor.execute("UPDATE sessions_app_agent SET name = 'renamed'")


CHANGES: dict[str, Callable[[SessionSite], Any]] = {
    "policy of the site": lambda _: _policy(place=SITE_PLACE),
    "policy of the team": lambda site: _policy(place=site.team.public_id, team=site.team),
    "policy of the project": lambda site: _policy(place=site.project.public_id, project=site.project),
    "agent": _agent,
    "agent of the project": lambda site: Agent.objects.create(
        place=site.project.public_id, project=site.project, name="mine", changed_at=NOW
    ),
    "agent in bulk": lambda site: (_agent(site), Agent.objects.all().update(version=2)),
    "agent in SQL": _raw,
    "agent deleted": lambda site: _agent(site).delete(),
    "choice of models": lambda site: ModelChoice.objects.create(place=site.team.public_id, team=site.team),
    "provider": lambda site: Provider.objects.create(team=site.team, slug="x", name="X", kind="openai"),
    "grant of the team": _grant,
    "grant revoked": lambda site: _grant(site).delete(),
    "files of the repository": lambda site: Workspace.objects.filter(pk=site.workspace.pk).update(
        project_files={"rules": []}
    ),
    "skills": lambda site: Workspace.objects.filter(pk=site.workspace.pk).update(skills=[{"name": "x"}]),
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_change_gives_the_session_another_revision(site: SessionSite, change: str) -> None:
    session = site.open_session()
    before = _revision(session)
    CHANGES[change](site)
    assert _revision(session) > before


def test_a_grant_of_one_session_does_not_concern_another(site: SessionSite) -> None:
    mine, other = site.open_session(), site.open_session()
    before = _revision(mine), _revision(other)
    _grant(site, session=mine, project=site.project)
    assert (_revision(mine) > before[0], _revision(other)) == (True, before[1])


def test_another_teams_changes_do_not_concern_a_session(site: SessionSite) -> None:
    session, team = site.open_session(), make_team()
    project: Project = make_project(team)
    before = _revision(session)
    Agent.objects.create(place=project.public_id, project=project, name="theirs", changed_at=NOW)
    _policy(place=team.public_id, team=team)
    assert _revision(session) == before


def test_work_on_a_session_leaves_its_revision_alone(site: SessionSite) -> None:
    session = site.open_session()
    site.write("a.txt", "one")
    before = _revision(session)
    site.script(calls(made_call("read", filePath="a.txt")), text("Done."))
    site.run_prompt(session=session)
    assert _revision(session) == before


def test_what_is_derived_is_kept_until_the_revision_changes(site: SessionSite) -> None:
    session = site.open_session()
    refresh_configuration(session)
    agents, layers = effective_agents(session), current_layers(session)
    again = Session.objects.select_related("project", "workspace").get(pk=session.pk)
    refresh_configuration(again)
    assert effective_agents(again) is agents
    assert current_layers(again) is layers
    _agent(site)
    refresh_configuration(again)
    assert "mine" in effective_agents(again)
    assert "mine" not in agents


def test_what_is_kept_under_a_new_revision_comes_from_the_columns_of_that_revision(site: SessionSite) -> None:
    """`refresh_configuration` loads the current columns of the session and its workspace, also project files that
    another worker has stored meanwhile."""
    session = Session.objects.select_related("project", "workspace").get(pk=site.open_session().pk)
    refresh_configuration(session)
    files = [{"path": "agentsite.json", "rules": DENY_READ, "problems": []}]
    Workspace.objects.filter(pk=site.workspace.pk).update(project_files=files)
    assert session.workspace.project_files != files
    refresh_configuration(session)
    assert session.workspace.project_files == files
    Session.objects.filter(pk=session.pk).update(rules=DENY_READ)
    refresh_configuration(session)
    assert session.rules == DENY_READ


def test_a_session_that_is_deleted_keeps_nothing(site: SessionSite) -> None:
    session = site.open_session()
    refresh_configuration(session)
    Session.objects.filter(pk=session.pk).delete()
    refresh_configuration(session)
    assert revision_of(session) is None
    assert current_revision(session.pk) is None


def test_the_revision_of_a_session_ends_with_it(site: SessionSite) -> None:
    session = site.open_session()
    Session.objects.filter(pk=session.pk).update(inherited=[])
    assert Revision.objects.filter(key=session.pk.hex).exists()
    Session.objects.filter(pk=session.pk).delete()
    assert not Revision.objects.filter(key=session.pk.hex).exists()


def test_a_new_session_needs_no_revision_of_its_own(site: SessionSite) -> None:
    session = create_session(actor=site.user, project=site.project, title="New", workspace=site.workspace)
    assert not Revision.objects.filter(key=session.pk.hex).exists()


@pytest.mark.django_db(transaction=True)
def test_without_the_table_of_revisions_there_are_no_triggers(
    site: SessionSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Triggers are not created if the table of revisions does not exist, as after the reversal of its migration.
    Otherwise they would make each change fail."""
    tables = [name for name in connection.introspection.table_names() if name != "tenancy_revision"]
    before = Revision.objects.count()
    with monkeypatch.context() as patch:
        patch.setattr(type(connection.introspection), "table_names", lambda *_: tables)
        create_triggers("default")
    try:
        _agent(site)
        assert Revision.objects.count() == before
    finally:
        create_triggers("default")


def test_a_change_that_is_rolled_back_leaves_the_revision(site: SessionSite) -> None:
    session = site.open_session()
    before = _revision(session)
    with transaction.atomic():
        _agent(site)
        transaction.set_rollback(True)
    assert _revision(session) == before


@pytest.mark.django_db(transaction=True)
def test_the_very_next_call_obeys_a_policy_that_another_connection_saved(site: SessionSite) -> None:
    """The next call of a turn obeys a policy that another connection has saved: the first call is allowed, then
    somebody denies the tool."""
    site.write("a.txt", "one")
    read = calls(made_call("read", filePath="a.txt"))
    site.script(read, read, text("Done."))
    turn = site.prompt(site.open_session())
    site.pump.run(until=lambda: ToolCall.objects.filter(state="completed").count() == 1)

    def forbid() -> None:
        _policy(place=site.team.public_id, team=site.team, enforced=DENY_READ)
        connection.close()

    other = threading.Thread(target=forbid)
    other.start()
    other.join()
    site.pump.run()
    assert [call.state for call in site.calls(turn)] == ["completed", "error"]


def test_rules_that_change_while_a_call_is_judged_decide_it(site: SessionSite, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rules that are saved after a call was judged, but before its lease is acquired, decide about the call."""
    site.write("a.txt", "one")
    site.script(calls(made_call("read", filePath="a.txt")), text("Done."))
    judged: list[str] = []

    def judge_and_forbid(*args: Any) -> Any:
        verdict = judge(*args)
        judged.append(verdict.action)
        if len(judged) == 1:
            _policy(place=site.team.public_id, team=site.team, enforced=DENY_READ)
        return verdict

    monkeypatch.setattr(tool_call, "judge", judge_and_forbid)
    turn = site.run_prompt()
    assert judged == ["allow", "deny"]
    assert [call.state for call in site.calls(turn)] == ["error"]


def test_policies_of_a_session_without_revision_are_read_each_time(site: SessionSite) -> None:
    session = Session.objects.select_related("project").get(pk=site.open_session().pk)
    assert session_policies(session).versions[1] == 0
    _policy(place=site.team.public_id, team=site.team)
    assert session_policies(session).versions[1] == 1
