"""Every manipulation of a chain of audit entries is detected."""

import uuid
from collections.abc import Callable
from datetime import timedelta
from functools import partial
from io import StringIO
from typing import Any, Final

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import transaction

from agentsite.base.sqlite_lock import sqlite_write_lock
from agentsite.tenancy.audit import digest_of, record, verify
from agentsite.tenancy.models import AuditChain, AuditEntry, Team
from tests.support.builders import make_member, make_team, make_user
from tests.support.threads import at_work, of_kind, race

pytestmark = pytest.mark.django_db

LENGTH: Final = 6
Tampering = Callable[[AuditChain], Any]


def make_chain(team: Team | None = None) -> AuditChain:
    team = team or make_team()
    ada = make_user(name="Ada")
    for number in range(LENGTH):
        data = {"number": number, "x": "é"}
        record(team_id=team.pk, actor=ada, action="policy.saved", subject=f"pol_{number}", data=data)
    return AuditChain.objects.get(team=team)


def change(seq: int, /, **fields: Any) -> Tampering:
    return lambda chain: entries(chain).filter(seq=seq).update(**fields)


def entries(chain: AuditChain) -> Any:
    return AuditEntry.objects.filter(chain=chain)


def remove(seq: int) -> Tampering:
    return lambda chain: entries(chain).filter(seq=seq).delete()


def remove_and_close_the_gap(chain: AuditChain) -> None:
    entries(chain).filter(seq=3).delete()
    for seq in range(4, LENGTH + 1):
        entries(chain).filter(seq=seq).update(seq=seq - 1)
    AuditChain.objects.filter(pk=chain.pk).update(length=LENGTH - 1)


def swap_places(chain: AuditChain) -> None:
    for old, new in ((2, 100), (3, 2), (100, 3)):
        entries(chain).filter(seq=old).update(seq=new)


def swap_contents(chain: AuditChain) -> None:
    second, third = entries(chain).filter(seq__in=(2, 3)).order_by("seq")
    entries(chain).filter(seq=2).update(subject=third.subject, data=third.data)
    entries(chain).filter(seq=3).update(subject=second.subject, data=second.data)


def compute_one_digest_anew(seq: int) -> Tampering:
    def tamper(chain: AuditChain) -> None:
        entry = entries(chain).get(seq=seq)
        entry.data = {"number": 99}
        entry.digest = digest_of(entry, key=chain.key)
        entry.save()

    return tamper


def insert(seq: int) -> Tampering:
    def tamper(chain: AuditChain) -> None:
        for later in range(LENGTH, seq - 1, -1):
            entries(chain).filter(seq=later).update(seq=later + 1)
        before = entries(chain).filter(seq=seq - 1).first()
        entry = AuditEntry(chain=chain, seq=seq, at=chain_time(chain), actor="site", action="x", subject="", data={})
        entry.previous = before.digest if before else ""
        entry.digest = digest_of(entry, key=chain.key)
        entry.save(force_insert=True)

    return tamper


def chain_time(chain: AuditChain) -> Any:
    return entries(chain).order_by("seq").first().at


def move_to_another_chain(chain: AuditChain) -> None:
    other = make_chain()
    entries(other).filter(seq=3).delete()
    entries(chain).filter(seq=3).update(chain=other)


def move_time(chain: AuditChain) -> None:
    entries(chain).filter(seq=3).update(at=chain_time(chain) - timedelta(microseconds=1))


def rename_chain(chain: AuditChain) -> None:
    AuditChain.objects.filter(pk=chain.pk).update(key="tea_" + "0" * 32)


def set_chain(**fields: Any) -> Tampering:
    return lambda chain: AuditChain.objects.filter(pk=chain.pk).update(**fields)


def take_the_end_of_the_entry_before(chain: AuditChain) -> None:
    before = entries(chain).get(seq=LENGTH - 1)
    AuditChain.objects.filter(pk=chain.pk).update(length=before.seq, head=before.digest)


TAMPERINGS: Final[dict[str, Tampering]] = {
    "another actor": change(3, actor="usr_" + "0" * 32),
    "nobody as actor": change(3, actor="site"),
    "another name": change(3, actor_name="Eve"),
    "another action": change(3, action="policy.rolled_back"),
    "another subject": change(3, subject="pol_99"),
    "another value": change(3, data={"number": 99, "x": "é"}),
    "another key": change(3, data={"number": 2, "y": "é"}),
    "a value of another kind": change(3, data={"number": "2", "x": "é"}),
    "a value more": change(3, data={"number": 2, "x": "é", "more": None}),
    "no data": change(3, data={}),
    "a microsecond earlier": move_time,
    "another predecessor": change(3, previous="0" * 64),
    "another digest": change(3, digest="0" * 64),
    "another id": change(3, id=uuid.UUID(int=7)),
    "another number": change(3, seq=99),
    "the first entry changed": change(1, actor_name="Eve"),
    "the last entry changed": change(LENGTH, actor_name="Eve"),
    "the first entry removed": remove(1),
    "an entry in the middle removed": remove(3),
    "the last entry removed": remove(LENGTH),
    "all entries removed": lambda chain: entries(chain).delete(),
    "an entry removed and the gap closed": remove_and_close_the_gap,
    "two entries in each other's place": swap_places,
    "two contents exchanged": swap_contents,
    "an entry inserted at the start": insert(1),
    "an entry inserted in the middle": insert(3),
    "an entry appended past the end": insert(LENGTH + 1),
    "one digest computed anew": compute_one_digest_anew(3),
    "the first digest computed anew": compute_one_digest_anew(1),
    "the last digest computed anew": compute_one_digest_anew(LENGTH),
    "an entry moved to another team": move_to_another_chain,
    "the chain renamed": rename_chain,
    "the chain's head changed": set_chain(head="0" * 64),
    "the chain's head emptied": set_chain(head=""),
    "the chain shortened": set_chain(length=LENGTH - 1),
    "the chain lengthened": set_chain(length=LENGTH + 1),
    "the chain ended before its last entry": take_the_end_of_the_entry_before,
}


def faults() -> list[Any]:
    return [fault for chain in AuditChain.objects.all() for fault in verify(chain)]


@pytest.mark.parametrize("name", TAMPERINGS)
def test_tampering_is_found(name: str) -> None:
    chain = make_chain()
    assert faults() == []
    TAMPERINGS[name](chain)
    assert faults(), name


def test_a_fault_names_the_entry() -> None:
    change(3, actor_name="Eve")(make_chain())
    (fault,) = faults()
    assert (fault.seq, fault.problem) == (3, "its content is not what was recorded")


def test_an_untouched_chain_is_whole_whatever_was_recorded() -> None:
    team = make_team()
    numbers = {"float": 1e22, "zero": -0.0, "small": 1e-9, "nan": float("nan"), "half": 2.5}
    texts = {"nul": "a\0b", "half": "\ud800", "object": uuid.UUID(int=7), "key\0": "x"}
    odd: dict[Any, Any] = {"numbers": numbers, "texts": texts, "nested": [{"tuple": (1, 2.5)}, None, True], 7: 8}
    record(team_id=team.pk, actor=None, action="odd", data=odd)
    record(team_id=None, actor=None, action="site.odd")
    assert faults() == []
    assert AuditEntry.objects.get(action="odd").actor == "site"


def test_what_was_not_committed_leaves_no_entry_and_no_gap() -> None:
    team = make_team()
    with transaction.atomic():
        record(team_id=team.pk, actor=None, action="x")
        transaction.set_rollback(True)
    record(team_id=team.pk, actor=None, action="y")
    assert [(entry.seq, entry.action) for entry in AuditEntry.objects.all()] == [(1, "y")]
    assert faults() == []


def append(team: Team, times: int) -> int:
    for number in range(times):
        with sqlite_write_lock(), transaction.atomic():
            record(team_id=team.pk, actor=None, action="race", data={"number": number})
    return times


@pytest.mark.django_db(transaction=True)
def test_appending_at_once_keeps_the_chain_whole() -> None:
    team, other = make_team(), make_team()
    outcomes = race(*[partial(append, each, 10) for each in (team, other) * 4])
    assert of_kind(outcomes, int) == [10] * 8
    assert [AuditChain.objects.get(team=each).length for each in (team, other)] == [40, 40]
    assert faults() == []


@pytest.mark.django_db(transaction=True)
def test_a_chain_that_grows_while_it_is_verified_is_whole() -> None:
    team = make_team()
    append(team, 5)
    chain = AuditChain.objects.get(team=team)
    with at_work(partial(append, team, 40)):
        for _ in range(10):
            assert list(verify(chain)) == []


def run_command(*arguments: str) -> str:
    output = StringIO()
    call_command("verify_audit", *arguments, stdout=output)
    return output.getvalue()


def test_the_command_prints_heads_of_whole_chains() -> None:
    chain = make_chain(make_team("crew"))
    assert run_command() == f"crew: {LENGTH} entries verified, head {chain.head}\n"


def test_the_command_fails_and_names_the_broken_entry() -> None:
    make_chain(make_team("whole"))
    change(2, actor_name="Eve")(make_chain(make_team("broken")))
    with pytest.raises(CommandError, match="tampered"):
        run_command()
    with pytest.raises(CommandError, match="tampered"):
        run_command("--team", "broken")
    assert "whole" in run_command("--team", "whole")
    with pytest.raises(CommandError, match="no team"):
        run_command("--team", "nowhere")


def test_a_chain_that_was_made_anew_as_a_whole_lacks_the_head_that_was_kept() -> None:
    team = make_team()
    kept = make_chain(team).head
    record(team_id=team.pk, actor=None, action="later")
    run_command("--head", kept)
    AuditChain.objects.filter(team=team).delete()
    make_chain(team)
    run_command()
    with pytest.raises(CommandError, match="earlier head"):
        run_command("--head", kept)


def test_a_team_takes_its_chain_along_and_leaves_others_whole() -> None:
    team, other = make_team(), make_team()
    make_chain(team)
    make_chain(other)
    make_member(team)
    team.delete()
    assert AuditChain.objects.count() == 1
    assert faults() == []
