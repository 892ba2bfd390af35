"""Base classes and shared parts of the API schemas."""

from pydantic import BaseModel, ConfigDict


class View(BaseModel):
    model_config = ConfigDict(extra="forbid", json_schema_serialization_defaults_required=True)


class ErrorView(View):
    code: str
    message: str
    hint: str


class TokensView(View):
    input: int = 0
    output: int = 0
    reasoning: int = 0
    cache_read: int = 0
    cache_write: int = 0


class PersonView(View):
    id: str
    email: str
    name: str
