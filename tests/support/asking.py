"""Tool calls that need permission under every preset, and policies that name the people who may answer permission
requests."""

from typing import Any

from agentsite.base.ids import to_public
from agentsite.tenancy.models import AuditEntry, Project, Team
from sessions_app.models import Turn
from tests.support.model_server import calls, text, tool_call
from tests.support.session_site import SessionSite
from tools_app.models import PolicyVersion

DEPLOY = "make deploy"
DEPLOYS = tool_call("bash", command=DEPLOY)
MAKEFILE = "deploy:\n\t@echo ran >> counter.txt\n"


def waiting_turn(site: SessionSite, *more: Any) -> Turn:
    """Run a turn that waits for permission to run `make deploy` (and the `more` calls of the same message)."""
    site.write("Makefile", MAKEFILE)
    site.script(calls(DEPLOYS, *more), text("Done."))
    turn = site.run_prompt()
    assert turn.state == Turn.State.WAITING
    return turn


def deployed(site: SessionSite) -> int:
    """Return how often the command `make deploy` ran."""
    counter = site.files / "counter.txt"
    return len(counter.read_text().splitlines()) if counter.exists() else 0


def go_on(site: SessionSite, turn: Turn) -> Turn:
    site.pump.run()
    turn.refresh_from_db()
    return turn


def set_policy(target: Team | Project, **columns: Any) -> PolicyVersion:
    """Store a new version of the policy of a team or project; it applies from now on."""
    place = to_public(target.PREFIX, target.pk)
    owner = {"team": target} if isinstance(target, Team) else {"project": target}
    version = PolicyVersion.objects.filter(place=place).count() + 1
    return PolicyVersion.objects.create(place=place, version=version, **owner, **columns)


def approved_by(target: Team | Project, approvers: str, **always: str) -> PolicyVersion:
    """Set the people who may answer permission requests (`approvers`), and for each scope the people who may grant
    "always"."""
    return set_policy(target, options={"approvers": approvers, "always": always})


def audited(team: Team, action: str) -> list[AuditEntry]:
    return list(AuditEntry.objects.filter(chain__team=team, action=action).order_by("seq"))
