"""The configuration document: every key of OpenCode that this site understands, with the type of the key's value.
Pure."""

from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from sessions_app.configuration.reasons import reason_of
from tools_app.text import is_clean

MAX_TEXT_CHARACTERS: Final = 32_768  # of one text, such as the template of a command
MAX_NAMES: Final = 200  # agents, commands, providers or servers of one document
MAX_ENTRIES: Final = 500  # of a list
MAX_TOKENS: Final = 10_000_000


def _clean(value: str) -> str:
    if not is_clean(value):
        raise ValueError("it contains a NUL or an incomplete character")
    return value


Text = Annotated[str, Field(strict=True, max_length=MAX_TEXT_CHARACTERS), AfterValidator(_clean)]
Name = Annotated[str, Field(strict=True, min_length=1, max_length=200), AfterValidator(_clean)]
Flag = Annotated[bool, Field(strict=True)]
Count = Annotated[int, Field(strict=True, ge=0, le=MAX_TOKENS)]
Names = Annotated[list[Text], Field(max_length=MAX_ENTRIES)]
Record = Annotated[dict[Name, dict[str, Any]], Field(max_length=MAX_NAMES)]


class _Block(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Command(_Block):
    """A command of the prompt box. `template` is the prompt for the agent; see `configuration.templates`."""

    template: Text
    description: Text | None = None
    agent: Name | None = None
    model: Name | None = None
    variant: Name | None = None
    subtask: Flag | None = None


class Compaction(_Block):
    auto: Flag | None = None
    prune: Flag | None = None
    tail_turns: Count | None = None
    preserve_recent_tokens: Count | None = None
    reserved: Count | None = None


class ToolOutput(_Block):
    max_lines: Annotated[int, Field(strict=True, ge=1)] | None = None
    max_bytes: Annotated[int, Field(strict=True, ge=1)] | None = None


class Skills(_Block):
    paths: Names | None = None
    urls: Names | None = None


class Watcher(_Block):
    ignore: Names | None = None


class Experimental(_Block):
    disable_paste_summary: Flag | None = None
    batch_tool: Flag | None = None
    openTelemetry: Flag | None = None  # noqa: N815 - the key's name
    primary_tools: Names | None = None
    continue_loop_on_deny: Flag | None = None
    mcp_timeout: Annotated[int, Field(strict=True, ge=1)] | None = None
    policies: list[Any] | None = None


class Formatter(_Block):
    disabled: Flag | None = None
    command: Names | None = None
    environment: dict[Name, Text] | None = None
    extensions: Names | None = None


class LanguageServer(_Block):
    disabled: Flag | None = None
    command: Names | None = None
    extensions: Names | None = None
    env: dict[Name, Text] | None = None
    initialization: dict[str, Any] | None = None


class Configuration(_Block):
    """A configuration document. Every key is optional. Keys that do not apply on a server are parsed too, so that each
    can be reported with the reason."""

    schema_: Text | None = Field(default=None, alias="$schema")
    model: Name | None = None
    small_model: Name | None = None
    default_agent: Name | None = None
    agent: Record | None = None
    mode: Record | None = None
    provider: Record | None = None
    disabled_providers: Names | None = None
    enabled_providers: Names | None = None
    permission: Literal["allow", "ask", "deny"] | dict[str, Any] | None = None
    tools: dict[Name, Flag] | None = None
    command: Annotated[dict[Name, Command], Field(max_length=MAX_NAMES)] | None = None
    instructions: Names | None = None
    skills: Skills | None = None
    mcp: Record | None = None
    formatter: Flag | dict[Name, Formatter] | None = None
    lsp: Flag | dict[Name, LanguageServer] | None = None
    compaction: Compaction | None = None
    tool_output: ToolOutput | None = None
    snapshot: Flag | None = None
    watcher: Watcher | None = None
    share: Literal["manual", "auto", "disabled"] | None = None
    autoshare: Flag | None = None
    username: Name | None = None
    shell: Name | None = None
    subagent_depth: Annotated[int, Field(strict=True, ge=0, le=100)] | None = None
    experimental: Experimental | None = None
    plugin: Annotated[list[Any], Field(max_length=MAX_ENTRIES)] | None = None
    references: dict[Name, Any] | None = None
    attachment: dict[str, Any] | None = None
    enterprise: dict[str, Any] | None = None
    server: dict[str, Any] | None = None
    logLevel: Literal["DEBUG", "INFO", "WARN", "ERROR"] | None = None  # noqa: N815 - the key's name
    autoupdate: Flag | Literal["notify"] | None = None
    layout: Name | None = None
    theme: Text | None = None
    keybinds: dict[str, Any] | None = None
    tui: dict[str, Any] | None = None


NAMES: Final = tuple(field.alias or name for name, field in Configuration.model_fields.items())
"""Every key that is understood."""

NESTED: Final[Mapping[str, type[BaseModel]]] = {
    "compaction": Compaction, "tool_output": ToolOutput, "skills": Skills, "watcher": Watcher,
    "experimental": Experimental,
}  # fmt: skip
"""Keys whose fields are known and read one by one: a wrong field does not affect the others."""

BY_NAME: Final = ("agent", "mode", "provider", "command", "mcp")
"""Keys that hold named entries, which are read one by one."""


def value_problem(name: str, value: Any) -> str:
    """Return why the value of a top-level key cannot be used, as a sentence; "" if it can."""
    try:
        Configuration.model_validate({name: value})
    except ValidationError as error:
        place = ".".join(str(step) for step in error.errors(include_input=False)[0]["loc"][1:] if step in _steps(value))
        return f"{f'`{place[:100]}`: ' if place else ''}{reason_of(error)}"
    except RecursionError as error:
        return reason_of(error)
    return ""


def field_problem(name: str, field: str, value: Any) -> str:
    """Return why a field of a key in `NESTED` cannot be used; "" if it can."""
    return value_problem(name, {field: value})


def _steps(value: Any) -> set[Any]:
    """Return all names and indexes on the paths to values inside `value`. pydantic also adds type names to the location
    of an error; these are not in the result."""
    if isinstance(value, dict):
        return {step for name, item in value.items() for step in (name, *_steps(item))}
    return set(range(len(value))) if isinstance(value, list) else set()
