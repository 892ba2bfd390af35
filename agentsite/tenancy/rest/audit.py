"""REST endpoints of a team's audit log, for its owners and admins."""

from itertools import islice
from typing import Final

from asgiref.sync import sync_to_async
from django.http import HttpRequest, StreamingHttpResponse
from django.utils.http import content_disposition_header
from ninja import Query, Router

from agentsite.base.ids import to_public
from agentsite.base.pagination import paginate
from agentsite.http.request_body import RequestBody
from agentsite.tenancy.access import require
from agentsite.tenancy.actions.audit import record_export, retention_days, set_retention
from agentsite.tenancy.audit import verify
from agentsite.tenancy.audit_export import MEDIA_TYPES, Format, stream_export
from agentsite.tenancy.audit_query import AuditFilter, entries_of
from agentsite.tenancy.authentication import current_user
from agentsite.tenancy.models import AuditChain, AuditQuerySet, Team, User
from agentsite.tenancy.rest import schemas
from agentsite.tenancy.roles import Act

MAX_FAULTS: Final = 100  # faults in one response
router = Router(tags=["audit"])


class NewAuditRetention(RequestBody):
    """A new retention of a team's audit log, in days. `days` is null to use the setting of the site."""

    days: int | None


class AuditRetention(NewAuditRetention):
    """The retention of a team's audit log.

    `in_force` is the effective number of days, including the limit of the site; null means without limit. Entries up
    to the sequence number `cut_seq` have been deleted.
    """

    in_force: int | None
    cut_seq: int

    @classmethod
    def of(cls, chain: AuditChain | None) -> "AuditRetention":
        days, cut_seq = (chain.keep_days, chain.cut_seq) if chain else (None, 0)
        return cls(days=days, in_force=retention_days(chain) or None, cut_seq=cut_seq)


@router.get("/teams/{team_id}/audit", response=schemas.AuditPage, operation_id="list_audit")
def list_audit(
    request: HttpRequest, team_id: str, wanted: Query[AuditFilter], cursor: str | None = None, limit: int = 50
) -> schemas.AuditPage:
    """List the audit log of a team, newest first. Details of a private session are only shown to its owner."""
    team, user = _audited_team(request, team_id), current_user(request)
    page = paginate(entries_of(team, reader=user, wanted=wanted), cursor=cursor, limit=limit)
    return schemas.AuditPage.of(page, lambda entry: schemas.AuditEntryView.of(entry, reader=user))


@router.get(
    "/teams/{team_id}/audit/export",
    operation_id="export_audit",
    response={200: None},
    openapi_extra={"responses": {200: {"content": {"application/x-ndjson": {}, "text/csv": {}}}}},
)
async def export_audit(
    request: HttpRequest,
    team_id: str,
    wanted: Query[AuditFilter],
    format: Format = "jsonl",  # noqa: A002
) -> StreamingHttpResponse:
    """Export the audit log of a team as a file, oldest entry first, in JSON Lines or CSV.

    CSV cells are escaped so that spreadsheets do not read them as formulas. The export itself is recorded in the log.
    """
    user = current_user(request)
    rows = await sync_to_async(_exported)(request, user, team_id, format, wanted)
    response = StreamingHttpResponse(stream_export(rows, reader=user, form=format), content_type=MEDIA_TYPES[format])
    response["Content-Disposition"] = content_disposition_header(as_attachment=True, filename=f"audit.{format}")
    return response


def _exported(request: HttpRequest, user: User, team_id: str, form: Format, wanted: AuditFilter) -> AuditQuerySet:
    team = _audited_team(request, team_id)
    rows = entries_of(team, reader=user, wanted=wanted)
    record_export(actor=user, team=team, form=form, wanted=wanted)
    return rows


@router.get("/teams/{team_id}/audit/retention", response=AuditRetention, operation_id="get_audit_retention")
def get_retention(request: HttpRequest, team_id: str) -> AuditRetention:
    """Get the retention of a team's audit log."""
    return AuditRetention.of(_chain_of(_audited_team(request, team_id)))


@router.put("/teams/{team_id}/audit/retention", response=AuditRetention, operation_id="set_audit_retention")
def put_retention(request: HttpRequest, team_id: str, payload: NewAuditRetention) -> AuditRetention:
    """Set the retention of a team's audit log: 30 to 36,500 days, or null for the setting of the site. For owners only.

    Older entries are permanently deleted within a day. The remaining entries can still be verified.
    """
    team = Team.objects.visible_to(current_user(request)).by_public_id(team_id)
    return AuditRetention.of(set_retention(actor=current_user(request), team=team, days=payload.days))


def _chain_of(team: Team) -> AuditChain | None:
    return AuditChain.objects.filter(key=to_public(Team.PREFIX, team.pk)).first()


@router.post("/teams/{team_id}/audit/verify", response=schemas.AuditVerification, operation_id="verify_audit")
def post_verify(request: HttpRequest, team_id: str) -> schemas.AuditVerification:
    """Verify a team's audit log by computing every digest of its hash chain again."""
    team = _audited_team(request, team_id)
    chain = _chain_of(team)
    if chain is None:
        return schemas.AuditVerification(entries=0, head="", faults=[])
    faults = [schemas.AuditFault.of(fault) for fault in islice(verify(chain), MAX_FAULTS)]
    return schemas.AuditVerification(entries=chain.length - chain.cut_seq, head=chain.head, faults=faults)


def _audited_team(request: HttpRequest, team_id: str) -> Team:
    user = current_user(request)
    team = Team.objects.visible_to(user).by_public_id(team_id)
    require(user, Act.READ_AUDIT, team_id=team.pk)
    return team
