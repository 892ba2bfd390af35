"""REST: policies, their versions and the presets. Parse, authorise, call one thing, render."""

from collections.abc import Mapping
from itertools import pairwise
from typing import Final, Literal

from django.http import HttpRequest
from ninja import Router

from agentsite.errors import Missing
from agentsite.etags import require_edition, show_edition, wanted_editions
from agentsite.pagination import paginate
from agentsite.route_marks import conditional, once
from agentsite.tenancy.authentication import current_user
from tools_app.models import PolicyVersion
from tools_app.permission import presets
from tools_app.policies import schemas
from tools_app.policies.actions import document_of, newest_version, rollback_policy, save_policy
from tools_app.policies.current import Policies, current_policies
from tools_app.policies.documents import PolicyDocument, RuleDocument, stored
from tools_app.policies.scopes import Place, find_place, may_edit
from tools_app.policies.text import changes_of, diff_of

PresetName = Literal["cautious", "balanced", "autonomous"]

PRESETS: Final[Mapping[PresetName, str]] = {
    "cautious": "Looking around is free; every change is asked, and every command that does more than look.",
    "balanced": "Work inside the workspace is free; secrets and commands that are not known to be harmless are asked.",
    "autonomous": "Changes, commands and the web are free; only secrets and what lies outside the workspace are asked.",
}

router = Router(tags=["policies"])


@router.get("/policies/{place}", response=schemas.PolicyView, operation_id="get_policy")
def get_policy(request: HttpRequest, place: str) -> schemas.PolicyView:
    """`place` is "site", or the id of a team or project."""
    found = find_place(current_user(request), place)
    return _view(request, found, newest_version(found))


@router.put("/policies/{place}", response=schemas.PolicyView, operation_id="put_policy")
@conditional
def put_policy(request: HttpRequest, place: str, payload: schemas.PolicyChange) -> schemas.PolicyView:
    """`base_version` is the version that you looked at; `If-Match` says the same of the answer's `ETag`."""
    require_edition(wanted_editions(request), str(payload.base_version))
    found = find_place(current_user(request), place)
    row = save_policy(
        actor=current_user(request),
        place=found,
        document=payload.document,
        base_version=payload.base_version,
        reason=payload.reason,
    )
    return _view(request, found, row)


@router.get("/policies/{place}/versions", response=schemas.PolicyVersionPage, operation_id="list_policy_versions")
def list_versions(
    request: HttpRequest, place: str, cursor: str | None = None, limit: int = 50
) -> schemas.PolicyVersionPage:
    """Newest first."""
    found = find_place(current_user(request), place)
    rows = PolicyVersion.objects.filter(place=found.key).select_related("author")
    page = paginate(rows, cursor=cursor, limit=limit)
    return schemas.PolicyVersionPage(items=_with_changes(found, page.rows), next_cursor=page.next_cursor)


@router.get(
    "/policies/{place}/versions/{version}", response=schemas.PolicyComparison, operation_id="get_policy_version"
)
def get_version(
    request: HttpRequest, place: str, version: schemas.VersionNumber, against: schemas.VersionNumber | None = None
) -> schemas.PolicyComparison:
    """The version, and what it changed: against the one before, or the one that is named (0 is the empty policy)."""
    found = find_place(current_user(request), place)
    row = PolicyVersion.objects.filter(place=found.key, version=version).select_related("author").first()
    if row is None:
        raise Missing(f"There is no version {version} of this policy.")
    before = document_of(found, version - 1 if against is None else against)
    return schemas.PolicyComparison(policy=_view(request, found, row), diff=diff_of(before, stored(row)))


@router.post("/policies/{place}/rollback", response=schemas.PolicyView, operation_id="rollback_policy")
@once
def post_rollback(request: HttpRequest, place: str, payload: schemas.PolicyRollback) -> schemas.PolicyView:
    """A new version that says what an old one said."""
    found = find_place(current_user(request), place)
    row = rollback_policy(
        actor=current_user(request),
        place=found,
        version=payload.version,
        base_version=payload.base_version,
        reason=payload.reason,
    )
    return _view(request, found, row)


@router.get("/presets", response=schemas.PresetPage, operation_id="list_presets")
def list_presets(request: HttpRequest) -> schemas.PresetPage:
    items = [
        schemas.PresetView(
            name=name, description=description, rules=[RuleDocument.of(rule) for rule in presets.rules(name)]
        )
        for name, description in PRESETS.items()
    ]
    return schemas.PresetPage(items=items)


def _view(request: HttpRequest, place: Place, row: PolicyVersion | None) -> schemas.PolicyView:
    show_edition(request, str(row.version if row else 0))
    can_edit = may_edit(current_user(request), place)
    return schemas.PolicyView.of(row, place=place.key, can_edit=can_edit, above=_above(place))


def _above(place: Place) -> Policies:
    """The policies of the places above."""
    if place.kind == "site":
        return Policies()
    return current_policies(team_id=place.team_id if place.kind == "project" else None)


def _with_changes(place: Place, rows: list[PolicyVersion]) -> list[schemas.PolicyVersionView]:
    if not rows:
        return []
    documents = [stored(row) for row in rows]
    oldest = rows[-1].version
    documents.append(document_of(place, oldest - 1) if oldest > 1 else PolicyDocument())
    changes = [changes_of(before, after) for after, before in pairwise(documents)]
    return [schemas.PolicyVersionView.of(row, changes=said) for row, said in zip(rows, changes, strict=True)]
