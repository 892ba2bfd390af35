"""How long the audit log is kept, and who took a copy of it."""

from datetime import datetime, timedelta
from typing import Any, Final

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from agentsite.base.errors import BadInput
from agentsite.base.sqlite_lock import writers_turn
from agentsite.tenancy import audit
from agentsite.tenancy.access import require
from agentsite.tenancy.audit_query import AuditFilter
from agentsite.tenancy.models import AuditChain, AuditEntry, Team, User
from agentsite.tenancy.roles import Act

SHORTEST: Final = 30
"""Days: nobody makes what they did yesterday disappear."""
LONGEST: Final = 36_500
AT_ONCE: Final = 10_000  # entries that one transaction cuts


def record_export(*, actor: User, team: Team, form: str, wanted: AuditFilter) -> None:
    with writers_turn(), transaction.atomic():
        data = {"format": form, "filter": wanted.said()}
        audit.record(team_id=team.pk, actor=actor, action="audit.exported", subject=team.public_id, data=data)


def keep_audit(*, actor: User, team: Team, days: int | None) -> AuditChain:
    """How many days the team's entries are kept; None for as long as the site keeps them, and never longer."""
    require(actor, Act.MANAGE_OWNERS, team_id=team.pk)
    if days is not None and not SHORTEST <= days <= LONGEST:
        raise BadInput("This is no time to keep them.", fields={"days": f"from {SHORTEST} to {LONGEST:,}, or null"})
    with writers_turn(), transaction.atomic():
        chain = audit.locked_chain(team.pk)
        before, chain.keep_days = chain.keep_days, days
        chain.save(update_fields=["keep_days"])
        data = {"days": days, "before": before}
        audit.record(team_id=team.pk, actor=actor, action="audit.kept", subject=team.public_id, data=data)
    return chain


def days_kept(chain: AuditChain | None) -> int:
    """0: for good."""
    said = [days for days in (settings.AUDIT_DAYS, chain.keep_days if chain else None) if days]
    return min(said, default=0)


def cut_audit(now: datetime) -> int:
    """Cut what is older than it is kept, in every chain; how many entries."""
    return sum(
        _cut(chain, now - timedelta(days=days)) for chain in AuditChain.objects.all() if (days := days_kept(chain))
    )


def _cut(chain: AuditChain, before: datetime) -> int:
    if not AuditEntry.objects.filter(chain=chain, at__lt=before).exists():
        return 0
    with writers_turn(), transaction.atomic():
        locked = audit.locked_chain(chain.team_id)
        last = _last_old(locked, before)
        if last is None:
            return 0
        gone, _ = AuditEntry.objects.filter(chain=locked, seq__lte=last.seq).delete()
        locked.cut_seq, locked.cut_head, locked.cut_at = last.seq, last.digest, timezone.now()
        locked.cut_seal = audit.seal_of(locked)
        locked.save(update_fields=[*audit.CUT, "cut_at"])
        data: dict[str, Any] = {"entries": gone, "until": last.seq, "head": last.digest, "before": before.isoformat()}
        audit.record(team_id=locked.team_id, actor=None, action="audit.cut", data=data)
    return gone


def _last_old(chain: AuditChain, before: datetime) -> AuditEntry | None:
    """The last entry of those at the start that are all too old, and no more of them than one transaction takes."""
    kept = AuditEntry.objects.filter(chain=chain, at__gte=before).order_by("seq").values_list("seq", flat=True).first()
    highest = min(chain.cut_seq + AT_ONCE, chain.length if kept is None else kept - 1)
    return AuditEntry.objects.filter(chain=chain, seq__lte=highest).order_by("-seq").first()
