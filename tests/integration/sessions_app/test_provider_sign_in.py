"""Sign in at GitHub Copilot with a code: from the button to a turn that a model of Copilot answers."""

import json
from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest
from django.core import serializers

from agentsite.tenancy.actions.providers import create_provider
from agentsite.tenancy.encryption import unseal
from agentsite.tenancy.models import AuditEntry, Provider
from agentsite.tenancy.provider_document import ProviderDocument, ProviderModel
from sessions_app.llm.sign_in import SignIn
from sessions_app.models import Session, SessionEvent, Turn
from sessions_app.workers.agent import provider_sign_in
from sessions_app.workers.agent.provider_keys import gateway
from tests.support.model_server import text
from tests.support.rest_api import RestApi
from tests.support.session_site import SessionSite
from tests.support.sign_in_server import CREDENTIAL, DEVICE_CODE, TOKEN, SignInServer, sign_in_server
from tools_app.web.rules import WebRules

pytestmark = pytest.mark.one_database


@pytest.fixture
def server(site: SessionSite, monkeypatch: pytest.MonkeyPatch) -> Iterator[SignInServer]:
    with sign_in_server() as running:
        models = urlsplit(site.model_server.base_url).netloc
        site.settings.PROVIDER_ALLOW = [running.netloc, models]
        running.model_address = site.model_server.base_url
        rules = WebRules.exempting(site.settings.PROVIDER_ALLOW)
        monkeypatch.setitem(gateway.__dict__, "sign_in", SignIn(lambda: rules, running.addresses(models)))
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
