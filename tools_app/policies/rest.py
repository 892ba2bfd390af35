"""REST endpoints for policies, their versions and the presets."""

from collections.abc import Mapping
from itertools import pairwise
from typing import Final

from django.http import HttpRequest
from ninja import Router

from agentsite.base.errors import Missing
from agentsite.base.pagination import Page, paginate
from agentsite.http.etags import accepted_versions, require_version, set_version
from agentsite.http.operation_marks import conditional, idempotent
from agentsite.tenancy.authentication import current_user
from tools_app.models import PolicyVersion
from tools_app.permission import presets
from tools_app.permission.presets import PresetName
from tools_app.policies import schemas
from tools_app.policies.actions import document_of, newest_version, rollback_policy, save_policy
from tools_app.policies.current import Policies, current_policies
from tools_app.policies.documents import PolicyDocument, RuleDocument, stored
from tools_app.policies.scopes import PolicyScope, find_scope, may_edit
from tools_app.policies.text import changes_of, diff_of

PRESETS: Final[Mapping[PresetName, str]] = {
    "cautious": "Reading is allowed. Every change is asked, and so is every command that does more than read.",
    "balanced": "Work in the workspace is allowed. Secrets and commands that are not known to be harmless are asked.",
    "autonomous": "Changes, commands and the web are allowed. Secrets, paths outside the workspace and commands that "
    "cannot be read completely are asked.",
    "contained": "For work that nobody attends: every command runs in the container, even if it cannot be read "
    "completely. A person is asked about commands that can be seen to leave the container, to read secrets, or to "
    "change git's settings or the rules. Programs that run, and names that are only computed while they run, can do "
    "this unseen; only the limits of the container stop them.",
}

router = Router(tags=["policies"])


@router.get("/policies/{place}", response=schemas.PolicyView, operation_id="get_policy")
def get_policy(request: HttpRequest, place: str) -> schemas.PolicyView:
    """Return the policy in force. `place` is "site", or the id of a team or project."""
    found = find_scope(current_user(request), place)
    return _view(request, found, newest_version(found))


@router.put("/policies/{place}", response=schemas.PolicyView, operation_id="put_policy")
@conditional
def put_policy(request: HttpRequest, place: str, payload: schemas.PolicyChange) -> schemas.PolicyView:
    """Save a new version of a policy.

    `base_version` is the version that you edited. `If-Match` with the `ETag` of that version has the same effect.
    """
    require_version(accepted_versions(request), str(payload.base_version))
    found = find_scope(current_user(request), place)
    row = save_policy(
        actor=current_user(request),
        place=found,
        document=payload.document,
        base_version=payload.base_version,
        reason=payload.reason,
    )
    return _view(request, found, row)


@router.get("/policies/{place}/versions", response=Page[schemas.PolicyVersionView], operation_id="list_policy_versions")
def list_versions(
    request: HttpRequest, place: str, cursor: str | None = None, limit: int = 50
) -> Page[schemas.PolicyVersionView]:
    """List the versions of a policy, newest first."""
    found = find_scope(current_user(request), place)
    rows = PolicyVersion.objects.filter(place=found.key).select_related("author")
    page = paginate(rows, cursor=cursor, limit=limit)
    return Page[schemas.PolicyVersionView](items=_with_changes(found, page.rows), next_cursor=page.next_cursor)


@router.get(
    "/policies/{place}/versions/{version}", response=schemas.PolicyComparison, operation_id="get_policy_version"
)
def get_version(
    request: HttpRequest, place: str, version: schemas.VersionNumber, against: schemas.VersionNumber | None = None
) -> schemas.PolicyComparison:
    """Return a version of a policy and its difference from the previous version, or from the version `against` (0 is
    the empty policy)."""
    found = find_scope(current_user(request), place)
    row = PolicyVersion.objects.filter(place=found.key, version=version).select_related("author").first()
    if row is None:
        raise Missing(f"There is no version {version} of this policy.")
    before = document_of(found, version - 1 if against is None else against)
    return schemas.PolicyComparison(policy=_view(request, found, row), diff=diff_of(before, stored(row)))


@router.post("/policies/{place}/rollback", response=schemas.PolicyView, operation_id="rollback_policy")
@idempotent
def post_rollback(request: HttpRequest, place: str, payload: schemas.PolicyRollback) -> schemas.PolicyView:
    """Restore an old version: save a copy of it as a new version."""
    found = find_scope(current_user(request), place)
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
    """List the presets that a policy can start from, with their rules."""
    items = [
        schemas.PresetView(
            name=name, description=description, rules=[RuleDocument.of(rule) for rule in presets.rules(name)]
        )
        for name, description in PRESETS.items()
    ]
    return schemas.PresetPage(items=items)


def _view(request: HttpRequest, place: PolicyScope, row: PolicyVersion | None) -> schemas.PolicyView:
    set_version(request, str(row.version if row else 0))
    can_edit = may_edit(current_user(request), place)
    return schemas.PolicyView.of(row, place=place.key, can_edit=can_edit, above=_above(place))


def _above(place: PolicyScope) -> Policies:
    """Return the policies above `place`: for a project the site's and the team's, for a team only the site's."""
    if place.kind == "site":
        return Policies()
    return current_policies(team_id=place.team_id if place.kind == "project" else None)


def _with_changes(place: PolicyScope, rows: list[PolicyVersion]) -> list[schemas.PolicyVersionView]:
    if not rows:
        return []
    documents = [stored(row) for row in rows]
    oldest = rows[-1].version
    documents.append(document_of(place, oldest - 1) if oldest > 1 else PolicyDocument())
    changes = [changes_of(before, after) for after, before in pairwise(documents)]
    return [schemas.PolicyVersionView.of(row, changes=text) for row, text in zip(rows, changes, strict=True)]
