"""A team's own providers: rights to manage them, their visible fields, and their use by sessions."""

import json
from urllib.parse import urlsplit

import pytest
from django.core import serializers
from django.core.management import call_command
from pytest_django import Settings

from agentsite.tenancy.actions.model_choices import Choice, choose_models
from agentsite.tenancy.actions.providers import (
    change_provider,
    create_provider,
    note_state,
    remove_provider,
    replace_key,
)
from agentsite.tenancy.encryption import make_pair, unseal
from agentsite.tenancy.models import AuditEntry, Provider
from agentsite.tenancy.provider_document import ModelPrices, ProviderDocument, ProviderModel
from agentsite.tenancy.roles import Role
from sessions_app.models import ModelCall, Session, SessionEvent, Turn
from sessions_app.workers.agent.provider_check import check_provider
from sessions_app.workers.agent.provider_keys import endpoint_for
from tests.support.model_server import text
from tests.support.rest_api import RestApi
from tests.support.session_site import SessionSite

KEY = "sk-canary-0123456789abcdef"
AZURE = {"api_version": "2024-10-21"}


@pytest.fixture
def house(site: SessionSite) -> Provider:
    """Create a provider of the site's team, with the models of the scripted server."""
    site.settings.PROVIDER_ALLOW = [urlsplit(site.model_server.base_url).netloc]
    return make_house(site)


def make_house(site: SessionSite, *models: str, key: str = KEY, **more: object) -> Provider:
    return create_provider(
        actor=site.user, team=site.team, slug="house", key=key,
        document=document_of(site, *(models or ("demo",)), **more),
        headers={"X-Account": "canary-header"},
    )  # fmt: skip


def document_of(site: SessionSite, *models: str, **more: object) -> ProviderDocument:
    prices = ModelPrices(input=1, output=2)
    rows = [ProviderModel(name=name, prices=prices, context=50_000) for name in models]
    fields = {
        "name": "The house's",
        "kind": "openai_compatible",
        "base_url": site.model_server.base_url,
        "models": rows,
    }
    return ProviderDocument(**{**fields, **more})


def use(site: SessionSite, model: str) -> Session:
    session = site.open_session()
    Session.objects.filter(pk=session.pk).update(model=model)
    session.refresh_from_db()
    return session


# --- sessions with a team's provider ----------------------------------------------------------------------------------
def test_a_session_asks_the_teams_provider_with_its_key_and_headers(site: SessionSite) -> None:
    site.settings.PROVIDER_ALLOW = [urlsplit(site.model_server.base_url).netloc]
    script = site.model_server.script(text("Hello."))
    make_house(site, script.model)
    turn = site.run_prompt(session=use(site, f"house/{script.model}"))
    assert turn.state == Turn.State.COMPLETED
    headers = script.requests(at_least=1)[0]["headers"]
    assert (headers["authorization"], headers["x-account"]) == (f"Bearer {KEY}", "canary-header")
    call = ModelCall.objects.get(turn=turn)
    assert call.provider == Provider.objects.get().public_id
    assert call.cost is not None
    assert Provider.objects.get().state == "ok"


def test_the_key_is_in_no_row_answer_event_or_log(
    site: SessionSite, house: Provider, capfd: pytest.CaptureFixture[str]
) -> None:
    script = site.model_server.script(text("Hm", fault="status", status=401, body=json.dumps({"error": f"bad {KEY}"})))
    change_provider(actor=site.user, provider=house, document=document_of(site, script.model))
    session = use(site, f"house/{script.model}")
    turn = site.run_prompt(session=session)
    assert turn.error is not None
    api = RestApi(site.user)
    shown = [api("get", f"/teams/{site.team.public_id}/providers"), api("get", f"/providers/{house.public_id}")]
    shown += [api("get", f"/teams/{site.team.public_id}/models"), api("get", f"/sessions/{session.public_id}/snapshot")]
    rows = [serializers.serialize("json", rows.objects.all()) for rows in (Provider, AuditEntry, SessionEvent, Turn)]
    seen = json.dumps([turn.error, shown]) + "".join(rows) + "".join(capfd.readouterr())
    assert "canary-0123456789" not in seen
    assert "canary-header" not in seen
    assert shown[1]["key"]["ending"] == "cdef"
    assert repr(endpoint_for(session, session.model)).count("canary") == 0


def test_a_key_that_fails_is_a_state_with_a_next_step_and_the_session_goes_on_when_it_is_replaced(
    site: SessionSite, house: Provider
) -> None:
    script = site.model_server.script(
        text("", fault="status", status=401, body='{"error": "no"}'), text("Here I am again."), text("A title")
    )
    change_provider(actor=site.user, provider=house, document=document_of(site, script.model))
    session = use(site, f"house/{script.model}")
    turn = site.run_prompt(session=session)
    assert turn.error is not None
    assert "can replace the key under Providers" in turn.error["hint"]
    house.refresh_from_db()
    assert house.problem is not None
    assert (house.state, house.problem["code"]) == ("failing", "model_refused.key")
    replace_key(actor=site.user, provider=house, key="sk-canary-a-better-one")
    again = site.run_prompt("Once more.", session=session)
    assert again.state == Turn.State.COMPLETED
    assert script.requests(at_least=2)[1]["headers"]["authorization"] == "Bearer sk-canary-a-better-one"
    actions = set(AuditEntry.objects.values_list("action", flat=True))
    assert {"provider.created", "provider.failing", "provider.key_replaced"} <= actions


@pytest.mark.parametrize("what", ["removed", "blocked", "off", "elsewhere", "model_gone"])
def test_a_model_that_may_not_be_used_is_a_sentence_in_the_turn(site: SessionSite, house: Provider, what: str) -> None:
    session = use(site, "house/demo" if what != "elsewhere" else "nobody/demo")
    if what == "removed":
        remove_provider(actor=site.user, provider=house)
    elif what == "blocked":
        choose_models(actor=site.user, team=site.team, choice=Choice(blocked=["house/demo"]))
    elif what in ("off", "model_gone"):
        names = ("demo",) if what == "off" else ("other",)
        document = document_of(site, *names, enabled=what != "off")
        change_provider(actor=site.user, provider=house, document=document)
    turn = site.run_prompt(session=session)
    assert turn.state == Turn.State.FAILED
    assert turn.error is not None
    assert turn.error["code"] == "model_not_offered"
    assert "Choose another model" in turn.error["hint"]


def test_another_teams_provider_of_the_same_name_is_not_reached(site: SessionSite, house: Provider) -> None:
    from tests.support.builders import make_member, make_project, make_team

    team = make_team()
    make_member(team, Role.OWNER)
    session = use(site, "house/demo")
    session.project = make_project(team)
    from sessions_app.model_endpoints import ModelNotOffered

    with pytest.raises(ModelNotOffered):
        endpoint_for(session, "house/demo")


def test_the_default_of_the_project_goes_before_the_teams_and_the_sites(site: SessionSite, house: Provider) -> None:
    site.settings.MODEL_NAME = "demo"
    session = site.open_session()
    from sessions_app.model_endpoints import default_models

    assert default_models(session)[0] == "demo"
    choose_models(actor=site.user, team=site.team, choice=Choice(default_model="house/demo"))
    assert default_models(session) == ("house/demo", "house/demo")
    choose_models(actor=site.user, team=site.team, project=site.project, choice=Choice("demo", "demo-small"))
    assert default_models(session) == ("demo", "demo-small")


# --- the API ----------------------------------------------------------------------------------------------------------
def test_what_is_sent_as_a_key_comes_back_as_its_last_characters(site: SessionSite) -> None:
    api = RestApi(site.user)
    made = api(
        "post", f"/teams/{site.team.public_id}/providers", expect=201,
        body={
            "slug": "acme", "name": "Acme", "kind": "anthropic", "key": KEY, "models": [{"name": "claude-sonnet-4-5"}],
        },
    )  # fmt: skip
    assert (made["key"]["ending"], made["state"]) == ("cdef", "unknown")
    assert unseal(Provider.objects.get().sealed_key) == KEY
    menu = api("get", f"/teams/{site.team.public_id}/models")
    model = next(one for one in menu["items"] if one["id"] == "acme/claude-sonnet-4-5")
    assert model["prices"]["input"] == "3"
    assert not model["own_prices"]


def test_a_model_of_unknown_price_says_so(site: SessionSite) -> None:
    api, team = RestApi(site.user), site.team.public_id
    document = {"slug": "x", "name": "X", "kind": "openai_compatible", "base_url": "https://models.example.org/v1"}
    api("post", f"/teams/{team}/providers", {**document, "models": [{"name": "own-model"}]}, expect=201)
    model = next(one for one in api("get", f"/teams/{team}/models")["items"] if one["id"] == "x/own-model")
    assert model["prices"] is None


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"kind": "nobody"}, "kind"),
        ({"base_url": ""}, "base_url"),
        ({"base_url": "ftp://x.example"}, "base_url"),
        ({"base_url": "https://user:secret@x.example/v1"}, "base_url"),
        ({"base_url": "https://[half/v1"}, "base_url"),
        ({"kind": "azure", "base_url": "https://evil.example/"}, "base_url"),
        ({"kind": "azure", "base_url": "http://x.openai.azure.com/", "options": AZURE}, "base_url"),
        ({"base_url": "http://models.example.org/v1"}, "base_url"),
        ({"kind": "bedrock", "base_url": "", "options": {"region": "x/../y"}}, "options.region"),
        ({"models": [{"name": "a"}, {"name": "a"}]}, "models"),
        ({"name": "a\nb"}, "name"),
        ({"key": "two words"}, "key"),
        ({"headers": {"Host": "x"}}, "headers.Host"),
        ({"headers": {"X-A": "a\r\nB: c"}}, "headers.X-A"),
    ],
)
def test_what_cannot_be_is_named_field_by_field(site: SessionSite, change: dict[str, object], field: str) -> None:
    good = {"slug": "x", "name": "X", "kind": "openai_compatible", "base_url": "https://models.example.org/v1"}
    error = RestApi(site.user).error("post", f"/teams/{site.team.public_id}/providers", {**good, **change}, expect=400)
    assert field in error["fields"]
    assert not Provider.objects.exists()


def test_a_new_address_forgets_the_key_that_was_given_for_the_old_one(site: SessionSite, house: Provider) -> None:
    document = document_of(site, "demo", base_url="https://elsewhere.example.org/v1")
    row = change_provider(actor=site.user, provider=house, document=document)
    assert (row.sealed_key, row.sealed_headers, row.key_ending) == ("", "", "")


def test_a_choice_that_leaves_nothing_or_names_what_is_blocked_is_refused(site: SessionSite) -> None:
    api, path = RestApi(site.user), f"/teams/{site.team.public_id}/models"
    site.settings.MODEL_NAME, site.settings.SMALL_MODEL_NAME = "demo", "demo-small"
    blocked = {"blocked": ["demo"], "default_model": "demo"}
    assert "default_model" in api.error("put", path, blocked, expect=400)["fields"]
    assert "blocked" in api.error("put", path, {"blocked": ["demo", "demo-small"]}, expect=400)["fields"]
    assert api("put", path, {"blocked": ["demo"], "base_version": 0})["own"]["version"] == 1
    assert api.error("put", path, {"base_version": 0}, expect=409)["code"] == "stale_models"


def test_a_session_takes_a_model_that_is_offered_and_no_other(site: SessionSite, house: Provider) -> None:
    api, session = RestApi(site.user), site.open_session()
    path = f"/sessions/{session.public_id}"
    assert api("patch", path, {"model": "house/demo"})["model"] == "house/demo"
    assert api("get", path)["model"] == "house/demo"
    assert "model" in api.error("patch", path, {"model": "house/none"}, expect=400)["fields"]
    assert api("patch", path, {"model": ""})["model"] == ""


# --- keys that change -------------------------------------------------------------------------------------------------
def test_after_a_rotation_every_key_is_sealed_for_the_newest(site: SessionSite, house: Provider) -> None:
    private, public = make_pair()
    site.settings.SEALING_PUBLIC_KEY = public
    site.settings.SEALING_PRIVATE_KEYS = [private, *site.settings.SEALING_PRIVATE_KEYS]
    call_command("reseal_secrets")
    site.settings.SEALING_PRIVATE_KEYS = [private]
    house.refresh_from_db()
    assert unseal(house.sealed_key) == KEY
    assert json.loads(unseal(house.sealed_headers)) == {"X-Account": "canary-header"}


def test_a_key_that_this_site_cannot_read_any_more_is_told_as_such(site: SessionSite, house: Provider) -> None:
    site.settings.SEALING_PRIVATE_KEYS = [make_pair()[0]]
    turn = site.run_prompt(session=use(site, "house/demo"))
    assert turn.error is not None
    assert "cannot be decrypted by this site" in turn.error["message"]


# --- looking at a provider --------------------------------------------------------------------------------------------
def test_a_provider_that_works_is_seen_to_work(site: SessionSite, house: Provider) -> None:
    report = check_provider(house, "")
    assert [(check["name"], check["ok"]) for check in report["checks"]] == [("models", True), ("answer", True)]
    assert "demo" in report["models"]
    house.refresh_from_db()
    assert house.state == "ok"


@pytest.mark.parametrize(
    "address",
    [
        "https://127.0.0.1:8000/v1",
        "http://127.0.0.1/v1",
        "https://10.0.0.1/v1",
        "https://169.254.169.254/v1",
        "https://[::1]/v1",
        "https://localhost/v1",
        "https://no-such-name.invalid/v1",
        "http://models.example.org/v1",
        "https://models.example.org:22/v1",
    ],
)
def test_what_is_private_refused_or_nowhere_reads_the_same(site: SessionSite, address: str, settings: Settings) -> None:
    row = make_house(site, base_url="https://models.example.org/v1")
    settings.PROVIDER_ALLOW = []
    Provider.objects.filter(pk=row.pk).update(base_url=address)  # also those that could no longer be saved
    row.refresh_from_db()
    report = check_provider(row, "")
    host = urlsplit(address).netloc
    assert [(check["name"], check["ok"]) for check in report["checks"]] == [("address", False)]
    assert report["checks"][0]["message"] == f"'{host}' does not exist, or this site does not allow connections to it."


def test_a_key_for_azure_does_not_travel_without_encryption(site: SessionSite, house: Provider) -> None:
    Provider.objects.filter(pk=house.pk).update(kind="azure", base_url="http://x.openai.azure.com/", options=AZURE)
    house.refresh_from_db()
    report = check_provider(house, "demo")
    assert report["checks"][-1]["message"].startswith(
        "'x.openai.azure.com' does not exist, or this site does not allow"
    )


def test_nobody_listening_where_one_may_connect_is_told_apart(site: SessionSite) -> None:
    site.settings.PROVIDER_ALLOW = ["127.0.0.1:1"]
    row = make_house(site, base_url="https://models.example.org/v1")
    row = change_provider(
        actor=site.user, provider=row, document=document_of(site, "demo", base_url="http://127.0.0.1:1/v1")
    )
    report = check_provider(row, "")
    assert "cannot be reached" in report["checks"][0]["message"]


def test_a_place_that_is_no_model_api_is_told_as_such(site: SessionSite, house: Provider) -> None:
    address = site.model_server.base_url.removesuffix("/v1") + "/nowhere"
    row = change_provider(actor=site.user, provider=house, document=document_of(site, "demo", base_url=address))
    report = check_provider(row, "")
    assert not report["ok"]
    assert report["models"] == []


def test_a_model_that_the_provider_does_not_know_is_told_as_such(site: SessionSite, house: Provider) -> None:
    report = check_provider(house, "unheard-of")
    assert [(check["name"], check["ok"]) for check in report["checks"]] == [("models", True), ("answer", False)]


def test_a_state_is_written_when_it_changes_only(site: SessionSite, house: Provider) -> None:
    problem = {"code": "model_refused.key", "message": "No.", "hint": ""}
    for _ in range(3):
        note_state(house.pk, problem)
    assert AuditEntry.objects.filter(action="provider.failing").count() == 1
