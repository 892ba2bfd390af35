"""The reasoning effort of a session: models that support it, the requests that contain it, and its display."""

from urllib.parse import urlsplit

import pytest

from agentsite.tenancy.actions.providers import create_provider
from agentsite.tenancy.provider_document import Effort, ProviderDocument, ProviderModel
from sessions_app.actions.commands import run_command
from sessions_app.models import Session, Turn
from tests.support.model_server import PostedScript, text
from tests.support.rest_api import RestApi
from tests.support.session_site import SessionSite

pytestmark = pytest.mark.one_database


def models(site: SessionSite, **efforts: list[Effort]) -> dict[str, PostedScript]:
    """Add a provider with one scripted model for each name; the models support these efforts."""
    site.settings.PROVIDER_ALLOW = [urlsplit(site.model_server.base_url).netloc]
    scripts = {name: site.model_server.script(text("Done."), text("Done."), text("Done.")) for name in efforts}
    rows = [ProviderModel(name=scripts[name].model, efforts=taken, context=50_000) for name, taken in efforts.items()]
    document = ProviderDocument(
        name="House", kind="openai_compatible", base_url=site.model_server.base_url, models=rows
    )
    create_provider(actor=site.user, team=site.team, slug="house", document=document)
    return scripts


def test_the_effort_of_a_session_is_sent_kept_and_shown_with_the_answer(site: SessionSite) -> None:
    scripts = models(site, thinks=["low", "high"])
    model, api = f"house/{scripts['thinks'].model}", RestApi(site.user)
    made = api("post", f"/projects/{site.project.public_id}/sessions", {"model": model, "effort": "high"}, expect=201)
    assert (made["model"], made["effort"]) == (model, "high")
    session = Session.objects.by_public_id(made["id"])
    turn = site.run_prompt(session=session)
    assert turn.state == Turn.State.COMPLETED
    assert scripts["thinks"].requests(at_least=1)[0]["body"]["reasoning_effort"] == "high"
    shown = api("get", f"/sessions/{made['id']}/snapshot")
    assert shown["session"]["effort"] == "high"
    assert [each["effort"] for each in shown["messages"]] == ["", "high"]


def test_an_effort_is_refused_by_name_where_the_model_does_not_take_it(site: SessionSite) -> None:
    scripts = models(site, thinks=["low", "high"], hasty=[])
    api, path = RestApi(site.user), f"/sessions/{site.open_session().public_id}"
    thinks, hasty = (f"house/{scripts[name].model}" for name in ("thinks", "hasty"))
    refused = api.error("patch", path, {"model": hasty, "effort": "low"}, expect=400)
    assert refused["message"] == f"The model '{hasty}' takes no reasoning effort, as far as this site knows."
    assert set(refused["fields"]) == {"effort"}
    refused = api.error("patch", path, {"model": thinks, "effort": "medium"}, expect=400)
    assert refused["message"] == f"The model '{thinks}' takes the reasoning efforts low, high, not 'medium'."
    assert api("patch", path, {"model": thinks, "effort": "low"})["effort"] == "low"
    assert api("patch", path, {"effort": ""})["effort"] == ""
    new = f"/projects/{site.project.public_id}/sessions"
    assert "effort" in api.error("post", new, {"model": hasty, "effort": "low"}, expect=400)["fields"]


def test_an_effort_is_not_sent_to_a_model_that_does_not_take_it_and_comes_back_later(
    site: SessionSite,
) -> None:
    scripts = models(site, thinks=["low"], hasty=[])
    api, session = RestApi(site.user), site.open_session()
    path = f"/sessions/{session.public_id}"
    api("patch", path, {"model": f"house/{scripts['thinks'].model}", "effort": "low"})
    assert api("patch", path, {"model": f"house/{scripts['hasty'].model}"})["effort"] == "low"
    answer = site.answers(site.run_prompt(session=Session.objects.get(pk=session.pk)))[-1]
    assert answer.effort == ""
    assert "reasoning_effort" not in scripts["hasty"].requests(at_least=1)[0]["body"]
    api("patch", path, {"model": f"house/{scripts['thinks'].model}"})
    assert site.answers(site.run_prompt(session=Session.objects.get(pk=session.pk)))[-1].effort == "low"


def test_a_model_that_cannot_call_tools_is_refused_for_agents_with_a_sentence(site: SessionSite) -> None:
    models(site)
    mute = ProviderModel(name="mute", calls_tools=False)
    document = ProviderDocument(name="M", kind="openai_compatible", base_url=site.model_server.base_url, models=[mute])
    create_provider(actor=site.user, team=site.team, slug="m", document=document)
    api, session = RestApi(site.user), site.open_session()
    team = f"/teams/{site.team.public_id}"
    refused = [
        api.error("patch", f"/sessions/{session.public_id}", {"model": "m/mute"}, expect=400),
        api.error("post", f"/projects/{site.project.public_id}/sessions", {"model": "m/mute"}, expect=400),
        api.error("put", f"{team}/models", {"default_model": "m/mute"}, expect=400),
        api.error("post", f"{team}/agents", {"name": "helper", "document": {"model": "m/mute"}}, expect=400),
    ]
    assert {error["message"].partition(",")[0] for error in refused} == {"The model 'm/mute' cannot call tools"}
    assert api("put", f"{team}/models", {"small_model": "m/mute"})["small"] == "m/mute"


def test_the_variant_of_a_command_applies_to_its_turn(site: SessionSite) -> None:
    scripts = models(site, thinks=["low", "high"])
    model = f"house/{scripts['thinks'].model}"
    document = {"command": {"ponder": {"template": "Ponder.", "model": model, "variant": "high"}}}
    api = RestApi(site.user)
    made = api("post", f"/projects/{site.project.public_id}/sessions", {"config": document}, expect=201)
    session = Session.objects.select_related("project", "workspace").by_public_id(made["id"])
    outcome = run_command(actor=site.user, session=session, name="ponder")
    assert outcome.turn is not None
    site.pump.run()
    assert site.answers(outcome.turn)[-1].effort == "high"
