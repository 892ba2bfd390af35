"""Set and apply the retention of audit logs, and record their exports."""

from datetime import datetime, timedelta
from typing import Any, Final

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from agentsite.base.errors import BadInput
from agentsite.base.sqlite_lock import sqlite_write_lock
from agentsite.tenancy import audit
from agentsite.tenancy.access import require
from agentsite.tenancy.audit_query import AuditFilter
from agentsite.tenancy.models import AuditChain, AuditEntry, Team, User
from agentsite.tenancy.roles import Act

MIN_DAYS: Final = 30  # so that nobody can delete traces of what they did recently
MAX_DAYS: Final = 36_500
MAX_CUT: Final = 10_000  # entries that one transaction deletes


def record_export(*, actor: User, team: Team, form: str, wanted: AuditFilter) -> None:
    with sqlite_write_lock(), transaction.atomic():
        data = {"format": form, "filter": wanted.as_json()}
        audit.record(team_id=team.pk, actor=actor, action="audit.exported", subject=team.public_id, data=data)


def set_retention(*, actor: User, team: Team, days: int | None) -> AuditChain:
    """Set the retention of a team's audit log in days. With None, the setting of the site is used, which is also the
    upper limit."""
    require(actor, Act.MANAGE_OWNERS, team_id=team.pk)
    if days is not None and not MIN_DAYS <= days <= MAX_DAYS:
        raise BadInput(
            f"Retention must be between {MIN_DAYS} and {MAX_DAYS:,} days.",
            fields={"days": f"from {MIN_DAYS} to {MAX_DAYS:,}, or null"},
        )
    with sqlite_write_lock(), transaction.atomic():
        chain = audit.locked_chain(team.pk)
        before, chain.keep_days = chain.keep_days, days
        chain.save(update_fields=["keep_days"])
        data = {"days": days, "before": before}
        audit.record(team_id=team.pk, actor=actor, action="audit.kept", subject=team.public_id, data=data)
    return chain


def retention_days(chain: AuditChain | None) -> int:
    """Return the effective retention of a chain in days; 0 means without limit."""
    limits = [days for days in (settings.AUDIT_DAYS, chain.keep_days if chain else None) if days]
    return min(limits, default=0)


def cut_audit(now: datetime) -> int:
    """Delete the expired entries at the start of every chain. Returns the number of deleted entries."""
    return sum(
        _cut(chain, now - timedelta(days=days)) for chain in AuditChain.objects.all() if (days := retention_days(chain))
    )


def _cut(chain: AuditChain, before: datetime) -> int:
    if not AuditEntry.objects.filter(chain=chain, at__lt=before).exists():
        return 0
    with sqlite_write_lock(), transaction.atomic():
        locked = audit.locked_chain(chain.team_id)
        last = _last_old(locked, before)
        if last is None:
            return 0
        gone, _ = AuditEntry.objects.filter(chain=locked, seq__lte=last.seq).delete()
        locked.cut_seq, locked.cut_head, locked.cut_at = last.seq, last.digest, timezone.now()
        locked.cut_seal = audit.sign_cut(locked)
        locked.save(update_fields=[*audit.CUT, "cut_at"])
        data: dict[str, Any] = {"entries": gone, "until": last.seq, "head": last.digest, "before": before.isoformat()}
        audit.record(team_id=locked.team_id, actor=None, action="audit.cut", data=data)
    return gone


def _last_old(chain: AuditChain, before: datetime) -> AuditEntry | None:
    """Return the last audit entry to delete in this run, which deletes at most MAX_CUT expired entries from the start
    of the chain; None if no entry has expired."""
    kept = AuditEntry.objects.filter(chain=chain, at__gte=before).order_by("seq").values_list("seq", flat=True).first()
    highest = min(chain.cut_seq + MAX_CUT, chain.length if kept is None else kept - 1)
    return AuditEntry.objects.filter(chain=chain, seq__lte=highest).order_by("-seq").first()
