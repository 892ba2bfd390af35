"""REST endpoints for the usage and cost of models. Each endpoint parses and authorizes a request, runs one query, and
renders the result."""

from datetime import UTC, date, datetime, time, timedelta
from typing import Any, Final, Literal, Self

from asgiref.sync import sync_to_async
from django.db.models import Q, QuerySet
from django.http import HttpRequest, StreamingHttpResponse
from django.utils import timezone
from ninja import Field, Query, Router, Schema

from agentsite.base.errors import BadInput
from agentsite.base.ids import from_public
from agentsite.tenancy.access import can
from agentsite.tenancy.authentication import current_user
from agentsite.tenancy.models import Project, Team, User
from agentsite.tenancy.provider_document import Line
from agentsite.tenancy.roles import Act
from sessions_app.models import ModelCall
from sessions_app.queries.sessions import find_session
from sessions_app.spending.usage import GroupBy, UsageGroup, UsageReport, UsageSums, aggregate_usage, settled_calls
from sessions_app.spending.usage_csv import table_of

DEFAULT_DAYS: Final = 30
MAX_DAYS: Final = 800
Purpose = Literal["step", "title", "summary", "draft", "compaction"]
router = Router(tags=["usage"])


class ModelUsageTokens(Schema):
    input: int
    output: int
    reasoning: int
    cache_read: int
    cache_write: int


class ModelUsageSums(Schema):
    """Sums over model calls. `cost` is in US dollars, for calls with a known price; `unknown` is the number of other
    calls, which are not free. `estimated` is the number of interrupted calls, which are included with the maximum that
    they may have used."""

    calls: int
    cost: str
    unknown: int
    estimated: int
    tokens: ModelUsageTokens

    @classmethod
    def of(cls, sums: UsageSums) -> Self:
        return cls(
            calls=sums.calls, cost=f"{sums.cost:.6f}", unknown=sums.unknown, estimated=sums.estimated,
            tokens=ModelUsageTokens(**sums.tokens),
        )  # fmt: skip


class ModelUsageGroup(ModelUsageSums):
    """Sums of one group. `key` is a day, a public id or a name. It is empty for a group without one, such as the sum of
    other people's private sessions."""

    key: str
    label: str

    @classmethod
    def of_group(cls, group: UsageGroup) -> Self:
        return cls(key=group.key, label=group.label, **ModelUsageSums.of(group.sums).model_dump())


class ModelUsageView(Schema):
    """Usage from the start of day `since` to the end of day `until`, in UTC. If `everybody` is false, only the user's
    own calls are included. `more`: the groups with the lowest cost are left out; the total includes them."""

    since: date | None
    until: date | None
    everybody: bool
    total: ModelUsageSums
    items: list[ModelUsageGroup]
    more: bool

    @classmethod
    def of(cls, usage: UsageReport, *, everybody: bool, since: date | None = None, until: date | None = None) -> Self:
        return cls(
            since=since, until=until, everybody=everybody, total=ModelUsageSums.of(usage.total),
            items=[ModelUsageGroup.of_group(group) for group in usage.groups], more=usage.more,
        )  # fmt: skip


class UsageFilter(Schema):
    """Filters of a usage report. `since` and `until` are whole days in UTC, both inclusive; the default is the last 30
    days."""

    since: date | None = None
    until: date | None = None
    group_by: GroupBy = "day"
    person_id: Line | None = Field(default=None, max_length=64)
    project_id: Line | None = Field(default=None, max_length=64)
    provider: Line | None = Field(default=None, max_length=64)
    model: Line | None = Field(default=None, max_length=200)
    purpose: Purpose | None = None

    def days(self) -> tuple[date, date]:
        today = timezone.now().astimezone(UTC).date()
        until = self.until or today
        if until.year > 9000 or until.year < 1000:
            raise BadInput("The days are out of range.", fields={"until": "is out of range"})
        since = self.since or until - timedelta(days=DEFAULT_DAYS - 1)
        if not since <= until or (until - since).days > MAX_DAYS:
            raise BadInput("The days are out of range.", fields={"since": f"at most {MAX_DAYS} days before `until`"})
        return since, until

    def apply(self, rows: QuerySet[ModelCall, Any]) -> QuerySet[ModelCall, Any]:
        since, until = self.days()
        rows = settled_calls(rows, since=_midnight(since), until=_midnight(until + timedelta(days=1)))
        if self.person_id:
            rows = rows.filter(user=from_public(User.PREFIX, self.person_id))
        if self.project_id:
            rows = rows.filter(project=from_public(Project.PREFIX, self.project_id))
        same = {"provider": self.provider, "model": self.model, "purpose": self.purpose}
        return rows.filter(**{name: value for name, value in same.items() if value})


def _midnight(day: date) -> datetime:
    return datetime.combine(day, time.min, tzinfo=UTC)


@router.get("/teams/{team_id}/usage", response=ModelUsageView, operation_id="get_team_usage")
def get_team_usage(request: HttpRequest, team_id: str, asked: Query[UsageFilter]) -> ModelUsageView:
    """Return the usage of the team, or only your own if you may not see the team's."""
    team = Team.objects.visible_to(current_user(request)).by_public_id(team_id)
    return _view(request, Q(team=team), team, asked)


@router.get("/projects/{project_id}/usage", response=ModelUsageView, operation_id="get_project_usage")
def get_project_usage(request: HttpRequest, project_id: str, asked: Query[UsageFilter]) -> ModelUsageView:
    """Return the usage of a project, grouped and filtered as requested."""
    rows = Project.objects.visible_to(current_user(request)).select_related("team")
    project = rows.by_public_id(project_id)
    return _view(request, Q(project=project), project.team, asked)


@router.get("/sessions/{session_id}/usage", response=ModelUsageView, operation_id="get_session_usage")
def get_session_usage(request: HttpRequest, session_id: str, group_by: GroupBy = "model") -> ModelUsageView:
    """Return the total usage of the session and its sub-agents, for everyone who can see the session."""
    session = find_session(request, session_id)
    rows = ModelCall.objects.filter(Q(session=session) | Q(root_session=session), state=ModelCall.State.SETTLED)
    return ModelUsageView.of(aggregate_usage(rows, group_by, reader=current_user(request)), everybody=True)


@router.get("/me/usage", response=ModelUsageView, operation_id="get_my_usage")
def get_my_usage(request: HttpRequest, asked: Query[UsageFilter]) -> ModelUsageView:
    """Return your own usage in all of your teams."""
    user = current_user(request)
    rows = ModelCall.objects.visible_to(user).filter(user=user)
    since, until = asked.days()
    usage = aggregate_usage(asked.apply(rows), asked.group_by, reader=user)
    return ModelUsageView.of(usage, everybody=False, since=since, until=until)


@router.get(
    "/teams/{team_id}/usage.csv",
    response={200: None},
    operation_id="export_team_usage",
    openapi_extra={"responses": {200: {"content": {"text/csv": {"schema": {"type": "string"}}}}}},
)
async def get_table(request: HttpRequest, team_id: str, asked: Query[UsageFilter]) -> StreamingHttpResponse:
    """Return every model call as a CSV row, newest first."""
    user = current_user(request)
    team = await sync_to_async(Team.objects.visible_to(user).by_public_id)(team_id)
    rows, _ = await sync_to_async(_visible_calls)(user, Q(team=team), team)
    response = StreamingHttpResponse(table_of(asked.apply(rows), reader=user), content_type="text/csv; charset=utf-8")
    since, until = asked.days()
    response.headers["Content-Disposition"] = f'attachment; filename="usage-{team.slug}-{since}-{until}.csv"'
    return response


def _view(request: HttpRequest, place: Q, team: Team, asked: UsageFilter) -> ModelUsageView:
    user = current_user(request)
    since, until = asked.days()
    rows, everybody = _visible_calls(user, place, team)
    usage = aggregate_usage(asked.apply(rows), asked.group_by, reader=user)
    return ModelUsageView.of(usage, everybody=everybody, since=since, until=until)


def _visible_calls(user: User, place: Q, team: Team) -> tuple[QuerySet[ModelCall, Any], bool]:
    return ModelCall.objects.visible_to(user).filter(place), can(user, Act.SEE_USAGE, team_id=team.pk)
