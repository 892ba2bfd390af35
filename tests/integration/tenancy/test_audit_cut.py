"""Audit entries older than the retention are cut off at the start of the chain, and the rest still verifies."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any, Final

import pytest
import time_machine
from django.utils import timezone
from pytest_django import Settings

from agentsite.base.errors import BadInput, NotAllowed
from agentsite.tenancy import audit
from agentsite.tenancy.actions.audit import cut_audit, retention_days, set_retention
from agentsite.tenancy.actions.reencryption import reseal_cuts
from agentsite.tenancy.audit import record, verify
from agentsite.tenancy.models import AuditChain, AuditEntry, Team
from agentsite.tenancy.roles import Role
from tests.support.builders import make_member, make_team

pytestmark = pytest.mark.django_db

NOW: Final = timezone.now()


def aged(team: Team, *days: int) -> AuditChain:
    """Record an audit entry for each age in `days`, the oldest first, and return the team's audit chain."""
    for age in days:
        with time_machine.travel(NOW - timedelta(days=age), tick=False):
            record(team_id=team.pk, actor=None, action="policy.saved", data={"age": age})
    return AuditChain.objects.get(team=team)


def ages(chain: AuditChain) -> list[Any]:
    return [entry.data.get("age", entry.action) for entry in AuditEntry.objects.filter(chain=chain).order_by("seq")]


def faults(chain: AuditChain) -> list[Any]:
    chain.refresh_from_db()
    return list(verify(chain))


@pytest.fixture
def old(settings: Settings) -> AuditChain:
    settings.AUDIT_DAYS = 90
    return aged(make_team(), 400, 200, 100, 50, 1)


def test_what_is_too_old_goes_and_that_it_went_is_recorded(old: AuditChain) -> None:
    assert cut_audit(NOW) == 3
    assert ages(old) == [50, 1, "audit.cut"]
    assert faults(old) == []
    cut = AuditEntry.objects.get(chain=old, action="audit.cut")
    assert (cut.data["entries"], cut.data["until"], cut.data["head"]) == (3, 3, old.cut_head)


def test_cutting_again_cuts_nothing_and_what_follows_verifies(old: AuditChain) -> None:
    cut_audit(NOW)
    assert cut_audit(NOW) == 0
    record(team_id=old.team_id, actor=None, action="policy.saved")
    assert cut_audit(NOW + timedelta(days=60)) == 1
    assert faults(old) == []


def test_a_chain_that_is_all_too_old_keeps_the_word_that_it_was_cut(old: AuditChain) -> None:
    assert cut_audit(NOW + timedelta(days=1000)) == 5
    assert ages(old) == ["audit.cut"]
    assert faults(old) == []


def test_without_a_limit_nothing_is_cut(old: AuditChain, settings: Settings) -> None:
    settings.AUDIT_DAYS = 0
    assert cut_audit(NOW) == 0


def test_a_huge_chain_is_cut_in_pieces(old: AuditChain, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("agentsite.tenancy.actions.audit.MAX_CUT", 2)
    assert [cut_audit(NOW), cut_audit(NOW), cut_audit(NOW)] == [2, 1, 0]
    assert faults(old) == []


def forge(chain: AuditChain, **fields: Any) -> None:
    AuditChain.objects.filter(pk=chain.pk).update(**fields)


def cut_by_hand(chain: AuditChain) -> None:
    last = AuditEntry.objects.get(chain=chain, seq=4)
    AuditEntry.objects.filter(chain=chain, seq__lte=4).delete()
    forge(chain, cut_seq=4, cut_head=last.digest)


def cut_with_the_seal_of_another(chain: AuditChain) -> None:
    other = make_team()
    for _ in range(5):
        record(team_id=other.pk, actor=None, action="policy.saved")
    its = AuditChain.objects.get(team=other)
    its.cut_seq, its.cut_head = 4, AuditEntry.objects.get(chain=its, seq=4).digest
    cut_by_hand(chain)
    forge(chain, cut_seal=audit.sign_cut(its))


def bring_one_back(chain: AuditChain) -> None:
    kept = AuditEntry.objects.get(chain=chain, seq=4)
    kept.pk, kept.seq = AuditEntry().pk, 2
    kept.save(force_insert=True)


def put_one_before_the_first(chain: AuditChain) -> None:
    bring_one_back(chain)
    AuditEntry.objects.filter(chain=chain, seq=2).update(seq=0)


FORGERIES: Final[dict[str, Callable[[AuditChain], Any]]] = {
    "cut by hand": cut_by_hand,
    "cut by hand, with the seal of another chain": cut_with_the_seal_of_another,
    "the seal emptied": lambda chain: forge(chain, cut_seal=""),
    "the seal changed": lambda chain: forge(chain, cut_seal="0" * 64),
    "the cut moved on": lambda chain: forge(chain, cut_seq=4),
    "the cut moved back": lambda chain: forge(chain, cut_seq=2),
    "the cut taken back": lambda chain: forge(chain, cut_seq=0, cut_head="", cut_seal=""),
    "another head of the cut": lambda chain: forge(chain, cut_head="0" * 64),
    "a cut entry brought back": bring_one_back,
    "an entry before the first": put_one_before_the_first,
    "the first kept entry removed": lambda chain: AuditEntry.objects.filter(chain=chain, seq=4).delete(),
    "the first kept entry changed": lambda chain: AuditEntry.objects.filter(chain=chain, seq=4).update(action="x"),
    "the word about the cut removed": lambda chain: AuditEntry.objects.filter(chain=chain, action="audit.cut").delete(),
}


@pytest.mark.parametrize("name", FORGERIES)
def test_a_cut_that_the_site_did_not_make_is_found(old: AuditChain, name: str) -> None:
    cut_audit(NOW)
    assert faults(old) == []
    FORGERIES[name](old)
    assert faults(old), name


def test_the_seal_needs_a_key_that_the_database_does_not_have(old: AuditChain, settings: Settings) -> None:
    cut_audit(NOW)
    settings.SECRET_KEY, former = "another-key", settings.SECRET_KEY
    assert faults(old)
    settings.SECRET_KEY_FALLBACKS = [former]
    assert faults(old) == []


@pytest.mark.parametrize(
    ("site", "team", "kept"), [(0, None, 0), (90, None, 90), (0, 60, 60), (90, 60, 60), (90, 400, 90)]
)
def test_a_team_may_keep_less_than_the_site_and_not_more(
    site: int, team: int | None, kept: int, settings: Settings
) -> None:
    settings.AUDIT_DAYS = site
    assert retention_days(AuditChain(keep_days=team)) == kept


def test_only_owners_say_how_long_and_it_is_recorded() -> None:
    team = make_team()
    with pytest.raises(NotAllowed):
        set_retention(actor=make_member(team, Role.ADMIN), team=team, days=90)
    owner = make_member(team, Role.OWNER)
    for days in (29, 0, -1, 2**31):
        with pytest.raises(BadInput):
            set_retention(actor=owner, team=team, days=days)
    assert set_retention(actor=owner, team=team, days=90).keep_days == 90
    assert AuditEntry.objects.get(action="audit.kept").data == {"days": 90, "before": None}


def test_an_old_entry_behind_a_young_one_stays(settings: Settings) -> None:
    settings.AUDIT_DAYS = 90
    chain = aged(make_team(), 10, 400)
    assert cut_audit(NOW) == 0
    assert faults(chain) == []


def test_the_time_is_known_in_which_it_was_cut(old: AuditChain) -> None:
    cut_audit(NOW)
    old.refresh_from_db()
    assert isinstance(old.cut_at, datetime)


def test_after_a_rotation_the_seal_of_a_cut_is_made_anew(old: AuditChain, settings: Settings) -> None:
    cut_audit(NOW)
    settings.SECRET_KEY_FALLBACKS, settings.SECRET_KEY = [settings.SECRET_KEY], "the-next-" * 8
    assert reseal_cuts().resealed == 1
    settings.SECRET_KEY_FALLBACKS = []
    assert faults(old) == []


def test_no_rotation_seals_a_cut_that_the_site_did_not_make(old: AuditChain) -> None:
    cut_audit(NOW)
    AuditChain.objects.filter(pk=old.pk).update(cut_seal="made by hand")
    assert reseal_cuts().lost == [f"The cut of {old.key}"]
    assert [fault.problem for fault in faults(old)] == ["the deletion of entries up to here was not signed by the site"]
