"""Admins find the models of a provider's server, and add the ones they want."""

from collections.abc import Iterator
from typing import Any

import pytest
from asgiref.sync import sync_to_async

from agentsite.tenancy.actions.providers import create_provider
from agentsite.tenancy.models import Provider
from agentsite.tenancy.provider_document import ProviderDocument, ProviderModel
from sessions_app.model_endpoints import ModelNotOffered, chosen_model
from sessions_app.transport.rest import providers as rest
from sessions_app.workers.agent.model_finder import find_provider_models
from tests.support.model_list_server import OLLAMA, ModelListServer, model_list_server
from tests.support.rest_api import RestApi
from tests.support.session_site import SessionSite

pytestmark = pytest.mark.one_database


@pytest.fixture
def server(site: SessionSite, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModelListServer]:
    """Run a server like Ollama. Requests for its models are executed at once, without a worker."""

    def ask(provider_id: Any) -> Any:
        return find_provider_models(Provider.objects.get(pk=provider_id))

    monkeypatch.setattr(rest, "request_models", sync_to_async(ask))
    with model_list_server(OLLAMA) as running:
        site.settings.PROVIDER_ALLOW = [running.netloc]
        yield running


def gpu(site: SessionSite, server: ModelListServer, *models: ProviderModel, kind: str = "ollama") -> Provider:
    document = ProviderDocument(name="GPU", kind=kind, base_url=f"http://{server.netloc}", models=[*models])
    return create_provider(actor=site.user, team=site.team, slug="gpu", document=document)


def test_found_models_are_added_with_what_the_server_says_and_typed_ones_stay(
    site: SessionSite, server: ModelListServer
) -> None:
    typed = ProviderModel(name="llava:7b", context=5_000, calls_tools=True)
    api, row = RestApi(site.user), gpu(site, server, typed)
    assert row.base_url == server.base_url
    path = f"/providers/{row.public_id}"
    answer = api("post", f"{path}/find-models", {})
    assert (answer["problem"], answer["others"]) == (None, 1)
    llava, qwen = answer["items"]
    assert (llava["is_added"], llava["calls_tools"], llava["sees_images"]) == (True, False, True)
    assert (qwen["is_added"], qwen["context"], qwen["calls_tools"], qwen["reasons"]) == (False, 40_960, True, True)
    saved = api("get", path)
    change = {
        **{name: saved[name] for name in ("name", "kind", "base_url", "options", "enabled")},
        "models": [*saved["models"], qwen["entry"]],
    }
    assert [model["context"] for model in api("put", path, change)["models"]] == [5_000, 40_960]
    offered = {model["id"]: model for model in api("get", f"/teams/{site.team.public_id}/models")["items"]}
    assert (offered["gpu/qwen3:8b"]["context"], offered["gpu/qwen3:8b"]["calls_tools"]) == (40_960, True)
    assert offered["gpu/llava:7b"]["calls_tools"] is True


def test_a_found_model_that_calls_no_tools_is_refused_for_agents(site: SessionSite, server: ModelListServer) -> None:
    row = gpu(site, server)
    entry = RestApi(site.user)("post", f"/providers/{row.public_id}/find-models", {})["items"][0]["entry"]
    Provider.objects.filter(pk=row.pk).update(model_list=[entry])
    with pytest.raises(ModelNotOffered, match="cannot call tools"):
        chosen_model(site.open_session(), "gpu/llava:7b")


def test_a_server_that_is_away_or_odd_is_a_sentence(site: SessionSite, server: ModelListServer) -> None:
    server.pages = {}
    row = gpu(site, server)
    answer = RestApi(site.user)("post", f"/providers/{row.public_id}/find-models", {})
    assert answer["items"] == []
    assert "gives no list of models at this address" in answer["problem"]["message"]
    row.refresh_from_db()
    assert row.state == Provider.State.UNKNOWN


def test_kinds_without_a_list_say_what_to_do(site: SessionSite) -> None:
    document = ProviderDocument(name="Anthropic", kind="anthropic")
    row = create_provider(actor=site.user, team=site.team, slug="anthropic", document=document)
    error = RestApi(site.user).error("post", f"/providers/{row.public_id}/find-models", {}, expect=400)
    assert "does not list its models" in error["message"]
    assert "enter their names" in error["hint"]
