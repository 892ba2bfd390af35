"""The policies in force for a project: the newest version of the site's, the team's and the project's."""

import uuid
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from typing import Final, Literal, Self, TypeVar

from django.db.models import OuterRef, Subquery

from agentsite.ids import to_public
from agentsite.tenancy.models import Project, Team
from tools_app.models import SITE_PLACE, PolicyVersion
from tools_app.permission import layers, presets
from tools_app.permission.layers import AgentRules
from tools_app.permission.model import Layer, Rule
from tools_app.policies.documents import (
    APPROVERS,
    DEFAULT_SUBAGENT_DEPTH,
    DEFAULT_WAIT_HOURS,
    GRANTERS,
    Approvers,
    Options,
    PolicyDocument,
    Scope,
    rules_of,
    stored,
)
from tools_app.policies.sandbox import SandboxPolicy, sandbox_policy

T = TypeVar("T")
_DEFAULT_GRANTERS: Final[dict[Scope, str]] = {"session": "member", "project": "member", "team": "admin"}


@dataclass(frozen=True)
class Policies:
    """What three policies say together. `versions` are the numbers in force, 0 where nothing was ever saved."""

    site: PolicyDocument = field(default_factory=PolicyDocument)
    team: PolicyDocument = field(default_factory=PolicyDocument)
    project: PolicyDocument = field(default_factory=PolicyDocument)
    versions: tuple[int, int, int] = (0, 0, 0)

    @property
    def preset(self) -> str:
        return self.project.preset or self.team.preset or self.site.preset or presets.DEFAULT

    def with_draft(self, kind: Literal["site", "team", "project"], draft: PolicyDocument) -> Self:
        """The same with another document in one of the three places, as if it were in force."""
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
        """Preferences and limits of an agent under these policies and what else holds for a session."""
        preferences = layers.preferences(
            agent=agent,
            preset=self.preset,
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
        said = (options.approvers for options in self._options)
        return _strictest(said, APPROVERS, default="member")

    @property
    def all_approvers(self) -> frozenset[Approvers]:
        """Whatever any of them says: of two people, each must also be somebody whom the other policies let answer."""
        return frozenset(options.approvers for options in self._options if options.approvers is not None)

    @property
    def public_share_links(self) -> bool:
        said = [options.public_share_links for options in self._options if options.public_share_links is not None]
        return bool(said) and all(said)

    @property
    def wait_hours(self) -> float:
        said = [options.wait_hours for options in self._options if options.wait_hours is not None]
        return min(said, default=DEFAULT_WAIT_HOURS)

    @property
    def subagent_depth(self) -> int:
        said = [options.subagent_depth for options in self._options if options.subagent_depth is not None]
        return min(said, default=DEFAULT_SUBAGENT_DEPTH)

    def granter(self, scope: Scope) -> str:
        """Who may give an "always" of this scope: member, admin or nobody."""
        said: list[str | None] = [getattr(options.always, scope) for options in self._options]
        return _strictest(said, GRANTERS, default=_DEFAULT_GRANTERS[scope])

    @property
    def may_loosen(self) -> tuple[tuple[str, str], ...]:
        """What project files may loosen, as pairs of permission and pattern."""
        return tuple(item.expanded for item in self.team.options.loosenable)

    def sandbox(self) -> SandboxPolicy:
        """What a workspace may use, with who decided it."""
        return sandbox_policy(
            {
                "site": self.site.options.sandbox,
                "team": self.team.options.sandbox,
                "project": self.project.options.sandbox,
            }
        )

    @property
    def tool_settings(self) -> dict[str, int]:
        """What tools read as their settings: {output_lines, output_bytes}, each only where a policy says it."""
        said = {
            f"output_{name}": [
                value for each in self._options if (value := getattr(each.tool_output, name)) is not None
            ]
            for name in ("lines", "bytes")
        }
        return {name: min(values) for name, values in said.items() if values}

    def rules(self, place: str) -> tuple[Rule, ...]:
        """The preferences of `place` ("site", "team" or "project")."""
        return self._read[place][0]

    def enforced(self, place: str) -> tuple[Rule, ...]:
        return self._read[place][1]

    @cached_property
    def _read(self) -> dict[str, tuple[tuple[Rule, ...], tuple[Rule, ...]]]:
        documents = {"site": self.site, "team": self.team, "project": self.project}
        return {name: (rules_of(said.rules), rules_of(said.enforced)) for name, said in documents.items()}

    @property
    def _options(self) -> tuple[Options, ...]:
        return self.site.options, self.team.options, self.project.options


def current_policies(*, team_id: uuid.UUID | None = None, project_id: uuid.UUID | None = None) -> Policies:
    """One small query: versions never change, so what they say is remembered by their ids.

    Without a team it is the site's policy alone, without a project the site's and the team's.
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
    """The same for many projects at once, by their ids: one query however many they are."""
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


def _kind(row: PolicyVersion) -> str:
    if row.project_id is not None:
        return "project"
    return "site" if row.team_id is None else "team"


def _strictest(said: Iterable[T | None], order: Sequence[T], *, default: T) -> T:
    return max((value for value in said if value is not None), key=order.index, default=default)
