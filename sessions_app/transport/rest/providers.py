"""REST endpoints: a team's providers, and the models that teams and projects may use."""

from asgiref.sync import sync_to_async
from django.http import HttpRequest
from ninja import Router, Status

from agentsite.base.errors import BadInput, Missing
from agentsite.base.pagination import Page, paginate
from agentsite.tenancy.access import can, require
from agentsite.tenancy.actions import providers as actions
from agentsite.tenancy.actions.model_choices import Choice, choose_models
from agentsite.tenancy.authentication import current_user
from agentsite.tenancy.available_models import menu_of
from agentsite.tenancy.models import ModelChoice, Project, Provider, Team
from agentsite.tenancy.provider_kinds import KINDS
from agentsite.tenancy.roles import Act
from agentsite.tenancy.sign_in_clients import require_sign_in
from sessions_app.llm.catalogue import known_models
from sessions_app.model_endpoints import ModelNotOffered, require_tools
from sessions_app.queries.provider_check import request_check, request_models, request_sign_in
from sessions_app.transport.rest import provider_schemas as shapes

router = Router(tags=["providers"])


@router.get("/provider-kinds", response=shapes.ProviderKinds, operation_id="list_provider_kinds")
def list_kinds(request: HttpRequest) -> shapes.ProviderKinds:
    """List the supported kinds of providers and the settings that each needs."""
    return shapes.kinds_view(KINDS.values())


@router.get("/provider-kinds/{kind}/models", response=shapes.KnownModels, operation_id="list_known_models")
def list_known_models(request: HttpRequest, kind: str) -> shapes.KnownModels:
    """List the models of a kind of provider that this site knows, with context sizes, prices and abilities. A provider
    may offer more. Models that cannot call tools are left out."""
    found = KINDS.get(kind)
    if found is None:
        raise Missing(f"There is no kind of provider '{kind[:60]}'.", hint="List the kinds under `/provider-kinds`.")
    return shapes.KnownModels(items=[shapes.KnownModel.of(name, facts) for name, facts in known_models(found).items()])


@router.get("/teams/{team_id}/providers", response=Page[shapes.ProviderView], operation_id="list_providers")
def list_providers(
    request: HttpRequest, team_id: str, cursor: str | None = None, limit: int = 50
) -> Page[shapes.ProviderView]:
    """List the team's providers. Only people who manage providers may use this; the list of models for everybody is
    under `/models`."""
    team = _managed_team(request, team_id)
    rows = Provider.objects.visible_to(current_user(request)).filter(team=team).select_related("key_set_by")
    page = paginate(rows, cursor=cursor, limit=limit)
    return Page[shapes.ProviderView].of(page, shapes.ProviderView.of)


@router.post("/teams/{team_id}/providers", response={201: shapes.ProviderView}, operation_id="create_provider")
def post_provider(request: HttpRequest, team_id: str, payload: shapes.NewProvider) -> Status[shapes.ProviderView]:
    """Add a provider of models to a team."""
    row = actions.create_provider(
        actor=current_user(request),
        team=_managed_team(request, team_id),
        slug=payload.slug,
        document=payload.document(),
        key=payload.key,
        headers=payload.headers,
    )
    return Status(201, shapes.ProviderView.of(row))


@router.get("/providers/{provider_id}", response=shapes.ProviderView, operation_id="get_provider")
def get_provider(request: HttpRequest, provider_id: str) -> shapes.ProviderView:
    """Return one provider. Its key is never included."""
    return shapes.ProviderView.of(_managed(request, provider_id))


@router.put("/providers/{provider_id}", response=shapes.ProviderView, operation_id="update_provider")
def put_provider(request: HttpRequest, provider_id: str, payload: shapes.ProviderChange) -> shapes.ProviderView:
    """Replace the settings of a provider, except its key."""
    row = actions.change_provider(
        actor=current_user(request),
        provider=_managed(request, provider_id),
        document=payload.document(),
        headers=payload.headers,
        base_version=payload.base_version,
    )
    return shapes.ProviderView.of(row)


@router.delete("/providers/{provider_id}", response={204: None}, operation_id="delete_provider")
def delete_provider(request: HttpRequest, provider_id: str) -> Status[None]:
    """Delete a provider. Sessions that use one of its models report an error at their next step; choose another model
    for them."""
    actions.remove_provider(actor=current_user(request), provider=_managed(request, provider_id))
    return Status(204, None)


@router.put("/providers/{provider_id}/key", response=shapes.ProviderView, operation_id="replace_provider_key")
def put_key(request: HttpRequest, provider_id: str, payload: shapes.NewKey) -> shapes.ProviderView:
    """Set the provider's API key. It is encrypted at once and can never be read again, not even by you."""
    provider = _managed(request, provider_id)
    return shapes.ProviderView.of(actions.replace_key(actor=current_user(request), provider=provider, key=payload.key))


@router.delete("/providers/{provider_id}/key", response=shapes.ProviderView, operation_id="delete_provider_key")
def delete_key(request: HttpRequest, provider_id: str) -> shapes.ProviderView:
    """Delete the provider's API key."""
    provider = _managed(request, provider_id)
    return shapes.ProviderView.of(actions.remove_key(actor=current_user(request), provider=provider))


@router.post("/providers/{provider_id}/test", response=shapes.ProviderReport, operation_id="test_provider")
async def post_test(request: HttpRequest, provider_id: str, payload: shapes.ProviderTest) -> shapes.ProviderReport:
    """Test the provider: connect, list its models and send a very short prompt to one of them, which costs a little."""
    provider = await sync_to_async(_managed)(request, provider_id)
    await sync_to_async(actions.begin_test)(actor=current_user(request), provider=provider)
    return shapes.ProviderReport.of(await request_check(provider.pk, payload.model))


@router.post("/providers/{provider_id}/find-models", response=shapes.FoundModels, operation_id="find_provider_models")
async def post_find_models(request: HttpRequest, provider_id: str) -> shapes.FoundModels:
    """Ask the provider for its models, with their sizes and abilities if the provider reports them. Nothing is changed:
    add the models that you want to the provider's `models`."""
    provider = await sync_to_async(_managed)(request, provider_id)
    if not KINDS[provider.kind].lists_models:
        raise BadInput(
            "This kind of provider does not list its models.",
            hint="Choose from the models that the site knows for this kind, or enter their names.",
        )
    await sync_to_async(actions.begin_test)(actor=current_user(request), provider=provider)
    return shapes.FoundModels.of(provider, await request_models(provider.pk))


@router.post("/providers/{provider_id}/sign-in", response=shapes.ProviderSignIn, operation_id="begin_provider_sign_in")
async def post_sign_in(request: HttpRequest, provider_id: str) -> shapes.ProviderSignIn:
    """Begin to sign in at the provider with OAuth's device flow, for kinds with `signs_in`. The provider gets its key
    when a person has entered the displayed code at the provider's address."""
    return await _sign_in(request, provider_id, begin=True)


@router.post(
    "/providers/{provider_id}/sign-in/check", response=shapes.ProviderSignIn, operation_id="check_provider_sign_in"
)
async def check_sign_in(request: HttpRequest, provider_id: str) -> shapes.ProviderSignIn:
    """Return the state of the sign-in that was begun last. If it is complete, the provider's key is replaced."""
    return await _sign_in(request, provider_id, begin=False)


async def _sign_in(request: HttpRequest, provider_id: str, *, begin: bool) -> shapes.ProviderSignIn:
    provider, actor = await sync_to_async(_managed)(request, provider_id), current_user(request)
    require_sign_in(KINDS[provider.kind])
    await sync_to_async(actions.begin_test)(actor=actor, provider=provider)
    return shapes.ProviderSignIn(**await request_sign_in(provider.pk, begin=begin, actor_id=actor.pk))


@router.get("/teams/{team_id}/models", response=shapes.ModelMenu, operation_id="list_team_models")
def list_team_models(request: HttpRequest, team_id: str) -> shapes.ModelMenu:
    """List every model of the team, including those that may not be used."""
    return _menu(request, Team.objects.visible_to(current_user(request)).by_public_id(team_id), None)


@router.put("/teams/{team_id}/models", response=shapes.ModelMenu, operation_id="choose_team_models")
def put_team_models(request: HttpRequest, team_id: str, payload: shapes.ModelChoiceChange) -> shapes.ModelMenu:
    """Set the team's default models, and the models that may be used."""
    team = Team.objects.visible_to(current_user(request)).by_public_id(team_id)
    return _choose(request, team, None, payload)


@router.get("/projects/{project_id}/models", response=shapes.ModelMenu, operation_id="list_project_models")
def list_project_models(request: HttpRequest, project_id: str) -> shapes.ModelMenu:
    """List every model of the project, including models that may not be used."""
    project = _project(request, project_id)
    return _menu(request, project.team, project)


@router.put("/projects/{project_id}/models", response=shapes.ModelMenu, operation_id="choose_project_models")
def put_project_models(request: HttpRequest, project_id: str, payload: shapes.ModelChoiceChange) -> shapes.ModelMenu:
    """Set the project's default models and its allowed models. A project can restrict the models that its team allows,
    never extend them."""
    project = _project(request, project_id)
    return _choose(request, project.team, project, payload)


def _managed_team(request: HttpRequest, team_id: str) -> Team:
    user = current_user(request)
    team = Team.objects.visible_to(user).by_public_id(team_id)
    require(user, Act.MANAGE_PROVIDERS, team_id=team.pk)
    return team


def _managed(request: HttpRequest, provider_id: str) -> Provider:
    user = current_user(request)
    row = Provider.objects.visible_to(user).select_related("key_set_by").by_public_id(provider_id)
    require(user, Act.MANAGE_PROVIDERS, team_id=row.team_id)
    return row


def _project(request: HttpRequest, project_id: str) -> Project:
    rows = Project.objects.visible_to(current_user(request)).select_related("team")
    return rows.by_public_id(project_id)


def _menu(request: HttpRequest, team: Team, project: Project | None) -> shapes.ModelMenu:
    act = Act.MANAGE_PROVIDERS if project is None else Act.MANAGE_PROJECT
    own = ModelChoice.objects.filter(place=(project or team).public_id).first()
    menu = menu_of(team.pk, project.pk if project else None)
    return shapes.ModelMenu.of(menu, own, can_edit=can(current_user(request), act, team_id=team.pk))


def _choose(
    request: HttpRequest, team: Team, project: Project | None, payload: shapes.ModelChoiceChange
) -> shapes.ModelMenu:
    choice = Choice(payload.default_model, payload.small_model, payload.blocked, payload.only, payload.fallbacks)
    version = payload.base_version
    _check_tools(team, project, payload)
    choose_models(actor=current_user(request), team=team, project=project, choice=choice, base_version=version)
    return _menu(request, team, project)


def _check_tools(team: Team, project: Project | None, payload: shapes.ModelChoiceChange) -> None:
    """Raise BadInput if the default model or a fallback model is known not to call tools, because agents would use it.
    The small model is not checked."""
    models = menu_of(team.pk, project.pk if project else None).models
    chosen = {"default_model": [payload.default_model], "fallbacks": payload.fallbacks}
    for field, names in chosen.items():
        for found in (models[name] for name in names if name in models):
            try:
                require_tools(found)
            except ModelNotOffered as error:
                raise BadInput(error.message, hint=error.hint, fields={field: "cannot call tools"}) from None
