"""Only operators see the admin, and none of its pages shows any text of a conversation, a key or a hash."""

from dataclasses import dataclass
from typing import Any, Final

import pytest
from django.db import models
from django.test import Client
from django.utils import timezone

from agentsite.operators import accesses, pages, sessions
from agentsite.operators.base import ReadOnlyAdmin
from agentsite.operators.site import operators
from agentsite.tenancy import audit
from agentsite.tenancy.roles import Role
from sessions_app.models import Node, SandboxImage
from tests.support.builders import bearer, browser_of, make_member, make_user
from tests.support.lanes import sampled
from tests.support.tenancy_callers import Caller, unknown_callers
from tests.support.tenancy_world import (
    CANARY,
    STRUCTURE,
    Tenant,
    make_tenant,
    our_models,
    plant_canaries,
)

__all__ = ["accesses", "pages", "sessions"]  # importing them registers them
pytestmark = pytest.mark.django_db

REGISTERED: Final = sorted(operators._registry.items(), key=lambda item: item[0]._meta.label)
LABELS: Final = [model._meta.label for model, _ in REGISTERED]
NEEDED: Final = STRUCTURE | {"email", "seq", "trials"}
"""Columns of shown models that pages and links need."""


@dataclass(frozen=True)
class World:
    tenant: Tenant
    outside: dict[str, Caller]
    staff: Client


@pytest.fixture
def world() -> World:
    tenant = make_tenant()
    SandboxImage.objects.create(name="java", kind=SandboxImage.Kind.TAG, source="java:21")
    Node.objects.create(name="first", seen_at=timezone.now(), started_at=timezone.now())
    audit.record(team_id=None, actor=tenant.owner, action="account.switched", subject="x")
    staff = make_user()
    staff.is_staff = True
    staff.save()
    outside = {
        **unknown_callers(tenant),
        **{role.value: Caller(browser_of(make_member(tenant.team, role))) for role in Role},
        "a program of the owner": Caller(Client(), bearer(tenant.owner)),
        "a program of an operator": Caller(Client(), bearer(staff)),
    }
    return World(tenant, outside, browser_of(staff))


def addresses_of(model: type[models.Model]) -> list[str]:
    """Return the addresses of all admin pages about a model, and about one of its shown rows."""
    start = f"/admin/{model._meta.app_label}/{model._meta.model_name}/"
    row = _shown(model).first()
    assert row is not None, f"the world has no {model.__name__}"
    return [start, f"{start}add/", *(f"{start}{row.pk}/{page}/" for page in ("change", "history", "delete"))]


def _shown(model: type[models.Model]) -> Any:
    request: Any = None  # no page of ours narrows by who asks
    return operators._registry[model].get_queryset(request).order_by("pk")


@pytest.mark.parametrize("model", [model for model, _ in REGISTERED], ids=LABELS)
def test_only_operators_see_a_page_of_the_admin(model: type[models.Model], world: World) -> None:
    for number, address in enumerate(addresses_of(model)):
        missing = address.replace(str(_shown(model).first().pk), "00000000-0000-7000-8000-000000000000")
        for who, caller in sampled([*world.outside.items()], every=4, start=number):
            for method in ("get", "post"):
                ask = getattr(caller.browser, method)
                answers = [ask(one, headers=dict(caller.headers)) for one in (address, missing)]
                assert [answer.status_code for answer in answers] == [302, 302], (who, address)
                assert answers[0].content == answers[1].content == b"", (who, address)
    assert world.staff.get(addresses_of(model)[0]).status_code == 200
    assert world.staff.get(addresses_of(model)[2]).status_code == 200


@pytest.mark.parametrize(("model", "page"), REGISTERED, ids=LABELS)
def test_an_operator_sees_no_column_that_a_page_does_not_name(
    model: type[models.Model], page: ReadOnlyAdmin, world: World
) -> None:
    planted = plant_canaries(but={one: _named(one) for one in our_models()})
    assert planted > 50
    hidden = _plant_where_nobody_looks(model, page)
    for address in addresses_of(model):
        answer = world.staff.get(address)
        assert answer.status_code in (200, 403), address
        text = answer.content.decode()
        assert CANARY not in text, (address, hidden)
        for secret in (world.tenant["token"].secret_hash, world.tenant.owner.password):
            assert secret not in text, address


def _named(model: type[models.Model]) -> set[Any]:
    """Return the keys of all rows of a model if the admin shows the model. Its pages contain the rows' names, so
    these rows get no canaries."""
    named = model in operators._registry
    return set(model._base_manager.values_list("pk", flat=True)) if named else set()


def _plant_where_nobody_looks(model: type[models.Model], page: ReadOnlyAdmin) -> list[str]:
    """Put a canary into each text column that the model's page does not show. Return the names of these columns."""
    shown = {*page.list_display, *(page.fields or ()), *NEEDED}
    texts = [
        column.name
        for column in model._meta.concrete_fields
        if isinstance(column, models.CharField | models.TextField | models.JSONField)
        and column.name not in shown
        and not column.choices
        and not column.unique
    ]
    values = {name: _canary(model._meta.get_field(name)) for name in texts}
    if values:
        model._base_manager.update(**values)
    return texts


def _canary(column: Any) -> Any:
    if isinstance(column, models.JSONField):
        return [CANARY] if column.get_default() == [] else {CANARY: CANARY}
    return CANARY[: column.max_length]
