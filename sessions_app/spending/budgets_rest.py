"""REST endpoints for budgets, and for continuing a session that a budget stopped. Each endpoint parses and authorizes a
request, runs one action or query, and renders the result."""

from django.db.models import Q, QuerySet
from django.http import HttpRequest
from django.utils import timezone
from ninja import Router, Status

from agentsite.base.pagination import Page, paginate
from agentsite.http.etags import accepted_versions, require_version, set_version, version_tag
from agentsite.http.operation_marks import conditional
from agentsite.tenancy.authentication import current_user
from agentsite.tenancy.models import Team
from sessions_app.models import Budget
from sessions_app.queries.sessions import find_session
from sessions_app.spending.budget_schemas import BudgetChange, BudgetView, NewBudget, Scope
from sessions_app.spending.budgets import change_budget, create_budget, remove_budget
from sessions_app.spending.ledger import budgets_of
from sessions_app.spending.models import BudgetQuerySet

router = Router(tags=["budgets"])


@router.get("/teams/{team_id}/budgets", response=Page[BudgetView], operation_id="list_team_budgets")
def list_team_budgets(
    request: HttpRequest, team_id: str, *, scope: Scope | None = None, cursor: str | None = None, limit: int = 50
) -> Page[BudgetView]:
    """List the budgets that you can see: the team's and its projects' budgets, your own, and the budgets of visible
    sessions. If you can see the team's usage, the budgets of all people are included."""
    team = Team.objects.visible_to(current_user(request)).by_public_id(team_id)
    rows = _visible(request).filter(team=team)
    return _page(request, rows.filter(scope=scope) if scope else rows, cursor, limit)


@router.post("/teams/{team_id}/budgets", response={201: BudgetView}, operation_id="create_budget")
def post_budget(request: HttpRequest, team_id: str, payload: NewBudget) -> Status[BudgetView]:
    """Create a budget. Previous usage in the current period is included."""
    team = Team.objects.visible_to(current_user(request)).by_public_id(team_id)
    row = create_budget(
        actor=current_user(request), team=team, scope=payload.scope, target=payload.target, **payload.set_fields()
    )
    return Status(201, _show(request, row))


@router.get("/me/budgets", response=Page[BudgetView], operation_id="list_my_budgets")
def list_my_budgets(request: HttpRequest, *, cursor: str | None = None, limit: int = 50) -> Page[BudgetView]:
    """List your own budgets and the budgets of your teams and projects."""
    mine = Q(person=current_user(request)) | Q(scope__in=(Budget.Scope.TEAM, Budget.Scope.PROJECT))
    return _page(request, _visible(request).filter(mine), cursor, limit)


@router.get("/sessions/{session_id}/budgets", response=Page[BudgetView], operation_id="list_session_budgets")
def list_session_budgets(
    request: HttpRequest, session_id: str, *, cursor: str | None = None, limit: int = 50
) -> Page[BudgetView]:
    """List the budgets that apply to turns you start in this session."""
    session = find_session(request, session_id)
    project = session.project
    binding = budgets_of(project.team_id, project.pk, current_user(request).pk, session.root_id or session.pk)
    return _page(request, _visible(request).filter(pk__in=binding.order_by().values("pk")), cursor, limit)


@router.get("/budgets/{budget_id}", response=BudgetView, operation_id="get_budget")
def get_budget(request: HttpRequest, budget_id: str) -> BudgetView:
    """Return a budget with the amounts that are spent and reserved in its current period."""
    return _show(request, _find(request, budget_id))


@router.patch("/budgets/{budget_id}", response=BudgetView, operation_id="update_budget")
@conditional
def patch_budget(request: HttpRequest, budget_id: str, payload: BudgetChange) -> BudgetView:
    """Change a budget. Sessions that it stopped continue when the new limit leaves enough for their calls."""
    wanted = accepted_versions(request)
    row = change_budget(
        actor=current_user(request),
        budget=_find(request, budget_id),
        changes=payload.changes(),
        base_version=payload.base_version,
        check_version=lambda present: require_version(wanted, version_tag(present.version)),
    )
    return _show(request, row)


@router.delete("/budgets/{budget_id}", response={204: None}, operation_id="delete_budget")
def delete_budget(request: HttpRequest, budget_id: str) -> Status[None]:
    """Remove a budget. Sessions that it stopped continue."""
    remove_budget(actor=current_user(request), budget=_find(request, budget_id))
    return Status(204, None)


def _visible(request: HttpRequest) -> BudgetQuerySet:
    rows = Budget.objects.visible_to(current_user(request))
    return rows.select_related("team", "project", "person", "session", "changed_by")


def _find(request: HttpRequest, budget_id: str) -> Budget:
    return _visible(request).by_public_id(budget_id)


def _page(request: HttpRequest, rows: QuerySet[Budget], cursor: str | None, limit: int) -> Page[BudgetView]:
    page, reader, now = paginate(rows, cursor=cursor, limit=limit), current_user(request), timezone.now()
    return Page[BudgetView].of(page, lambda row: BudgetView.of(row, reader=reader, now=now))


def _show(request: HttpRequest, row: Budget) -> BudgetView:
    set_version(request, version_tag(row.version))
    return BudgetView.of(row, reader=current_user(request), now=timezone.now())
