"""Prepared statements have the same results and effects as the ORM's own statements, on SQLite and PostgreSQL."""

from datetime import timedelta
from typing import Any

import pytest
from django.db import connection, transaction
from django.db.models import Exists, F, OuterRef, Q
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from agentsite.base.ids import new_id
from agentsite.base.prepared import PreparedQuery, insert_rows, save_fields, update_rows
from sessions_app.models import Message, Part, Session, SessionEvent, Turn
from tests.support.session_site import SessionSite

_by_id: PreparedQuery[Session] = PreparedQuery(
    lambda session: Session.objects.filter(pk=session).select_related("project", "created_by", "parent")
)
_locked: PreparedQuery[Session] = PreparedQuery(
    lambda session: Session.objects.select_for_update(of=("self",)).filter(pk=session)
)
_annotated: PreparedQuery[Turn] = PreparedQuery(
    lambda turn, now: (
        Turn.objects.filter(pk=turn, created_at__lte=now)
        .annotate(has_message=Exists(Message.objects.filter(turn=OuterRef("pk"))), steps=F("step_count") + 1)
        .order_by()[:1]
    )
)


def _values(row: Any) -> dict[str, Any]:
    return {field.attname: getattr(row, field.attname) for field in row._meta.concrete_fields}


def test_a_select_returns_the_row_that_the_orm_returns(site: SessionSite) -> None:
    row = site.open_session("A name with ünï and 'quotes' and 100 %s")
    found = _by_id.first(session=row.pk)
    assert found is not None
    assert _values(found) == _values(Session.objects.get(pk=row.pk))
    assert not found._state.adding


def test_related_rows_come_with_the_same_statement(site: SessionSite) -> None:
    row = site.open_session()
    with CaptureQueriesContext(connection) as queries:
        found = _by_id.first(session=row.pk)
        assert found is not None
        assert (found.project, found.created_by, found.parent) == (site.project, site.user, None)
    assert len(queries) == 1


def test_annotations_are_set_on_the_row(site: SessionSite) -> None:
    turn = site.prompt(site.open_session())
    found: Any = _annotated.first(turn=turn.pk, now=timezone.now())
    assert (found.has_message, found.steps) == (True, 1)


def test_a_condition_that_does_not_hold_finds_nothing(site: SessionSite) -> None:
    turn = site.prompt(site.open_session())
    assert _annotated.first(turn=turn.pk, now=timezone.now() - timedelta(hours=1)) is None
    assert _by_id.all(session=new_id()) == []


def test_each_execution_uses_its_own_values(site: SessionSite) -> None:
    first, second = site.open_session("first"), site.open_session("second")
    assert [row.title for each in (first, second, first) for row in _by_id.all(session=each.pk)] == [
        "first", "second", "first",
    ]  # fmt: skip


@pytest.mark.django_db(transaction=True)
def test_a_row_can_be_locked(site: SessionSite) -> None:
    row = site.open_session()
    with transaction.atomic():
        assert _locked.first(session=row.pk) == row


def test_inserted_rows_are_read_back_unchanged(site: SessionSite) -> None:
    turn = site.prompt(site.open_session())
    message = Message.objects.create(pk=new_id(), session=turn.session, turn=turn, role="assistant")
    parts = [
        Part(session=turn.session, message=message, index=index, type="text", text="ü%s", data={"a": [1, None, "%"]})
        for index in range(3)
    ]
    insert_rows(parts)
    assert [_values(part) for part in Part.objects.filter(message=message).order_by("index")] == [
        _values(part) for part in parts
    ]


def test_inserted_events_get_their_automatic_keys(site: SessionSite) -> None:
    row = site.open_session()
    at, last = timezone.now(), row.last_seq
    insert_rows(
        [SessionEvent(session=row, seq=last + index, type="x", data={"n": index}, at=at) for index in range(1, 4)]
    )
    stored = SessionEvent.objects.filter(session=row, seq__gt=last).order_by("seq").values_list("data", "at")
    assert list(stored) == [({"n": index}, at) for index in range(1, 4)]


def test_saved_fields_are_those_named_and_no_others(site: SessionSite) -> None:
    row = site.open_session("old")
    row.title, row.summary, row.tokens = "new", "not saved", {"input": 3}
    save_fields(row, ("title", "tokens"))
    stored = Session.objects.get(pk=row.pk)
    assert (stored.title, stored.summary, stored.tokens) == ("new", "", {"input": 3})


@pytest.mark.parametrize(
    ("where", "expected"),
    [
        (Q(lease_token="mine"), 1),
        (Q(lease_token="theirs"), 0),
        (Q(lease_until__isnull=True) | Q(lease_until__lt=timezone.now()), 1),
        (~Q(lease_token="mine"), 0),
        (Q(state__in=("queued", "running")) & Q(step_count__gte=0), 1),
        (Q(state__in=["completed"]), 0),
        (Q(session__workspace__generation=0), 1),
        (Q(session__workspace__generation=7), 0),
        (Q(lease_until=None), 1),
    ],
)
def test_an_update_changes_the_rows_that_a_filter_finds(site: SessionSite, where: Q, expected: int) -> None:
    turn = site.prompt(site.open_session())
    Turn.objects.filter(pk=turn.pk).update(lease_token="mine")
    for count in (1, 2):  # the second time the statement is a kept one
        found = update_rows(Turn, where & Q(pk=turn.pk), {"step_count": count, "error": {"code": "x"}, "output": None})
        assert found == expected == Turn.objects.filter(where, pk=turn.pk).count()
    turn.refresh_from_db()
    assert (turn.step_count, turn.error) == ((2, {"code": "x"}) if expected else (0, None))


def test_kept_updates_differ_by_what_their_conditions_ask(site: SessionSite) -> None:
    turn = site.prompt(site.open_session())
    assert update_rows(Turn, Q(pk=turn.pk, lease_until__isnull=True), {"attempts": 1}) == 1
    assert update_rows(Turn, Q(pk=turn.pk, lease_until__isnull=False), {"attempts": 2}) == 0
    assert update_rows(Turn, Q(pk=turn.pk, attempts__lt=1), {"attempts": 2}) == 0
    assert update_rows(Turn, Q(pk=turn.pk, attempts__lt=2), {"attempts": 2}) == 1
