"""judge_connection(): decide whether a workspace may connect to a host. A pure function.

The network mode says what happens to a host that no rule names. Rules with the permission `egress` name hosts; they
come from the same policies, grants and limits as all other rules.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from tools_app.network.registries import registry_hosts
from tools_app.permission.engine import decide
from tools_app.permission.model import Action, Decision, Layer, Request

NetworkMode = Literal["none", "allowlist", "packages", "open"]

MODES: Final[tuple[NetworkMode, ...]] = ("none", "allowlist", "packages", "open")
"""From the strictest to the loosest. Each allows what the mode before it allows, and more.

`none`: nothing. `allowlist`: hosts that a rule allows; for others a person is asked. `packages`: the package registries
too. `open`: every host of the public web that no rule denies.
"""

DEFAULT_MODE: Final[NetworkMode] = "none"
PERMISSION: Final = "egress"
AGENT: Final = "build"
"""Connections are made by programs, which belong to no agent; the rules of the default agent apply."""
USUAL_PORTS: Final = frozenset({80, 443})
"""Ports that rules need not name: `pypi.org` matches connections to both."""


@dataclass(frozen=True, slots=True)
class NetworkPolicy:
    """The network mode of a workspace, and the policy that set it: "default", "site", "team" or "project"."""

    mode: NetworkMode = DEFAULT_MODE
    source: str = "default"

    def __str__(self) -> str:
        return "the site's default" if self.source == "default" else f"the policy of the {self.source}"


@dataclass(frozen=True, slots=True)
class ConnectionVerdict:
    """The action for a connection. `reason` is a sentence for people and programs if the action is not "allow"."""

    action: Action
    reason: str = ""


def pattern_of(host: str, port: int) -> str:
    """Return the text that patterns of `egress` rules are matched against."""
    name = f"[{host}]" if ":" in host else host
    return host if port in USUAL_PORTS else f"{name}:{port}"


def place_of(pattern: str) -> tuple[str, int]:
    """Return the host and the port for which `pattern_of` returns this pattern."""
    host, _, port = pattern.rpartition(":")
    if not port.isdigit() or (":" in host and not host.startswith("[")):
        return pattern, 443
    return host.strip("[]"), int(port)


def judge_connection(
    host: str, port: int, policy: NetworkPolicy, preferences: Sequence[Layer], limits: Sequence[Layer] = ()
) -> ConnectionVerdict:
    """Return whether a connection is allowed, denied, or needs a person's decision.

    `host` is canonical (`tools_app.web.address`). Only rules that name the permission `egress` can allow a host: a rule
    for every permission, as in the preset `autonomous`, does not open the network.
    """
    pattern = pattern_of(host, port)
    decision = decide(Request(PERMISSION, pattern), preferences, limits)
    if policy.mode == "none":
        return ConnectionVerdict("deny", f"{pattern} is refused: workspaces have no network here ({policy}).")
    if decision.action == "deny":
        return ConnectionVerdict("deny", f"{pattern} is refused by a rule ({decision.layer}).")
    action = decision.action if _names_egress(decision) else _by_mode(policy.mode, host)
    if action == "ask":
        return ConnectionVerdict(
            "ask", f"{pattern} is refused: the network mode is {policy.mode} ({policy}), and no rule allows this host."
        )
    return ConnectionVerdict(action)


def _names_egress(decision: Decision) -> bool:
    return decision.rule is not None and decision.rule.permission == PERMISSION


def _by_mode(mode: NetworkMode, host: str) -> Action:
    if mode == "open" or (mode == "packages" and host in registry_hosts()):
        return "allow"
    return "ask"


def strictest(*modes: NetworkMode) -> NetworkMode:
    """Return the strictest of the modes. Raises ValueError if there is none."""
    return min(modes, key=MODES.index)
