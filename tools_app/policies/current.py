"""Policies: the newest versions of the policies of the site, a team and a project, and their combined result."""

import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property, lru_cache
from typing import Any, Final, Literal, Self, TypeVar

from django.db.models import OuterRef, Subquery

from agentsite.base.ids import to_public
from agentsite.tenancy.base import SITE_PLACE
from agentsite.tenancy.models import Project, Team
from sandbox.limits import Limits
from tools_app.models import PolicyVersion
from tools_app.network.judging import NetworkPolicy, strictest
from tools_app.permission import layers, presets
from tools_app.permission.layers import AgentRules
from tools_app.permission.model import Layer, Rule
from tools_app.policies.documents import (
    APPROVERS,
    DEFAULT_SUBAGENT_DEPTH,
    DEFAULT_WAIT_HOURS,
    GRANTERS,
    INCOMPLETE,
    Approvers,
    Options,
    PolicyDocument,
    SandboxOptions,
    Scope,
    rules_of,
    stored,
)
from tools_app.policies.images import ImagePolicy

T = TypeVar("T")
Source = Literal["default", "site", "team", "project"]

_DEFAULT_GRANTERS: Final[dict[Scope, str]] = {"session": "member", "project": "member", "team": "admin"}

LIMIT_NAMES: Final = tuple(field.name for field in fields(Limits))
"""The limits that a sandbox is created with. The other numbers are about workspaces in general."""

_OTHER_DEFAULTS: Final[Mapping[str, int]] = {"workspaces": 200, "idle_minutes": 30, "keep_days": 7}
DEFAULTS: Final[Mapping[str, float]] = {
    **{name: getattr(Limits(), name) for name in LIMIT_NAMES},
    **_OTHER_DEFAULTS,
}


@dataclass(frozen=True, slots=True)
class Limit:
    """A limit and the policy that sets it: the highest policy if several set the same value; "default" if none does."""

    value: float
    source: Source


@dataclass(frozen=True, slots=True)
class SandboxPolicy:
    """The limits of a workspace, combined from several policies. `values` has all keys of `DEFAULTS`. If `runtime` is
    empty, the site's setting applies."""

    values: Mapping[str, Limit]
    runtime: str = ""
    runtime_source: Source = "default"

    @property
    def limits(self) -> Limits:
        values: dict[str, Any] = {name: self.values[name].value for name in LIMIT_NAMES}
        return Limits(**values)

    @property
    def workspaces(self) -> int:
        return int(self.values["workspaces"].value)

    @property
    def idle_minutes(self) -> int:
        return int(self.values["idle_minutes"].value)

    @property
    def keep_days(self) -> int:
        return int(self.values["keep_days"].value)


def sandbox_policy(places: Mapping[Source, SandboxOptions]) -> SandboxPolicy:
    """Combine the sandbox options of several policies: the smallest value of each limit, and the runtime of the highest
    policy that sets one. `places` has the options from the highest policy (site) to the lowest."""
    named: list[tuple[str, Source]] = [(each.runtime, place) for place, each in places.items() if each.runtime]
    runtime, source = next(iter(named), ("", "default"))
    return SandboxPolicy({name: _smallest(name, places) for name in DEFAULTS}, runtime, source)


def network_policy(places: Mapping[Source, SandboxOptions], *, in_setup: bool = False) -> NetworkPolicy:
    """Return the strictest network mode of several policies, and the highest policy that sets it. With `in_setup`,
    return the mode for set-up."""
    modes = {place: (in_setup and options.setup_network) or options.network for place, options in places.items()}
    declared = [(mode, place) for place, mode in modes.items() if mode]
    if not declared:
        return NetworkPolicy()
    mode = strictest(*(mode for mode, _ in declared))
    return NetworkPolicy(mode, next(place for declared_mode, place in declared if declared_mode == mode))


def _smallest(name: str, places: Mapping[Source, SandboxOptions]) -> Limit:
    declared: list[tuple[Any, Source]] = [(getattr(options, name), place) for place, options in places.items()]
    known = [Limit(value, place) for value, place in declared if value is not None]
    return min(known, key=lambda limit: limit.value, default=Limit(DEFAULTS[name], "default"))


@dataclass(frozen=True)
class Policies:
    """The three policies that apply to a project. `versions` are their numbers; 0 if no policy was ever saved."""

    site: PolicyDocument = field(default_factory=PolicyDocument)
    team: PolicyDocument = field(default_factory=PolicyDocument)
    project: PolicyDocument = field(default_factory=PolicyDocument)
    versions: tuple[int, int, int] = (0, 0, 0)

    @property
    def preset(self) -> str:
        return self.project.preset or self.team.preset or self.site.preset or presets.DEFAULT

    def with_draft(self, kind: Literal["site", "team", "project"], draft: PolicyDocument) -> Self:
        """Return a copy in which `draft` replaces one of the three policies."""
        match kind:
            case "site":
                return replace(self, site=draft)
            case "team":
                return replace(self, team=draft)
            case "project":
                return replace(self, project=draft)

    def layers(
        self,
        *,
        agent: str | AgentRules,
        project_file: Sequence[Rule] = (),
        session: Sequence[Rule] = (),
        grants: Sequence[Rule] = (),
        inherited: Sequence[Layer] = (),
    ) -> tuple[tuple[Layer, ...], tuple[Layer, ...]]:
        """Return the layers of preferences and the layers of limits for an agent in a session."""
        preferences = layers.preferences(
            agent=agent,
            preset=self.preset,
            incomplete_commands=self.incomplete_commands,
            site=self.rules("site"),
            team=self.rules("team"),
            project=self.rules("project"),
            project_file=project_file,
            may_loosen=self.may_loosen,
            session=session,
            grants=grants,
        )
        limits = layers.limits(
            agent=agent,
            site=self.enforced("site"),
            team=self.enforced("team"),
            project=self.enforced("project"),
            inherited=inherited,
        )
        return preferences, limits

    @property
    def approvers(self) -> Approvers:
        declared = (options.approvers for options in self._options)
        return _strictest(declared, APPROVERS, default="member")

    @property
    def all_approvers(self) -> frozenset[Approvers]:
        """All values that the policies set for the option `approvers`. If one of them requires two people, both people
        must also satisfy the other values."""
        return frozenset(options.approvers for options in self._options if options.approvers is not None)

    @property
    def public_share_links(self) -> bool:
        declared = [options.public_share_links for options in self._options if options.public_share_links is not None]
        return bool(declared) and all(declared)

    @property
    def incomplete_commands(self) -> presets.Incomplete:
        """The decision about shell commands that could not be analysed completely: "ask" if any policy says so,
        otherwise "allow" if any policy says so, otherwise the decision of the preset."""
        declared = (options.incomplete_commands for options in self._options)
        return _strictest(declared, INCOMPLETE, default=presets.incomplete_commands(self.preset))

    @property
    def wait_hours(self) -> float:
        declared = [options.wait_hours for options in self._options if options.wait_hours is not None]
        return min(declared, default=DEFAULT_WAIT_HOURS)

    @property
    def subagent_depth(self) -> int:
        declared = [options.subagent_depth for options in self._options if options.subagent_depth is not None]
        return min(declared, default=DEFAULT_SUBAGENT_DEPTH)

    def granter(self, scope: Scope) -> str:
        """Return the role that may choose "always" for this scope: "member", "admin" or "nobody"."""
        declared: list[str | None] = [getattr(options.always, scope) for options in self._options]
        return _strictest(declared, GRANTERS, default=_DEFAULT_GRANTERS[scope])

    @property
    def may_loosen(self) -> tuple[tuple[str, str], ...]:
        """The rules that project files may make less strict, as pairs of permission and pattern."""
        return tuple(item.expanded for item in self.team.options.loosenable)

    def sandbox(self) -> SandboxPolicy:
        """Return the limits of a workspace, each with the policy that sets it."""
        return sandbox_policy(self._sandbox_options)

    @property
    def network(self) -> NetworkPolicy:
        """Return the network mode of a workspace, with the policy that sets it."""
        return network_policy(self._sandbox_options)

    @property
    def setup_network(self) -> NetworkPolicy:
        """Return the network mode of a workspace while its set-up runs, with the policy that sets it."""
        return network_policy(self._sandbox_options, in_setup=True)

    @property
    def secrets_in_commands(self) -> tuple[bool, Source]:
        """Return whether secret variables may be given to commands, and the highest policy that decides it."""
        return _allowed_by_all({place: each.secrets_in_commands for place, each in self._sandbox_options.items()})

    @property
    def terminals(self) -> tuple[bool, Source]:
        """Return whether people may open terminals, and the highest policy that allows or forbids them."""
        return _allowed_by_all({place: each.terminals for place, each in self._sandbox_options.items()})

    @property
    def previews(self) -> tuple[bool, Source]:
        """Return whether people may open previews, and the highest policy that forbids them."""
        forbidding = [place for place, each in self._sandbox_options.items() if each.previews is False]
        return not forbidding, next(iter(forbidding), "default")

    @property
    def images(self) -> ImagePolicy:
        """Return the images that a project may choose."""
        declared = {place: options.images for place, options in self._sandbox_options.items()}
        return ImagePolicy({place: names for place, names in declared.items() if names is not None})

    @property
    def tool_settings(self) -> dict[str, int]:
        """The settings `output_lines` and `output_bytes` for tools, each only if a policy sets it."""
        declared = {
            f"output_{name}": [
                value for each in self._options if (value := getattr(each.tool_output, name)) is not None
            ]
            for name in ("lines", "bytes")
        }
        return {name: min(values) for name, values in declared.items() if values}

    def allows_mcp_host(self, host: str) -> bool:
        """Return whether a repository may declare an MCP server at this host."""
        lists = [each.mcp.repository_hosts for each in self._options if each.mcp.repository_hosts is not None]
        return bool(lists) and all(any(_is_host(host, pattern) for pattern in each) for each in lists)

    @property
    def own_mcp_servers(self) -> bool:
        """Return whether people may use MCP servers of their own."""
        return all(options.mcp.own_servers is not False for options in self._options)

    def rules(self, place: str) -> tuple[Rule, ...]:
        """Return the preferences of the policy at one level: `place` is "site", "team" or "project"."""
        return self._rules_by_scope[place][0]

    def enforced(self, place: str) -> tuple[Rule, ...]:
        """Return the limits of one policy, which its document calls `enforced`: `place` is "site", "team" or
        "project"."""
        return self._rules_by_scope[place][1]

    @cached_property
    def _rules_by_scope(self) -> dict[str, tuple[tuple[Rule, ...], tuple[Rule, ...]]]:
        documents = {"site": self.site, "team": self.team, "project": self.project}
        return {name: (rules_of(each.rules), rules_of(each.enforced)) for name, each in documents.items()}

    @property
    def _sandbox_options(self) -> dict[Source, SandboxOptions]:
        return {
            "site": self.site.options.sandbox,
            "team": self.team.options.sandbox,
            "project": self.project.options.sandbox,
        }

    @property
    def _options(self) -> tuple[Options, ...]:
        return self.site.options, self.team.options, self.project.options


def current_policies(*, team_id: uuid.UUID | None = None, project_id: uuid.UUID | None = None) -> Policies:
    """Return the policies in force for a project, a team or the site, with one small query.

    Without `team_id`, only the site's policy is loaded; without `project_id`, the site's and the team's. Documents are
    cached by the ids of their versions, because versions never change.
    """
    places = [SITE_PLACE]
    if team_id is not None:
        places.append(to_public(Team.PREFIX, team_id))
    if project_id is not None:
        places.append(to_public(Project.PREFIX, project_id))
    newest = PolicyVersion.objects.filter(place=OuterRef("place")).order_by("-version").values("version")[:1]
    rows = PolicyVersion.objects.filter(place__in=places, version=Subquery(newest)).order_by("id")
    return _load(tuple(rows.values_list("id", flat=True)))


def policies_of_projects(projects: Iterable[Project]) -> dict[uuid.UUID, Policies]:
    """Return the policies in force for many projects, by project id, with a single query."""
    wanted = {project.pk: (to_public(Team.PREFIX, project.team_id), project.public_id) for project in projects}
    places = {SITE_PLACE, *(key for keys in wanted.values() for key in keys)}
    newest = PolicyVersion.objects.filter(place=OuterRef("place")).order_by("-version").values("version")[:1]
    rows = {row.place: row for row in PolicyVersion.objects.filter(place__in=places, version=Subquery(newest))}
    return {pk: _of_rows([row for key in (SITE_PLACE, *keys) if (row := rows.get(key))]) for pk, keys in wanted.items()}


@lru_cache(maxsize=1024)
def _load(ids: Sequence[uuid.UUID]) -> Policies:
    return _of_rows(PolicyVersion.objects.filter(pk__in=ids))


def _of_rows(found: Iterable[PolicyVersion]) -> Policies:
    rows = {_kind(row): row for row in found}
    documents = {kind: stored(row) for kind, row in rows.items()}
    versions = tuple(rows[kind].version if kind in rows else 0 for kind in ("site", "team", "project"))
    return Policies(**documents, versions=(versions[0], versions[1], versions[2]))


def _allowed_by_all(declared: Mapping[Source, bool | None]) -> tuple[bool, Source]:
    """Return whether at least one policy allows an option and no policy forbids it, and the highest policy that decides
    this."""
    forbidding = [place for place, allowed in declared.items() if allowed is False]
    allowing = [place for place, allowed in declared.items() if allowed]
    return bool(allowing) and not forbidding, next(iter(forbidding or allowing), "default")


def _is_host(host: str, pattern: str) -> bool:
    """Return whether a pattern matches a host: it is the host's name, or `*.` and a parent domain of the host."""
    host, pattern = host.lower(), pattern.lower()
    return host.endswith(pattern[1:]) if pattern.startswith("*.") else host == pattern


def _kind(row: PolicyVersion) -> str:
    if row.project_id is not None:
        return "project"
    return "site" if row.team_id is None else "team"


def _strictest(declared: Iterable[T | None], order: Sequence[T], *, default: T) -> T:
    return max((value for value in declared if value is not None), key=order.index, default=default)
