"""Sign-in at GitHub Copilot and GitLab Duo with a code, from the button to a turn that a model answers."""

import json
from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest
from django.core import serializers

from agentsite.base.background import background
from agentsite.tenancy.actions.providers import create_provider, replace_key
from agentsite.tenancy.encryption import unseal
from agentsite.tenancy.models import AuditEntry, Provider
from agentsite.tenancy.provider_document import ProviderDocument, ProviderModel
from sessions_app.llm.oauth_credential import credential_in
from sessions_app.llm.port import ModelEndpoint
from sessions_app.llm.sign_in import SignIn
from sessions_app.model_endpoints import provider_endpoint
from sessions_app.models import Session, SessionEvent, Turn
from sessions_app.workers.agent import provider_sign_in
from sessions_app.workers.agent.provider_keys import gateway, with_key
from sessions_app.workers.agent.renewed_keys import ProviderCredentials
from tests.support.model_server import text
from tests.support.rest_api import RestApi
from tests.support.session_site import SessionSite
from tests.support.sign_in_server import ACCESS, CREDENTIAL, DEVICE_CODE, REFRESH, TOKEN, SignInServer, sign_in_server
from tools_app.web.rules import WebRules

pytestmark = pytest.mark.one_database


@pytest.fixture
def server(site: SessionSite, monkeypatch: pytest.MonkeyPatch) -> Iterator[SignInServer]:
    with sign_in_server() as running:
        models = urlsplit(site.model_server.base_url).netloc
        site.settings.PROVIDER_ALLOW = [running.netloc, models]
        running.model_address = site.model_server.base_url
        rules = WebRules.exempting(site.settings.PROVIDER_ALLOW)
        one = SignIn(lambda: rules, running.addresses(models), ProviderCredentials())
        monkeypatch.setitem(gateway.__dict__, "sign_in", one)
        site.settings.COPILOT_CLIENT_ID = site.settings.GITLAB_CLIENT_ID = "client-1"
        yield running


def copilot(site: SessionSite, model: str) -> Provider:
    document = ProviderDocument(name="Copilot", kind="github_copilot", models=[ProviderModel(name=model)])
    return create_provider(actor=site.user, team=site.team, slug="copilot", document=document)


def go_on(site: SessionSite, provider: Provider, *, begin: bool = False) -> dict[str, object]:
    provider.refresh_from_db()
    answer = provider_sign_in._answer(provider, site.user, begin=begin)
    return dict(answer["ok"])


def test_a_person_enters_the_code_and_the_team_uses_copilot(
    site: SessionSite, server: SignInServer, capfd: pytest.CaptureFixture[str]
) -> None:
    script = site.model_server.script(text("Hello from Copilot."))
    provider = copilot(site, script.model)
    begun = go_on(site, provider, begin=True)
    assert (begun["state"], begun["user_code"]) == ("pending", "WDJB-MJHT")
    assert go_on(site, provider) == {"state": "pending"}
    server.device = "done"
    assert go_on(site, provider) == {"state": "done"}
    provider.refresh_from_db()
    assert unseal(provider.sealed_key) == CREDENTIAL
    assert provider.sealed_sign_in == ""
    session = site.open_session()
    Session.objects.filter(pk=session.pk).update(model=f"copilot/{script.model}")
    session.refresh_from_db()
    assert site.run_prompt(session=session).state == Turn.State.COMPLETED
    headers = script.requests(at_least=1)[0]["headers"]
    assert headers["authorization"] == f"Bearer {TOKEN}-1"
    assert headers["copilot-integration-id"]
    rows = [serializers.serialize("json", rows.objects.all()) for rows in (Provider, AuditEntry, SessionEvent, Turn)]
    seen = "".join(rows) + "".join(capfd.readouterr()) + json.dumps(begun, default=str)
    assert all(secret not in seen for secret in (CREDENTIAL, DEVICE_CODE, TOKEN))


@pytest.mark.parametrize("state", ["denied", "expired"])
def test_a_sign_in_that_ends_without_a_yes_changes_nothing(site: SessionSite, server: SignInServer, state: str) -> None:
    provider = copilot(site, "gpt-5")
    go_on(site, provider, begin=True)
    server.device = state
    assert go_on(site, provider) == {"state": state}
    assert go_on(site, provider) == {"state": "expired"}
    provider.refresh_from_db()
    assert provider.sealed_key == ""


def test_other_kinds_have_no_sign_in(site: SessionSite) -> None:
    document = ProviderDocument(name="OpenAI", kind="openai")
    provider = create_provider(actor=site.user, team=site.team, slug="openai", document=document)
    answer = RestApi(site.user).error("post", f"/providers/{provider.public_id}/sign-in", expect=400)
    assert "no sign-in" in answer["message"]


def gitlab(site: SessionSite) -> Provider:
    document = ProviderDocument(name="Duo", kind="gitlab", models=[ProviderModel(name="claude-sonnet-4-5")])
    return create_provider(actor=site.user, team=site.team, slug="duo", document=document)


def endpoint_of(provider: Provider) -> ModelEndpoint:
    provider.refresh_from_db()
    return with_key(provider_endpoint(provider, provider.model_list[0]), provider)


def test_a_sign_in_at_gitlab_is_renewed_for_every_process_and_never_shown(
    site: SessionSite, server: SignInServer, capfd: pytest.CaptureFixture[str]
) -> None:
    provider = gitlab(site)
    assert go_on(site, provider, begin=True)["address"] == f"http://{server.netloc}/login/device"
    assert go_on(site, provider) == {"state": "pending"}
    server.device, server.lifetime = "done", 30  # it has to be renewed at once
    assert go_on(site, provider) == {"state": "done"}
    endpoint = background.run(gateway.sign_in.with_token(endpoint_of(provider)))
    assert endpoint.api_key == f"{TOKEN}-1"
    provider.refresh_from_db()
    stored = credential_in(unseal(provider.sealed_key))
    assert stored is not None
    assert (stored.refresh, server.refreshed) == (f"{REFRESH}-1", 1)
    assert provider.key_ending == ""
    shown = RestApi(site.user)("get", f"/providers/{provider.public_id}")
    rows = [serializers.serialize("json", rows.objects.all()) for rows in (Provider, AuditEntry)]
    seen = json.dumps(shown) + "".join(rows) + "".join(capfd.readouterr())
    assert all(secret not in seen for secret in (ACCESS, REFRESH, TOKEN, DEVICE_CODE))


def test_a_key_that_was_replaced_meanwhile_is_not_overwritten_by_a_renewal(
    site: SessionSite, server: SignInServer
) -> None:
    provider = gitlab(site)
    go_on(site, provider, begin=True)
    server.device, server.lifetime = "done", 30
    go_on(site, provider)
    old = endpoint_of(provider)
    replace_key(actor=site.user, provider=provider, key="glpat-canary-of-an-admin")
    background.run(ProviderCredentials().keep(old, old.api_key, "oauth:renewed"))
    assert endpoint_of(provider).api_key == "glpat-canary-of-an-admin"


@pytest.mark.parametrize(("kind", "setting"), [("github_copilot", "COPILOT_CLIENT_ID"), ("gitlab", "GITLAB_CLIENT_ID")])
def test_a_site_without_a_client_says_so_and_what_to_do_instead(site: SessionSite, kind: str, setting: str) -> None:
    api = RestApi(site.user)
    problems = {each["name"]: each["sign_in_problem"] for each in api("get", "/provider-kinds")["items"]}
    assert setting in problems[kind]
    assert problems["openai"] == ""
    document = ProviderDocument(name="X", kind=kind)
    provider = create_provider(actor=site.user, team=site.team, slug="x", document=document)
    error = api.error("post", f"/providers/{provider.public_id}/sign-in", expect=400)
    assert "has no OAuth client" in error["message"]
    assert setting in error["hint"]
