"""API schemas of providers and models."""

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime
from decimal import Decimal
from typing import Annotated, Any, Final, Literal, Self

from ninja import Field, Schema

from agentsite.base.ids import to_public
from agentsite.http.request_body import RequestBody
from agentsite.tenancy.available_models import Menu, MenuModel
from agentsite.tenancy.models import ModelChoice, Provider
from agentsite.tenancy.provider_document import Line, ProviderDocument, ProviderModel
from agentsite.tenancy.provider_kinds import KINDS, ProviderKind
from agentsite.tenancy.sign_in_clients import sign_in_problem
from sessions_app.llm.port import ModelEndpoint
from sessions_app.llm.prices import ModelFacts, model_facts
from sessions_app.model_endpoints import provider_endpoint, site_endpoint

_MILLION: Final = Decimal(1_000_000)
ProviderState = Literal["unknown", "ok", "failing"]
ModelId = Annotated[Line, Field(max_length=250)]


class ProviderKindView(Schema):
    """A supported kind of provider. `options` are the names of the additional settings that it requires. If
    `wants_address` is true, the team must give a `base_url`, such as `example`. `key_form` says what the key is: a line
    of text, or the JSON key file of a Google service account. If `signs_in` is true, people can sign in with a code
    instead, unless `sign_in_problem` says why they cannot."""

    name: str
    title: str
    base_url: str
    wants_address: bool
    example: str
    needs_key: bool
    key_form: Literal["key", "service_account"]
    signs_in: bool
    sign_in_problem: str
    lists_models: bool
    options: list[str]

    @classmethod
    def of(cls, kind: ProviderKind) -> Self:
        return cls(
            name=kind.name, title=kind.title, base_url=kind.base_url, wants_address=kind.wants_address,
            example=kind.example, needs_key=kind.needs_key, key_form=kind.key_form, signs_in=kind.signs_in,
            sign_in_problem=sign_in_problem(kind), lists_models=kind.lists_models,
            options=[name for name, _ in kind.options],
        )  # fmt: skip


class ProviderKinds(Schema):
    items: list[ProviderKindView]


class KnownModel(Schema):
    """A model that the site knows. `context` and `max_output` are in tokens, prices are decimal numbers in US dollars
    per million tokens; null means unknown."""

    name: str
    context: int | None
    max_output: int | None
    input_price: str | None
    output_price: str | None
    sees_images: bool
    sees_pdf: bool
    reasons: bool

    @classmethod
    def of(cls, name: str, facts: ModelFacts) -> Self:
        price = facts.tiers[0] if facts.tiers else None
        return cls(
            name=name, context=facts.context, max_output=facts.max_output,
            input_price=_per_million(price.input) if price else None,
            output_price=_per_million(price.output) if price else None,
            sees_images=facts.sees_images, sees_pdf=facts.sees_pdf, reasons=facts.reasons,
        )  # fmt: skip


class KnownModels(Schema):
    items: list[KnownModel]


class FoundModel(KnownModel):
    """A model that a provider lists. Facts that the provider does not report are taken from the site's table of models.
    `entry` is the entry to add to the `models` of the provider; it has only facts that the provider reports. `is_added`
    is true if the `models` of the provider have this name. No agent can use a model whose `calls_tools` is false; null
    means unknown."""

    calls_tools: bool | None
    is_added: bool
    entry: ProviderModel

    @classmethod
    def found(cls, row: Provider, told: dict[str, Any]) -> Self:
        entry = ProviderModel(
            name=told["name"], context=told["context"] or 0, max_output=told["max_output"] or 0,
            sees=_sees(told["sees_images"]), calls_tools=told["calls_tools"],
        )  # fmt: skip
        facts = model_facts(provider_endpoint(row, entry.model_dump(mode="json")))
        shown = KnownModel.of(entry.name, replace(facts, reasons=facts.reasons or bool(told["reasons"])))
        is_added = any(entry.name == each["name"] for each in row.model_list)
        return cls(**shown.model_dump(), calls_tools=facts.calls_tools, is_added=is_added, entry=entry)


def _sees(images: bool | None) -> list[Literal["images", "pdf"]] | None:
    if images is None:
        return None
    return ["images"] if images else []


class ProviderKeyView(Schema):
    """The provider's API key, which is never shown. `ending` are its last characters; it is empty for a short key."""

    ending: str
    set_by: str
    set_at: datetime | None


class ProviderProblem(Schema):
    code: str
    message: str
    hint: str


class ProviderView(Schema):
    """A team's provider. `state` is the outcome of the last model calls; `problem` says why these failed. `key` is null
    if no key is stored."""

    id: str
    team_id: str
    slug: str
    name: str
    kind: str
    base_url: str
    options: dict[str, str]
    enabled: bool
    key: ProviderKeyView | None
    header_names: list[str]
    models: list[ProviderModel]
    timeout_seconds: int | None
    retries: int | None
    state: ProviderState
    problem: ProviderProblem | None
    state_at: datetime | None
    version: int
    created_at: datetime
    changed_at: datetime

    @classmethod
    def of(cls, row: Provider) -> Self:
        return cls(
            id=row.public_id,
            team_id=to_public("tea", row.team_id),
            slug=row.slug,
            name=row.name,
            kind=row.kind,
            base_url=row.base_url or KINDS[row.kind].base_url,
            options=row.options,
            enabled=row.enabled,
            key=_key_view(row),
            header_names=row.header_names,
            models=row.model_list,
            timeout_seconds=row.timeout_seconds,
            retries=row.retries,
            state=_state(row),
            problem=row.problem,
            state_at=row.state_at,
            version=row.version,
            created_at=row.created_at,
            changed_at=row.changed_at,
        )


class FoundModels(Schema):
    """The models that a provider lists. `others` is the number of models that are left out: those that cannot hold a
    conversation, such as embedding models, and those after the first 500. `problem` says why there is no list."""

    items: list[FoundModel]
    others: int
    problem: ProviderProblem | None

    @classmethod
    def of(cls, row: Provider, answer: dict[str, Any]) -> Self:
        items = [FoundModel.found(row, told) for told in answer["models"]]
        return cls(items=items, others=answer["others"], problem=answer["problem"])


def _state(row: Provider) -> ProviderState:
    state: ProviderState = row.state  # type: ignore[assignment]  # the column's choices are these
    return state


def _key_view(row: Provider) -> ProviderKeyView | None:
    if not row.sealed_key:
        return None
    by = row.key_set_by
    return ProviderKeyView(ending=row.key_ending, set_by=(by.name or by.email) if by else "", set_at=row.key_set_at)


class NewProvider(ProviderDocument):
    """A new provider. `slug` is the prefix of the model names, as in `slug/model`; it cannot be changed later. `key`
    and the values of `headers` are stored encrypted and never shown."""

    slug: str = Field(pattern="^[a-z0-9][a-z0-9-]{0,39}$")
    key: str = Field(default="", max_length=8_000)
    headers: dict[str, str] = Field(default_factory=dict, max_length=20)

    def document(self) -> ProviderDocument:
        return ProviderDocument(**self.model_dump(exclude={"slug", "key", "headers"}))


class ProviderChange(ProviderDocument):
    """New settings of a provider, without the key. If `headers` is null, the headers are kept. A new `base_url` removes
    the key and the headers."""

    headers: dict[str, str] | None = Field(default=None, max_length=20)
    base_version: int | None = Field(default=None, ge=0, le=2**31 - 1)

    def document(self) -> ProviderDocument:
        return ProviderDocument(**self.model_dump(exclude={"headers", "base_version"}))


class NewKey(RequestBody):
    key: str = Field(min_length=1, max_length=8_000)


class PricesView(Schema):
    """The prices of a model in US dollars per million tokens."""

    input: str
    output: str
    cache_read: str
    cache_write: str
    reasoning: str


class OfferedModel(Schema):
    """A model of the team or the site. `id` is the name that sessions and agents use. `refusal` says why the model may
    not be used here; empty if it may. `prices` is null if the prices are unknown, which does not mean free. `context`
    is the context window in tokens, null if unknown. `efforts` are the reasoning efforts that the model accepts, lowest
    first; empty if it accepts none, or they are unknown. `calls_tools` is null if unknown; no agent can use a model
    that cannot call tools."""

    id: str
    name: str
    provider: str
    provider_name: str
    provider_state: ProviderState
    refusal: str
    context: int | None
    prices: PricesView | None
    own_prices: bool
    sees: list[str]
    efforts: list[str]
    calls_tools: bool | None

    @classmethod
    def of(cls, model: MenuModel) -> Self:
        provider = model.provider
        place = site_endpoint(model.id) if provider is None else provider_endpoint(provider, model.declared)
        facts = model_facts(place)
        sees = [name for name, yes in (("images", facts.sees_images), ("pdf", facts.sees_pdf)) if yes]
        return cls(
            id=model.id,
            name=model.name,
            provider=place.provider,
            provider_name=place.provider_name or "This site",
            provider_state="ok" if provider is None else _state(provider),
            refusal=model.refusal,
            context=facts.context,
            prices=_prices_view(place),
            own_prices=place.overrides.prices is not None,
            sees=sees,
            efforts=list(facts.efforts),
            calls_tools=facts.calls_tools,
        )


def _prices_view(place: ModelEndpoint) -> PricesView | None:
    tiers = model_facts(place).tiers
    if not tiers:
        return None
    return PricesView(**{name: _per_million(getattr(tiers[0], name)) for name in PricesView.model_fields})


def _per_million(price: Decimal) -> str:
    return f"{(price * _MILLION).quantize(Decimal('0.000001')).normalize():f}"


class ModelMenu(Schema):
    """The models that may be chosen. `default` and `small` are used if nobody chose a model. `own` is the choice made
    at this level: by the team or the project itself."""

    items: list[OfferedModel]
    default: str
    small: str
    own: "ModelChoiceView"
    can_edit: bool

    @classmethod
    def of(cls, menu: Menu, own: ModelChoice | None, *, can_edit: bool) -> Self:
        return cls(
            items=[OfferedModel.of(model) for model in menu.models.values()],
            default=menu.default,
            small=menu.small,
            own=ModelChoiceView.of(own),
            can_edit=can_edit,
        )


class ModelChoiceFields(Schema):
    """A choice of models. An empty string or list means no choice at this level. `blocked` models are never used; if
    `only` is not empty, no other model may be used. `fallbacks` continue a turn, in this order, after its model has
    failed permanently."""

    default_model: ModelId = ""
    small_model: ModelId = ""
    blocked: list[ModelId] = Field(default_factory=list, max_length=500)
    only: list[ModelId] = Field(default_factory=list, max_length=500)
    fallbacks: list[ModelId] = Field(default_factory=list, max_length=20)


class ModelChoiceView(ModelChoiceFields):
    """The choice of models at one level. `version` is 0 if nothing was ever saved at this level."""

    version: int

    @classmethod
    def of(cls, row: ModelChoice | None) -> Self:
        if row is None:
            return cls(version=0)
        return cls(
            default_model=row.default_model, small_model=row.small_model, blocked=row.blocked, only=row.only,
            fallbacks=row.fallbacks, version=row.version,
        )  # fmt: skip


class ModelChoiceChange(ModelChoiceFields, RequestBody):
    base_version: int | None = Field(default=None, ge=0, le=2**31 - 1)


class CheckView(Schema):
    """One check: what was checked, whether it passed, and what to do if it failed."""

    name: Literal["address", "key", "models", "answer"]
    ok: bool
    message: str
    hint: str


class ProviderReport(Schema):
    """The result of testing a provider. `models` are the names of the models that the provider lists, if it lists
    any."""

    ok: bool
    checks: list[CheckView]
    models: list[str]

    @classmethod
    def of(cls, report: dict[str, Any]) -> Self:
        return cls(**report)


class ProviderTest(RequestBody):
    """A test to run. `model` is the model to test; if it is empty, the provider's first model is tested. Without
    models, only the connection is tested."""

    model: Annotated[Line, Field(max_length=200)] = ""


class ProviderSignIn(Schema):
    """The state of a sign-in. While it is `pending`, people enter `user_code` at `address`; ask for the state again
    after `interval` seconds. `done`: the provider has its key. `failed`: `message` and `hint` say why."""

    state: Literal["pending", "done", "denied", "expired", "failed"]
    user_code: str = ""
    address: str = ""
    interval: int = 5
    expires_at: datetime | None = None
    message: str = ""
    hint: str = ""


def kinds_view(kinds: Iterable[ProviderKind]) -> ProviderKinds:
    return ProviderKinds(items=[ProviderKindView.of(kind) for kind in kinds])
