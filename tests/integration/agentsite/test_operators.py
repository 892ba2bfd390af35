"""The operators' admin: access to it, the shown columns, and the absence of texts of conversations, keys and hashes."""

from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from django.test import Client

from agentsite.operators import accesses, pages, sessions
from agentsite.operators.site import operators
from agentsite.tenancy.models import AuditEntry, Membership, User
from agentsite.tenancy.roles import Role
from sessions_app.models import OperatorAccess, Part, Session
from tests.support.builders import browser_of, join, make_member, make_team, make_user
from tests.support.tenancy_world import CANARY, make_tenant, our_models, plant_canaries

__all__ = ["accesses", "pages", "sessions"]  # importing them registers them
pytestmark = pytest.mark.django_db

LISTS = [f"/admin/{model._meta.app_label}/{model._meta.model_name}/" for model in operators._registry]


def make_operator(*, superuser: bool = False) -> User:
    user = make_user(name="Olga")
    user.is_staff, user.is_superuser = True, superuser
    user.save()
    return user


@pytest.mark.parametrize("path", ["/admin/", *LISTS])
def test_only_operators_get_in(path: str) -> None:
    for browser in (Client(), browser_of(make_member(make_team(), Role.OWNER))):
        answer = browser.get(path)
        assert answer.status_code == 302
        assert "password" not in answer.content.decode()
    assert browser_of(make_operator()).get(path).status_code == 200


def test_there_is_no_second_way_to_sign_in() -> None:
    answer = Client().post("/admin/login/", {"username": "a@example.org", "password": "x"})
    assert (answer.status_code, answer["Location"]) == (302, "/")


@pytest.mark.parametrize("page", ["/admin/", "/admin/sessions_app/node/?q=a%26b"])
def test_signing_in_leads_back_to_the_page_that_was_asked_for(page: str) -> None:
    asked = Client().get(page)
    form = Client().get(asked["Location"])
    assert form["Location"].startswith("/?next=")
    assert parse_qs(urlsplit(form["Location"]).query)["next"] == [page]


@pytest.mark.parametrize(
    "elsewhere",
    ["https://evil.example/admin/", "//evil.example", "/\\evil.example", "/admin\\evil", "javascript:1", "/x"],
)
def test_signing_in_leads_nowhere_else(elsewhere: str) -> None:
    answer = Client().get("/admin/login/", {"next": elsewhere})
    assert (answer.status_code, answer["Location"]) == (302, "/")


def test_who_is_no_operator_is_not_sent_round_and_round() -> None:
    answer = browser_of(make_member(make_team(), Role.OWNER)).get("/admin/login/", {"next": "/admin/"})
    assert answer["Location"] == "/"


def test_pages_keep_the_rules_for_browsers() -> None:
    answer = browser_of(make_operator()).get("/admin/")
    assert "unsafe" not in answer["Content-Security-Policy"]
    text = answer.content.decode()
    assert "<script>" not in text
    assert " style=" not in text
    assert "/policies/site" in text
    assert "/static/admin/css/base.css" in text


def test_the_first_page_names_what_it_lists() -> None:
    words = browser_of(make_operator()).get("/admin/").content.decode()
    assert "Audit entries" in words
    assert "Audit entrys" not in words


def test_no_page_shows_a_conversation_a_key_or_a_hash() -> None:
    tenant = make_tenant()
    plant_canaries(but={model: _known(model) for model in our_models()})
    browser = browser_of(make_operator())
    for path in LISTS:
        for page in (path, *_pages_of(path, tenant)):
            answer = browser.get(page)
            text = answer.content.decode()
            assert answer.status_code == 200, page
            assert CANARY not in text, page
            assert tenant["token"].secret_hash not in text
            assert tenant.owner.password not in text


def _known(model: Any) -> set[Any]:
    """Return the rows of a model that get no canaries, because the admin shows them. All other rows get confidential
    texts."""
    shown = model._meta.concrete_model in operators._registry
    return set(model._base_manager.values_list("pk", flat=True)) if shown else set()


def _pages_of(path: str, tenant: Any) -> list[str]:
    rows = [tenant[kind] for kind in ("team", "user", "member", "project", "workspace", "access")]
    return [f"{path}{row.pk}/change/" for row in rows if row._meta.model_name == path.split("/")[3]]


def test_an_account_is_closed_by_an_operator_and_it_is_recorded() -> None:
    user = make_user()
    path = f"/admin/tenancy/user/{user.pk}/change/"
    browser_of(make_operator()).post(path, {"is_staff": ""})
    user.refresh_from_db()
    assert user.is_active is False
    assert AuditEntry.objects.get(action="account.switched").data["is_active"] is False


@pytest.mark.parametrize("superuser", [True, False])
def test_only_superusers_make_operators(superuser: bool) -> None:
    user = make_user()
    form = {"is_active": "on", "is_staff": "on"}
    browser_of(make_operator(superuser=superuser)).post(f"/admin/tenancy/user/{user.pk}/change/", form)
    user.refresh_from_db()
    assert user.is_staff is superuser


def test_nobody_changes_their_own_account_there() -> None:
    operator = make_operator(superuser=True)
    answer = browser_of(operator).post(f"/admin/tenancy/user/{operator.pk}/change/", {"is_active": ""})
    assert answer.status_code == 403
    operator.refresh_from_db()
    assert operator.is_active


def test_a_team_that_nobody_runs_gets_an_owner() -> None:
    member = Membership.objects.get(user=make_member(make_team()))
    body = {"action": "make_owners", "_selected_action": [str(member.pk)]}
    browser_of(make_operator()).post("/admin/tenancy/membership/", body)
    member.refresh_from_db()
    assert member.role == "owner"
    assert AuditEntry.objects.filter(action="member.made_owner").count() == 2


@pytest.mark.parametrize("column", ["password__startswith", "password__regex", "last_login__gt"])
def test_lists_are_not_asked_about_columns_that_they_do_not_show(column: str) -> None:
    """The admin refuses filters by columns that a list does not show. The presence of a row in a filtered list would
    reveal a hash, character by character."""
    answer = browser_of(make_operator(superuser=True)).get("/admin/tenancy/user/", {column: "a"})
    assert answer.status_code == 400


@pytest.mark.parametrize("superuser", [True, False])
def test_only_superusers_close_accounts_of_operators(superuser: bool) -> None:
    other = make_operator(superuser=True)
    form = {"is_active": "", "is_staff": "on"}
    browser_of(make_operator(superuser=superuser)).post(f"/admin/tenancy/user/{other.pk}/change/", form)
    other.refresh_from_db()
    assert other.is_active is not superuser


def test_no_operator_makes_themselves_an_owner() -> None:
    """An operator cannot make themselves an owner of a team, because an owner can read conversations without a recorded
    reason."""
    operator = make_operator()
    member = join(make_team(), operator, Role.VIEWER)
    body = {"action": "make_owners", "_selected_action": [str(member.pk)]}
    browser_of(operator).post("/admin/tenancy/membership/", body)
    member.refresh_from_db()
    assert member.role == "viewer"


def test_a_team_that_somebody_runs_gets_no_other_owner() -> None:
    team = make_team()
    make_member(team, Role.OWNER)
    member = Membership.objects.get(user=make_member(team))
    body = {"action": "make_owners", "_selected_action": [str(member.pk)]}
    browser_of(make_operator()).post("/admin/tenancy/membership/", body)
    member.refresh_from_db()
    assert member.role == "member"


def test_a_session_is_read_with_a_reason_only() -> None:
    tenant = make_tenant()
    operator = make_operator()
    browser = browser_of(operator)
    form = {"session_id": tenant["session"].public_id, "reason": "It hangs, ticket 7", "minutes": "10"}
    assert browser.post("/admin/sessions_app/operatoraccess/add/", form).status_code == 302
    access = OperatorAccess.objects.get(operator=operator)
    page = f"/admin/sessions_app/operatoraccess/{access.pk}/session/"
    assert browser.get(page).status_code == 200
    assert browser_of(make_operator()).get(page).status_code == 404
    access.refresh_from_db()
    assert access.readings == 1
    assert AuditEntry.objects.filter(action="operator.session_read").count() == 2


@pytest.mark.parametrize("wrong", [{"reason": "x"}, {"session_id": "ses_0"}, {"minutes": "61"}])
def test_a_form_that_is_wrong_opens_nothing(wrong: dict[str, str]) -> None:
    tenant = make_tenant()
    form = {"session_id": tenant["session"].public_id, "reason": "It hangs, ticket 7", "minutes": "10", **wrong}
    operator = make_operator()
    assert browser_of(operator).post("/admin/sessions_app/operatoraccess/add/", form).status_code == 200
    assert not OperatorAccess.objects.filter(operator=operator).exists()


def test_a_reason_of_blanks_is_refused_on_the_form() -> None:
    tenant, operator = make_tenant(), make_operator()
    form = {"session_id": tenant["session"].public_id, "reason": f"a{' ' * 20}b", "minutes": "10"}
    answer = browser_of(operator).post("/admin/sessions_app/operatoraccess/add/", form, follow=True)
    assert "Give the reason in one sentence." in answer.content.decode()
    assert not OperatorAccess.objects.filter(operator=operator).exists()


def test_an_operator_finds_a_session_opens_it_with_a_reason_reads_and_closes_it() -> None:
    tenant = make_tenant()
    session = tenant["session"]
    Session.objects.filter(pk=session.pk).update(title=CANARY)
    Part.objects.filter(pk=tenant["part"].pk).update(data={"call_id": tenant["call"].public_id})
    Part.objects.create(session=session, message=tenant["message"], index=1, type="text", text="It never ends.")
    operator = make_operator()
    browser, lists = browser_of(operator), "/admin/sessions_app"
    found = browser.get(f"{lists}/session/", {"q": session.public_id}).content.decode()
    form = f"{lists}/operatoraccess/add/?session_id={session.public_id}"
    assert form in found
    assert CANARY not in found
    assert f'value="{session.public_id}"' in browser.get(form).content.decode()

    body = {"session_id": session.public_id, "reason": "The session does not end, ticket 7", "minutes": "5"}
    page = browser.post(form, body)["Location"]
    access = OperatorAccess.objects.get(operator=operator)
    assert page == f"{lists}/operatoraccess/{access.pk}/session/"
    shown = browser.get(page).content.decode()
    assert "ticket 7" in shown
    assert 0 < shown.index("<h2>bash") < shown.index("It never ends.")
    end = f"{lists}/operatoraccess/{access.pk}/end/"
    assert "End this access?" in browser.get(end).content.decode()
    assert browser_of(make_operator()).post(end).status_code == 404
    assert browser.post(end).status_code == 302
    assert browser.get(page).status_code == 302
    said = AuditEntry.objects.filter(action__startswith="operator.", chain__team=tenant.team).order_by("seq")
    assert [entry.action for entry in said] == [
        "operator.access_opened", "operator.session_read", "operator.access_ended",
    ]  # fmt: skip
