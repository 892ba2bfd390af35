"""REST endpoints for variables of teams, projects and people."""

from django.db.models import Max
from django.http import HttpRequest
from ninja import Router, Status

from agentsite.base.error_codes import ErrorCode
from agentsite.base.errors import Stale
from agentsite.base.pagination import Page, paginate
from agentsite.http.etags import accepted_versions, require_version, set_version
from agentsite.http.operation_marks import conditional
from agentsite.tenancy.authentication import current_user
from agentsite.tenancy.models import Project, Team
from sessions_app.models import Variable
from sessions_app.variables.actions import Owner, change_variable, create_variable, owner_of, remove_variable
from sessions_app.variables.models import VariableQuerySet
from sessions_app.variables.schemas import NewVariable, VariableChange, VariableView

router = Router(tags=["variables"])


@router.get("/teams/{team_id}/variables", response=Page[VariableView], operation_id="list_team_variables")
def list_team_variables(
    request: HttpRequest, team_id: str, *, cursor: str | None = None, limit: int = 50
) -> Page[VariableView]:
    """List the variables that a team gives to commands of all its projects."""
    return _page(request, _team(request, team_id), cursor, limit)


@router.post("/teams/{team_id}/variables", response={201: VariableView}, operation_id="create_team_variable")
def post_team_variable(request: HttpRequest, team_id: str, payload: NewVariable) -> Status[VariableView]:
    """Create a variable of a team."""
    return _create(request, _team(request, team_id), payload)


@router.get("/projects/{project_id}/variables", response=Page[VariableView], operation_id="list_project_variables")
def list_project_variables(
    request: HttpRequest, project_id: str, *, cursor: str | None = None, limit: int = 50
) -> Page[VariableView]:
    """List the variables of a project. Commands also get the team's variables; a project's variable replaces the team's
    variable of the same name."""
    return _page(request, _project(request, project_id), cursor, limit)


@router.post("/projects/{project_id}/variables", response={201: VariableView}, operation_id="create_project_variable")
def post_project_variable(request: HttpRequest, project_id: str, payload: NewVariable) -> Status[VariableView]:
    """Create a variable of a project."""
    return _create(request, _project(request, project_id), payload)


@router.get("/me/variables", response=Page[VariableView], operation_id="list_my_variables")
def list_my_variables(request: HttpRequest, *, cursor: str | None = None, limit: int = 50) -> Page[VariableView]:
    """List your own variables. Commands in turns that you start get them, in every project."""
    return _page(request, Owner(current_user(request)), cursor, limit)


@router.post("/me/variables", response={201: VariableView}, operation_id="create_my_variable")
def post_my_variable(request: HttpRequest, payload: NewVariable) -> Status[VariableView]:
    """Create a variable of your own."""
    return _create(request, Owner(current_user(request)), payload)


@router.get("/variables/{variable_id}", response=VariableView, operation_id="get_variable")
def get_variable(request: HttpRequest, variable_id: str) -> VariableView:
    """Return a variable."""
    return _show(request, _find(request, variable_id))


@router.patch("/variables/{variable_id}", response=VariableView, operation_id="update_variable")
@conditional
def patch_variable(request: HttpRequest, variable_id: str, payload: VariableChange) -> VariableView:
    """Rename a variable or replace its value. The next command gets the new value."""
    wanted = accepted_versions(request)

    def check_version(row: Variable) -> None:
        require_version(wanted, str(row.version))
        if payload.base_version not in (None, row.version):
            raise Stale(
                f"Somebody else changed this variable: its version is now {row.version}.",
                code=ErrorCode.STALE_VARIABLE,
                hint="Load the new version, then apply your changes to it.",
            )

    row = _find(request, variable_id)
    change_variable(
        actor=current_user(request),
        variable=row,
        name=payload.name,
        value=payload.value,
        used_for=payload.used_for,
        place=payload.place(),
        check_version=check_version,
    )
    return _show(request, _find(request, variable_id))


@router.delete("/variables/{variable_id}", response={204: None}, operation_id="delete_variable")
def delete_variable(request: HttpRequest, variable_id: str) -> Status[None]:
    """Remove a variable. The next command no longer gets it."""
    remove_variable(actor=current_user(request), variable=_find(request, variable_id))
    return Status(204, None)


def _team(request: HttpRequest, team_id: str) -> Owner:
    return Owner(Team.objects.visible_to(current_user(request)).by_public_id(team_id))


def _project(request: HttpRequest, project_id: str) -> Owner:
    return Owner(Project.objects.visible_to(current_user(request)).by_public_id(project_id))


def _visible(request: HttpRequest) -> VariableQuerySet:
    rows = Variable.objects.visible_to(current_user(request))
    return rows.select_related("team", "project", "person", "changed_by").annotate(last_used_at=Max("uses__used_at"))


def _find(request: HttpRequest, variable_id: str) -> Variable:
    return _visible(request).by_public_id(variable_id)


def _page(request: HttpRequest, owner: Owner, cursor: str | None, limit: int) -> Page[VariableView]:
    rows = _visible(request).filter(place=owner.target.public_id)
    page, can_edit = paginate(rows, cursor=cursor, limit=limit), owner.may_edit(current_user(request))
    return Page[VariableView].of(page, lambda row: VariableView.of(row, can_edit=can_edit))


def _create(request: HttpRequest, owner: Owner, payload: NewVariable) -> Status[VariableView]:
    row = create_variable(
        actor=current_user(request),
        owner=owner,
        name=payload.name,
        value=payload.value,
        secret=payload.secret,
        used_for=payload.used_for,
        place=payload.place(),
    )
    return Status(201, _show(request, row))


def _show(request: HttpRequest, row: Variable) -> VariableView:
    set_version(request, str(row.version))
    return VariableView.of(row, can_edit=owner_of(row).may_edit(current_user(request)))
