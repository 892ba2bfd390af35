"""The sets of rules under which commands are judged. A real team could have each of them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from tools_app.permission import layers
from tools_app.permission.model import Layer, Rule, rules_from_config
from tools_app.permission.presets import HOME

ALLOWED_BY_NAME: Final = (Path(__file__).parent / "allowed_by_name.txt").read_text().split()
"""Usual programs, except those that bypassing commands run: rm, curl, wget, chmod, chown, kill, shred, unlink."""

DENIED: Final[Mapping[str, str]] = {
    "git push *": "deny",
    "rm *": "deny",
    "npm publish *": "deny",
    "curl *": "deny",
}

_EVERY_COMMAND: Final = rules_from_config({"bash": "allow"}, home=HOME)
_EVERYTHING: Final = rules_from_config({"bash": "allow", "edit": "allow"}, home=HOME)
_BY_NAME: Final = rules_from_config({"bash": {f"{name} *": "allow" for name in ALLOWED_BY_NAME}}, home=HOME)
_DENIES: Final = rules_from_config({"bash": DENIED}, home=HOME)
_NOTHING_OUTSIDE: Final = (Rule("external_directory", "*", "deny"),)

_FOLDERS: Final = (
    Rule("read", "internal/*", "deny"),
    Rule("edit", "*.lock", "deny"),
    Rule("list", "private/*", "deny"),
)


@dataclass(frozen=True, slots=True)
class Scenario:
    """A set of rules. `about` describes it in the words of the people who have these rules."""

    about: str
    preferences: tuple[Layer, ...]
    limits: tuple[Layer, ...] = field(default=())


SCENARIOS: Final[Mapping[str, Scenario]] = {
    "balanced": Scenario("a team that changed nothing", layers.preferences(agent="build")),
    "named": Scenario(
        "a team that allows the usual commands by their names", layers.preferences(agent="build", team=_BY_NAME)
    ),
    "denied": Scenario(
        "a team that allows everything but a few commands",
        layers.preferences(agent="build", team=(*_EVERY_COMMAND, *_DENIES)),
    ),
    "enforced": Scenario(
        "an autonomous team with a few commands that its project's limits deny",
        layers.preferences(agent="build", preset="autonomous"),
        layers.limits(agent="build", project=_DENIES),
    ),
    "outside": Scenario(
        "an autonomous team whose limits deny everything outside of the workspace",
        layers.preferences(agent="build", preset="autonomous"),
        layers.limits(agent="build", project=_NOTHING_OUTSIDE),
    ),
    "folders": Scenario(
        "an autonomous team whose limits deny reading one folder, changing lock files and listing another folder",
        layers.preferences(agent="build", preset="autonomous"),
        layers.limits(agent="build", team=_FOLDERS),
    ),
    "contained": Scenario(
        "a team of unattended agents whose limits deny reading one folder, and changing another one and lock files",
        layers.preferences(agent="build", preset="contained"),
        layers.limits(agent="build", team=(*_FOLDERS, Rule("edit", "ledger/*", "deny"))),
    ),
    "unattended": Scenario(
        "a team of unattended agents with a few commands that their project's limits deny",
        layers.preferences(agent="build", preset="contained"),
        layers.limits(agent="build", project=_DENIES),
    ),
    "plan": Scenario(
        "the plan agent, after somebody gave the build agent everything for always",
        layers.preferences(agent="plan", grants=_EVERYTHING),
        layers.limits(agent="plan"),
    ),
}
