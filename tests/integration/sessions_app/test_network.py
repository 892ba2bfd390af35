"""The network section of a project's page."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest

from agentsite.tenancy.models import User
from sandbox.limits import RefusedConnection
from sessions_app.actions import refused_hosts
from sessions_app.actions.refused_hosts import note_refused_hosts
from sessions_app.models import Grant, RefusedHost, Session, ToolCall
from tests.support.asking import set_policy
from tests.support.builders import browser_of
from tests.support.model_server import calls, text, tool_call
from tests.support.session_site import SessionSite

EXAMPLE = RefusedConnection("example.org", "example.org is refused: ...", may_ask=True)
Note = Callable[..., None]


@pytest.fixture
def note(site: SessionSite) -> Note:
    """Return a function that stores refused connections of a new call, by default in a session that the whole team
    sees."""
    shared = site.open_session(allow=("bash",))

    def note_of(*refused: RefusedConnection, session: Session = shared, times: int = 1) -> None:
        site.script(*(calls(tool_call("bash", command="true")) for _ in range(times)), text("Done."))
        for call in site.calls(site.run_prompt(session=session)):
            note_refused_hosts(call, refused)

    return note_of


def network(site: SessionSite, user: User | None = None) -> Any:
    answer = browser_of(user or site.user).get(f"/api/v1/projects/{site.project.public_id}/network")
    assert answer.status_code == 200
    return answer.json()


def names(shown: Any) -> Sequence[str]:
    return [host["name"] for host in shown["refused"]]


def test_the_mode_is_shown_with_the_policy_that_sets_it(site: SessionSite) -> None:
    assert (network(site)["mode"], network(site)["source"]) == ("none", "default")
    set_policy(site.team, options={"sandbox": {"network": "packages"}})
    assert (network(site)["mode"], network(site)["source"]) == ("packages", "team")


def test_a_refused_host_is_shown_once_with_the_number_of_its_calls(site: SessionSite, note: Note) -> None:
    set_policy(site.team, options={"sandbox": {"network": "packages"}})
    note(EXAMPLE, times=2)
    note(EXAMPLE, session=(other := site.open_session(allow=("bash",))))
    (host,) = network(site)["refused"]
    assert (host["name"], host["times"], host["session_id"]) == ("example.org", 3, other.public_id)
    assert (host["action"], host["cause"]) == ("ask", "rules")
    assert "the network mode is packages (the policy of the team)" in host["reason"]


def test_a_call_that_is_stored_again_counts_once(site: SessionSite, note: Note) -> None:
    note(EXAMPLE)
    note_refused_hosts(ToolCall.objects.get(), [EXAMPLE])
    assert RefusedHost.objects.get().times == 1


def test_a_host_that_was_allowed_since_is_shown_as_allowed(site: SessionSite, note: Note) -> None:
    set_policy(site.team, options={"sandbox": {"network": "allowlist"}})
    note(EXAMPLE, replace(EXAMPLE, name="mirror.example:8081"))
    grant = Grant.objects.create(
        team=site.team, project=site.project, scope="project", permission="egress", pattern="mirror.example:8081"
    )
    shown = network(site)
    assert {host["name"]: host["action"] for host in shown["refused"]} == {
        "example.org": "ask",
        "mirror.example:8081": "allow",
    }
    assert [each["id"] for each in shown["grants"]] == [grant.public_id]


def test_hosts_of_a_private_session_are_shown_to_nobody_else(site: SessionSite, note: Note) -> None:
    private = site.open_session(allow=("bash",))
    note(EXAMPLE)
    note(replace(EXAMPLE, name="secret.example"), EXAMPLE, session=private)
    Session.objects.filter(pk=private.pk).update(shared_with="private")
    other = site.member()
    assert set(names(network(site))) == {"example.org", "secret.example"}
    (host,) = network(site, other)["refused"]
    assert (host["name"], host["times"]) == ("example.org", 1)


def test_the_hosts_refused_longest_ago_are_forgotten(
    site: SessionSite, note: Note, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(refused_hosts, "MAX_HOSTS_PER_PROJECT", 2)
    for name in ("one.example", "two.example", "one.example", "three.example"):
        note(replace(EXAMPLE, name=name))
    assert names(network(site)) == ["three.example", "one.example"]


def test_a_long_name_and_a_long_reason_are_cut(site: SessionSite, note: Note) -> None:
    note(RefusedConnection("x" * 1000, "y" * 2000, may_ask=False, cause="address"))
    (host,) = network(site)["refused"]
    assert (len(host["name"]), len(host["reason"]), host["cause"]) == (300, 500, "address")
