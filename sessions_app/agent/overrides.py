"""What somebody says about an agent, whatever the place: a document of fields, each of which may be left out. Pure."""

import json
import re
from collections.abc import Mapping
from typing import Annotated, Any, Final

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from sessions_app.agent.definitions import MOST_STEPS, Mode
from sessions_app.agent.options import unusable_options
from tools_app.policies.documents import MAX_RULES, RuleDocument
from tools_app.text import is_clean

LONGEST_PROMPT: Final = 32_768  # characters; of the same size as an instruction file
LONGEST_OPTIONS: Final = 10_000  # characters, as JSON
LONGEST_NAME: Final = 64
NAME: Final = re.compile(r"\w[\w.-]*(?:/\w[\w.-]*)*")
COLORS: Final = ("primary", "secondary", "accent", "success", "warning", "error", "info")
_COLOR: Final = rf"^(#[0-9a-fA-F]{{6}}|{'|'.join(COLORS)})$"


def _clean(value: str) -> str:
    if not is_clean(value):
        raise ValueError("it holds a NUL or half of a character")
    return value


def _usable(value: dict[str, Any]) -> dict[str, Any]:
    """Raises ValueError for what a provider could not be given."""
    if len(json.dumps(value)) > LONGEST_OPTIONS:
        raise ValueError(f"it has more than {LONGEST_OPTIONS:,} characters")
    if problems := unusable_options(value):
        raise ValueError("; ".join(problems))
    return value


Text = Annotated[str, AfterValidator(_clean)]


class AgentDocument(BaseModel):
    """A field that is left out, or null, says nothing: what other places say about the agent stays.

    `model` is a model of this site ("" is the session's), `variant` how much a model that can think does so, `steps`
    how many model calls a turn may take, `color` `#rrggbb` or one of the interface's names, `options` go to the model's
    provider, `permission` are rules in their order, of which the last that matches decides.
    """

    model_config = ConfigDict(extra="forbid")

    description: Text | None = Field(default=None, max_length=2_000)
    mode: Mode | None = None
    model: Text | None = Field(default=None, max_length=200)
    variant: Text | None = Field(default=None, max_length=64)
    prompt: Text | None = Field(default=None, max_length=LONGEST_PROMPT)
    temperature: float | None = Field(default=None, ge=0, le=2, allow_inf_nan=False)
    top_p: float | None = Field(default=None, gt=0, le=1, allow_inf_nan=False)
    steps: int | None = Field(default=None, ge=1, le=MOST_STEPS)
    color: str | None = Field(default=None, pattern=_COLOR)
    hidden: bool | None = None
    disable: bool | None = None
    options: Annotated[dict[str, Any], AfterValidator(_usable)] | None = None
    permission: list[RuleDocument] | None = Field(default=None, max_length=MAX_RULES)

    def said(self) -> dict[str, Any]:
        """The fields that say something, as JSON."""
        return self.model_dump(mode="json", exclude_none=True)


def name_problem(name: str) -> str:
    """Why an agent cannot be called so; empty when it can."""
    if len(name) > LONGEST_NAME:
        return f"a name has at most {LONGEST_NAME} characters"
    if not NAME.fullmatch(name) or not is_clean(name):
        return "a name is made of letters, digits, '-', '_', '.' and '/', and begins with a letter or digit"
    return ""


def read_leniently(fields: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """What can be understood of these fields, and a sentence for each that cannot: one bad field spoils no other."""
    said: dict[str, Any] = {}
    problems = []
    for name, value in fields.items():
        try:
            said |= AgentDocument.model_validate({name: value}).said()
        except (ValidationError, RecursionError) as error:
            problems.append(f"`{name[:60]}`: {reason_of(error)}")
    return said, problems


def reason_of(error: Exception) -> str:
    """What was wrong, as a short sentence for people."""
    text = str(error).strip().partition("\n")[0]
    if isinstance(error, ValidationError):
        text = str(error.errors(include_url=False, include_context=False, include_input=False)[0]["msg"])
    if isinstance(error, RecursionError):
        text = "it is nested too deeply"
    return f"{text.removeprefix('Value error, ').rstrip('.')[:300]}."
