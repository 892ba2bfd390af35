"""REST endpoints of the table of models: return its models, and read it again from its address."""

from datetime import datetime
from typing import Final, Self

from django.conf import settings
from django.http import HttpRequest
from ninja import Router, Schema, Status

from agentsite.base.errors import BadInput
from agentsite.tenancy.authentication import current_user
from sessions_app.actions.model_table import find_table, request_table, take_over_table, use_bundled_table
from sessions_app.llm.catalogue import ListedModel, providers_of_table, search_models
from sessions_app.llm.model_table import bundled_version
from sessions_app.transport.rest.provider_schemas import KnownModel

MAX_LIMIT: Final = 200
router = Router(tags=["providers"])


class TableModel(KnownModel):
    """A model of the table, under litellm's name. `calls_tools` is null if the table does not say; agents cannot work
    with a model that cannot call tools. `efforts` are the reasoning efforts that the model accepts. `caches`: parts of
    a request that are in the provider's cache cost less."""

    provider: str
    calls_tools: bool | None
    efforts: list[str]
    caches: bool

    @classmethod
    def listed(cls, model: ListedModel) -> Self:
        facts = model.facts
        return cls(
            **KnownModel.of(model.name, facts).dict(), provider=model.provider, calls_tools=facts.calls_tools,
            efforts=list(facts.efforts), caches=facts.caches,
        )  # fmt: skip


class TableProvider(Schema):
    name: str
    models: int


class ModelTableView(Schema):
    """The table in use. If `read_at` is null, it is the table of the litellm package in the version `bundled_version`;
    otherwise it was read at `address`. `problem` says why the last attempt, at `tried_at`, failed; it is empty
    otherwise. `can_refresh`: you may request to read it again."""

    bundled_version: str
    models: int
    providers: list[TableProvider]
    read_at: datetime | None
    address: str
    tried_at: datetime | None
    problem: str
    can_refresh: bool


class TableModels(Schema):
    """Models of the table. `total` is the number of models that match."""

    items: list[TableModel]
    next_cursor: str | None
    total: int


@router.get("/model-table", response=ModelTableView, operation_id="get_model_table")
def get_model_table(request: HttpRequest) -> ModelTableView:
    """Return the source of the table of models in use, the time when it was read, and its providers."""
    take_over_table()
    return _view(request)


@router.get("/model-table/models", response=TableModels, operation_id="search_model_table")
def search_model_table(
    request: HttpRequest, search: str = "", provider: str = "", cursor: str | None = None, limit: int = 50
) -> TableModels:
    """Search the table of models by words of the name or provider. `cursor` is the name of the last model of the
    previous page."""
    if not 1 <= limit <= MAX_LIMIT:
        raise BadInput("The page size is out of range.", fields={"limit": f"must be between 1 and {MAX_LIMIT}"})
    found = search_models(search[:200], provider)
    rest = found if cursor is None else [model for model in found if model.name > cursor]
    shown = rest[:limit]
    return TableModels(
        items=[TableModel.listed(model) for model in shown],
        next_cursor=shown[-1].name if len(rest) > limit else None,
        total=len(found),
    )


@router.post("/model-table/refresh", response={202: ModelTableView}, operation_id="refresh_model_table")
def refresh_model_table(request: HttpRequest) -> Status[ModelTableView]:
    """Request to read the table of models from litellm's address. For operators only. `tried_at` changes after the
    attempt; if the attempt fails, the table in use stays."""
    request_table(actor=current_user(request))
    return Status(202, _view(request))


@router.delete("/model-table", response=ModelTableView, operation_id="reset_model_table")
def reset_model_table(request: HttpRequest) -> ModelTableView:
    """Use the table of the litellm package again. For operators only."""
    use_bundled_table(actor=current_user(request))
    return _view(request)


def _view(request: HttpRequest) -> ModelTableView:
    row, providers = find_table(), providers_of_table()
    return ModelTableView(
        bundled_version=bundled_version(),
        models=sum(providers.values()),
        providers=[TableProvider(name=name, models=count) for name, count in providers.items()],
        read_at=row.read_at if row else None,
        address=row.address if row else "",
        tried_at=row.tried_at if row else None,
        problem=row.problem if row else "",
        can_refresh=current_user(request).runs_site and bool(settings.MODEL_TABLE_URL),
    )
