"""REST: a team's audit log, for those who run the team."""

from itertools import islice
from typing import Final

from django.db.models import Q
from django.http import HttpRequest
from ninja import Router

from agentsite.errors import BadInput
from agentsite.ids import to_public
from agentsite.pagination import paginate
from agentsite.tenancy import schemas
from agentsite.tenancy.access import require
from agentsite.tenancy.audit import verify
from agentsite.tenancy.authentication import current_user
from agentsite.tenancy.models import AuditChain, AuditEntry, Team
from agentsite.tenancy.roles import Act

MOST_FAULTS: Final = 100
router = Router(tags=["audit"])


@router.get("/teams/{team_id}/audit", response=schemas.AuditPage, operation_id="list_audit")
def list_audit(
    request: HttpRequest,
    team_id: str,
    *,
    action: str | None = None,
    actor: str | None = None,
    cursor: str | None = None,
    limit: int = 50,
) -> schemas.AuditPage:
    """Newest first. `action` is one action ("policy.saved") or what it is about ("policy"); `actor` a public id."""
    team = _audited_team(request, team_id)
    if "\0" in f"{action}{actor}":  # PostgreSQL takes no such text
        raise BadInput("A filter holds a NUL.")
    rows = AuditEntry.objects.visible_to(current_user(request)).filter(chain__team=team)
    if action:
        rows = rows.filter(Q(action=action) | Q(action__startswith=f"{action}."))
    if actor:
        rows = rows.filter(actor=actor)
    page = paginate(rows, cursor=cursor, limit=limit)
    return schemas.AuditPage(
        items=[schemas.AuditEntryView.of(entry) for entry in page.rows], next_cursor=page.next_cursor
    )


@router.post("/teams/{team_id}/audit/verify", response=schemas.AuditVerification, operation_id="verify_audit")
def post_verify(request: HttpRequest, team_id: str) -> schemas.AuditVerification:
    """Compute every digest of the team's chain anew."""
    team = _audited_team(request, team_id)
    chain = AuditChain.objects.filter(key=to_public(Team.PREFIX, team.pk)).first()
    if chain is None:
        return schemas.AuditVerification(entries=0, head="", faults=[])
    faults = [schemas.AuditFault.of(fault) for fault in islice(verify(chain), MOST_FAULTS)]
    return schemas.AuditVerification(entries=chain.length, head=chain.head, faults=faults)


def _audited_team(request: HttpRequest, team_id: str) -> Team:
    user = current_user(request)
    team = Team.objects.visible_to(user).by_public_id(team_id)
    require(user, Act.READ_AUDIT, team_id=team.pk)
    return team
