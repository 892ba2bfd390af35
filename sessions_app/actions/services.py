"""Read the declared services of a workspace from its row."""

from collections.abc import Mapping
from typing import Any, Final

from sessions_app.models import Workspace
from tools_app.services import BadServices, Service, parse_services
from tools_app.setup_scripts import SETTINGS

APPROVED_BY: Final = (Workspace.SetupState.DONE, Workspace.SetupState.FAILED, Workspace.SetupState.REUSED)
"""The states in which a set-up was approved, and with it the services of the repository."""
READY: Final = "ready"
FAILED: Final = "failed"


def declared_services(setup: Mapping[str, Any]) -> tuple[Service, ...]:
    """Return the services of a workspace's set-up, in their order; none if they cannot be used."""
    declared = setup.get("services")
    try:
        return parse_services(declared["text"]) if declared and not declared["problem"] else ()
    except BadServices:  # stored by another version of the site
        return ()


def may_start(setup: Mapping[str, Any]) -> bool:
    """Return whether the services may start: an admin declared them, or a person approved those of the repository."""
    return setup["services"]["source"] == SETTINGS or setup["state"] in APPROVED_BY


def lines_about(setup: Mapping[str, Any]) -> list[str]:
    """Return a line about each service, for the agent."""
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
    if state.get("state") == FAILED:
        return f"Service {service.name}: does not run. {state['message']}"
    place = f" on {service.place}" if service.place else ""
    variables = f", with {', '.join(service.variables)} in the environment" if service.variables else ""
    return f"Service {service.name}: {service.program}{place} runs while commands do{variables}; log: {service.log}"
