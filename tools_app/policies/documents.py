"""What a policy says, as a document: the shape that the API takes, the database keeps and admins edit."""

from collections.abc import Sequence
from typing import Any, Final, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from tools_app.permission.model import Action, Rule, expand_home
from tools_app.permission.presets import HOME
from tools_app.text import is_clean
from tools_app.truncate import MAX_BYTES, MAX_LINES

Approvers = Literal["member", "starter", "admin", "two_people"]
Scope = Literal["session", "project", "team"]

APPROVERS: Final[tuple[Approvers, ...]] = ("member", "starter", "admin", "two_people")
"""From the loosest to the strictest. `member`: whoever may answer in the team. `starter`: the person who started the
turn, or an admin. `admin`: an admin. `two_people`: two different people who may answer, and nobody alone."""

GRANTERS: Final = ("member", "admin", "nobody")
"""Who may give an "always" of a scope, from the loosest to the strictest."""

DEFAULT_WAIT_HOURS: Final = 24.0  # permissions.md: nothing waits for ever
DEFAULT_SUBAGENT_DEPTH: Final = 1  # tools.md: a sub-agent starts none of its own
MOST_RULES: Final = 500
LONGEST_PATTERN: Final = 2000
LONGEST_COMMANDS: Final = 100_000  # characters of all expected commands together: each is analysed on every save


class _Document(BaseModel):
    model_config = ConfigDict(extra="forbid", json_schema_serialization_defaults_required=True)


class RuleDocument(_Document):
    """A rule as in the engine. `~` and `$HOME` at a pattern's start mean the sandbox user's home."""

    permission: str = Field(min_length=1, max_length=100)
    pattern: str = Field(default="*", min_length=1, max_length=LONGEST_PATTERN)
    action: Action

    @field_validator("permission", "pattern")
    @classmethod
    def _clean(cls, value: str) -> str:
        if not is_clean(value):
            raise ValueError("a text holds a NUL or half of a character")
        return value

    def rule(self) -> Rule:
        return Rule(self.permission, expand_home(self.pattern, HOME), self.action)

    @classmethod
    def of(cls, rule: Rule) -> Self:
        return cls(permission=rule.permission, pattern=rule.pattern, action=rule.action)


class Loosenable(_Document):
    """What a project file, which comes with the repository, may allow although the rules above it do not."""

    permission: str = Field(min_length=1, max_length=100)
    pattern: str = Field(default="*", min_length=1, max_length=LONGEST_PATTERN)

    @property
    def expanded(self) -> tuple[str, str]:
        return self.permission, expand_home(self.pattern, HOME)


class Granters(_Document):
    """Who may give an "always" of each scope; None leaves it to the places above."""

    session: Literal["member", "admin", "nobody"] | None = None
    project: Literal["member", "admin", "nobody"] | None = None
    team: Literal["member", "admin", "nobody"] | None = None


class SandboxOptions(_Document):
    """What a workspace may use. Of several policies the smallest number holds; None says nothing.

    `disk_mib` and `inodes` hold for its files and the home together, `open_files` for each process, `output_mib` and
    `wall_seconds` for each command. `workspaces` is how many a team may have, `idle_minutes` after how long without
    work one is stopped, `keep_days` how long a removed one can be taken back. `runtime` is the OCI runtime; the highest
    place that names one decides, and whether a node has it shows when a workspace starts there.
    """

    memory_mib: int | None = Field(default=None, ge=128, le=1_048_576)
    cpus: float | None = Field(default=None, ge=0.1, le=256, allow_inf_nan=False)
    pids: int | None = Field(default=None, ge=32, le=1_000_000)
    tmp_mib: int | None = Field(default=None, ge=1, le=1_048_576)
    disk_mib: int | None = Field(default=None, ge=64, le=104_857_600)
    inodes: int | None = Field(default=None, ge=1_000, le=1_000_000_000)
    open_files: int | None = Field(default=None, ge=64, le=1_048_576)
    output_mib: int | None = Field(default=None, ge=1, le=1_024)
    wall_seconds: int | None = Field(default=None, ge=1, le=604_800)
    background_calls: int | None = Field(default=None, ge=0, le=100)
    workspaces: int | None = Field(default=None, ge=1, le=100_000)
    idle_minutes: int | None = Field(default=None, ge=1, le=43_200)
    keep_days: int | None = Field(default=None, ge=0, le=365)
    runtime: str | None = Field(default=None, pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$")


class ToolOutput(_Document):
    """How much of a tool's output a model reads at once: lines, and bytes of UTF-8. Of several policies the smallest
    number holds; None says nothing."""

    lines: int | None = Field(default=None, ge=50, le=MAX_LINES)
    bytes: int | None = Field(default=None, ge=2_000, le=MAX_BYTES)


class Options(_Document):
    """Of several policies the strictest value holds; None says nothing. `wait_hours` is how long a request or question
    waits for a person before it is denied with a reason. `subagent_depth` is how deep sub-agents may start further
    ones: 0 allows none at all, 1 none below the first. `public_share_links`: people may make links with which anybody
    reads a session; there are none unless a policy allows them, and none where one forbids them. `loosenable` counts
    only in the team's policy."""

    approvers: Approvers | None = None
    public_share_links: bool | None = None
    wait_hours: float | None = Field(default=None, gt=0, le=24 * 30)
    subagent_depth: int | None = Field(default=None, ge=0, le=5)
    always: Granters = Field(default_factory=Granters)
    loosenable: list[Loosenable] = Field(default_factory=list, max_length=MOST_RULES)
    sandbox: SandboxOptions = Field(default_factory=SandboxOptions)
    tool_output: ToolOutput = Field(default_factory=ToolOutput)


class Expectation(_Document):
    """A call and the answer that it must get; checked whenever the policy is saved.

    Either `permission` with a concrete `pattern`, or `command`: a bash command, judged with everything it touches.
    """

    expect: Action
    permission: str = Field(default="bash", min_length=1, max_length=100)
    pattern: str = Field(default="", max_length=LONGEST_PATTERN)
    command: str = Field(default="", max_length=10_000)
    agent: str = Field(default="build", min_length=1, max_length=64)
    note: str = Field(default="", max_length=500)

    @model_validator(mode="after")
    def _names_one_call(self) -> Self:
        if bool(self.pattern) == bool(self.command):
            raise ValueError("give either a command, or a pattern with its permission")
        if self.command and self.permission != "bash":
            raise ValueError("a command is judged with the permission bash")
        return self


class PolicyDocument(_Document):
    preset: Literal["", "cautious", "balanced", "autonomous"] = ""
    rules: list[RuleDocument] = Field(default_factory=list, max_length=MOST_RULES)
    enforced: list[RuleDocument] = Field(default_factory=list, max_length=MOST_RULES)
    options: Options = Field(default_factory=Options)
    expectations: list[Expectation] = Field(default_factory=list, max_length=200)

    @field_validator("expectations")
    @classmethod
    def _bounded(cls, value: list[Expectation]) -> list[Expectation]:
        if sum(len(item.command) for item in value) > LONGEST_COMMANDS:
            raise ValueError(f"the commands together have more than {LONGEST_COMMANDS:,} characters")
        return value


def rules_of(documents: Sequence[RuleDocument]) -> tuple[Rule, ...]:
    return tuple(document.rule() for document in documents)


def stored(rows: Any) -> PolicyDocument:
    """The document in a version's columns (anything with preset, rules, enforced, options, expectations)."""
    return PolicyDocument(
        preset=rows.preset,
        rules=rows.rules,
        enforced=rows.enforced,
        options=rows.options,
        expectations=rows.expectations,
    )
