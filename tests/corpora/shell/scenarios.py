"""The sets of rules that commands are judged by. Each is what some team could really have."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from tools_app.permission import layers
from tools_app.permission.model import Layer, Rule, rules_from_config
from tools_app.permission.presets import HOME

ALLOWED_BY_NAME: Final = (
    "alias awk base64 basename bash bc bind builtin busybox case cat cd chroot cmp column comm command compgen complete"
    " coproc cp csplit cut date dash dc dd declare diff dirs du echo ed egrep emacs enable env eval ex exec expect export"
    " expr false fc fd file find flock fold for gawk gcc gdb getopts git go grep gunzip gzip hash head hexdump history id"
    " install ionice jobs join jq less let ln local ls ltrace m4 make man mapfile mkdir mkfifo mktemp more mv mysql nice"
    " nl node nohup npm npx od parallel paste patch perl php pip pnpm popd printf ps psql pushd pwd python python3"
    " python3.11 rbash read readarray readlink readonly realpath rev rg rsync ruby run-parts runuser scp script sed"
    " select seq set setsid sh shopt shuf sleep sort source split sqlite3 ssh stat stdbuf strace strings su sudo tac tail"
    " tar tcl tclsh tee test time timeout touch toybox tr trap tree true truncate type typeset umask uniq unset unshare"
    " unzip uv vim wait watch wc which whoami xargs xxd yarn yes zip"
).split()
"""Every usual name but those that a way around wants to reach: rm, curl, wget, chmod, chown, kill, shred, unlink."""

DENIED: Final[Mapping[str, str]] = {
    "git push *": "deny",
    "rm *": "deny",
    "npm publish *": "deny",
    "curl *": "deny",
}

_EVERYTHING: Final = rules_from_config({"bash": {"*": "allow"}, "edit": {"*": "allow"}}, home=HOME)
_BY_NAME: Final = rules_from_config({"bash": {f"{name} *": "allow" for name in ALLOWED_BY_NAME}}, home=HOME)
_DENIES: Final = rules_from_config({"bash": DENIED}, home=HOME)
_NOTHING_OUTSIDE: Final = (Rule("external_directory", "*", "deny"),)


@dataclass(frozen=True, slots=True)
class Scenario:
    """`about` in the words of the people who have these rules."""

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
        layers.preferences(agent="build", team=(*_EVERYTHING, *_DENIES)),
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
    "plan": Scenario(
        "the plan agent, after somebody gave the build agent everything for always",
        layers.preferences(agent="plan", grants=_EVERYTHING),
        layers.limits(agent="plan"),
    ),
}
