"""Read the set-up and the services from a workspace's row, and store the progress of the set-up."""

import uuid
from collections.abc import Mapping, Sequence
from typing import Any, Final

from django.utils import timezone

from sessions_app.models import ToolCall, Workspace
from tools_app.services import BadServices, Service, parse_services
from tools_app.setup_scripts import SETTINGS

SETUP_TOOL: Final = "setup"
APPROVED_BY: Final = (Workspace.SetupState.DONE, Workspace.SetupState.FAILED, Workspace.SetupState.REUSED)
"""The states in which a set-up was approved, and with it the services of the repository."""
SERVICE_READY: Final = "ready"
SERVICE_FAILED: Final = "failed"


def mark_setup(workspace: Workspace, state: str, **facts: Any) -> None:
    """Store the state of the set-up in the workspace's row and in `workspace`."""
    workspace.setup = {**workspace.setup, "state": state, "at": timezone.now().isoformat(), **facts}
    Workspace.objects.filter(pk=workspace.pk).update(setup=workspace.setup)


def mark_setup_refused(workspace_id: uuid.UUID, needs: Sequence[Mapping[str, Any]]) -> None:
    """Store that a person refused to run the current set-up script or the current services. Nothing is stored if both
    have changed since the request."""
    workspace = Workspace.objects.get(pk=workspace_id)
    refused = {pattern for need in needs for pattern in need["patterns"]}
    found = workspace.setup
    declared = found.get("services") or {}
    asked = {f"{each['source']} {each['digest']}" for each in (found, declared) if each}
    if not asked.isdisjoint(refused):
        mark_setup(workspace, Workspace.SetupState.REFUSED)


def is_setup_due(workspace: Workspace) -> bool:
    """Return whether set-up has to run before the next step: it has not run with the current script and lock files, and
    nobody has stopped it since it became due."""
    setup = workspace.setup
    if not setup or setup["state"] != Workspace.SetupState.DUE or setup.get("problem"):
        return False
    stopped = ToolCall.objects.filter(session__workspace=workspace, tool=SETUP_TOOL, state=ToolCall.State.ABORTED)
    return not stopped.filter(ended_at__gte=setup["at"]).exists()


def declared_services(setup: Mapping[str, Any]) -> tuple[Service, ...]:
    """Return the services of a workspace's set-up, in their order; an empty list if they cannot be used."""
    declared = setup.get("services")
    try:
        return parse_services(declared["text"]) if declared and not declared["problem"] else ()
    except BadServices:  # stored by another version of the site
        return ()


def may_start(setup: Mapping[str, Any]) -> bool:
    """Return whether the services may start: an admin declared them, or a person approved the services that the
    repository declares."""
    return setup["services"]["source"] == SETTINGS or setup["state"] in APPROVED_BY


def lines_about(setup: Mapping[str, Any]) -> list[str]:
    """Return lines about the services for the agent: one for each service, or one that says why no service runs."""
    declared = setup.get("services")
    if not declared:
        return []
    if declared["problem"]:
        return [f"Services: {declared['source']} cannot be used. {declared['problem']}"]
    if not may_start(setup):
        return [f"Services: those of {declared['source']} do not run, because nobody has allowed them."]
    states = declared.get("states") or {}
    return [_line(service, states.get(service.name) or {}) for service in declared_services(setup)]


def _line(service: Service, state: Mapping[str, Any]) -> str:
    if state.get("state") == SERVICE_FAILED:
        return f"Service {service.name}: does not run. {state['message']}"
    place = f" on {service.place}" if service.place else ""
    variables = f", with {', '.join(service.variables)} in the environment" if service.variables else ""
    return f"Service {service.name}: {service.program}{place} runs while commands do{variables}; log: {service.log}"
