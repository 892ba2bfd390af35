"""Overrides of an agent by the site, a team, a project or a file: a document whose fields are all optional. Pure."""

import json
import re
from collections.abc import Mapping
from typing import Annotated, Any, Final

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from sessions_app.agent.definitions import MAX_STEPS, Mode, unusable_options
from sessions_app.configuration.reasons import reason_of
from tools_app.policies.documents import MAX_RULES, RuleDocument
from tools_app.text import is_clean

MAX_PROMPT_CHARACTERS: Final = 32_768  # characters; the same limit as for an instruction file
MAX_OPTIONS_CHARACTERS: Final = 10_000  # characters, as JSON
MAX_NAME_CHARACTERS: Final = 64
NAME: Final = re.compile(r"\w[\w.-]*(?:/\w[\w.-]*)*")
COLORS: Final = ("primary", "secondary", "accent", "success", "warning", "error", "info")
_COLOR: Final = rf"^(#[0-9a-fA-F]{{6}}|{'|'.join(COLORS)})$"


def _clean(value: str) -> str:
    if not is_clean(value):
        raise ValueError("it contains a NUL or a lone surrogate")
    return value


def _usable(value: dict[str, Any]) -> dict[str, Any]:
    """Validate an agent's provider options and return them. Raises ValueError if they are too long or cannot be passed
    to a provider."""
    if len(json.dumps(value)) > MAX_OPTIONS_CHARACTERS:
        raise ValueError(f"it has more than {MAX_OPTIONS_CHARACTERS:,} characters")
    if problems := unusable_options(value):
        raise ValueError("; ".join(problems))
    return value


Text = Annotated[str, AfterValidator(_clean)]


class AgentDocument(BaseModel):
    """Overrides of an agent. A field that is omitted or null keeps the value of the other levels.

    `model` is a model of this site ("" is the session's), `variant` the effort of a reasoning model, `steps` the
    maximum of model calls in a turn, `color` `#rrggbb` or a name of the interface's palette, `options` are passed to
    the model's provider, and `permission` is a list of rules, whose last match decides.
    """

    model_config = ConfigDict(extra="forbid")

    description: Text | None = Field(default=None, max_length=2_000)
    mode: Mode | None = None
    model: Text | None = Field(default=None, max_length=200)
    variant: Text | None = Field(default=None, max_length=64)
    prompt: Text | None = Field(default=None, max_length=MAX_PROMPT_CHARACTERS)
    temperature: float | None = Field(default=None, ge=0, le=2, allow_inf_nan=False)
    top_p: float | None = Field(default=None, gt=0, le=1, allow_inf_nan=False)
    steps: int | None = Field(default=None, ge=1, le=MAX_STEPS)
    color: str | None = Field(default=None, pattern=_COLOR)
    hidden: bool | None = None
    disable: bool | None = None
    options: Annotated[dict[str, Any], AfterValidator(_usable)] | None = None
    permission: list[RuleDocument] | None = Field(default=None, max_length=MAX_RULES)

    def set_fields(self) -> dict[str, Any]:
        """Return the fields that are set, as JSON."""
        return self.model_dump(mode="json", exclude_none=True)


def name_problem(name: str) -> str:
    """Return why the name of an agent is invalid, or "" if it is valid."""
    if len(name) > MAX_NAME_CHARACTERS:
        return f"a name has at most {MAX_NAME_CHARACTERS} characters"
    if not NAME.fullmatch(name) or not is_clean(name):
        return "a name may contain letters, digits, '-', '_', '.' and '/', and must begin with a letter or digit"
    return ""


def read_leniently(fields: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """Return an agent's valid fields, and a sentence for each invalid field.

    An invalid field does not affect the others.
    """
    set_fields: dict[str, Any] = {}
    problems = []
    for name, value in fields.items():
        try:
            set_fields |= AgentDocument.model_validate({name: value}).set_fields()
        except (ValidationError, RecursionError) as error:
            problems.append(f"`{name[:60]}`: {reason_of(error)}")
    return set_fields, problems
