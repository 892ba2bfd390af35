"""PolicyDocument: the content of a policy, in the form in which admins edit it, the API accepts it and the database
stores it."""

from collections.abc import Sequence
from typing import Annotated, Any, Final, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from tools_app.network.judging import NetworkMode
from tools_app.permission.model import Action, Rule, expand_home
from tools_app.permission.presets import HOME, Incomplete, PresetName
from tools_app.text import is_clean
from tools_app.truncation import MAX_BYTES, MAX_LINES

Approvers = Literal["member", "starter", "admin", "two_people"]
Scope = Literal["session", "project", "team"]

APPROVERS: Final[tuple[Approvers, ...]] = ("member", "starter", "admin", "two_people")
"""Who may answer permission requests, from the loosest value to the strictest.

`member`: everybody in the team who may approve. `starter`: the person who started the turn, or an admin. `admin`: an
admin. `two_people`: two different people who may approve, both of whom must agree.
"""

GRANTERS: Final = ("member", "admin", "nobody")
"""Who may grant an "always" for a scope, from the loosest value to the strictest."""

INCOMPLETE: Final[tuple[Incomplete, ...]] = ("allow", "ask")
"""Decisions about commands that cannot be read completely, from the loosest value to the strictest."""

DEFAULT_WAIT_HOURS: Final = 24.0  # permissions.md: no request waits forever
DEFAULT_SUBAGENT_DEPTH: Final = 1  # tools.md: a sub-agent cannot start further sub-agents
MAX_RULES: Final = 500
MAX_PATTERN_CHARS: Final = 2000
MAX_COMMAND_CHARS: Final = 100_000  # of all expected commands together: each is analysed on every save


class _Document(BaseModel):
    model_config = ConfigDict(extra="forbid", json_schema_serialization_defaults_required=True)


class RuleDocument(_Document):
    """A permission rule. `~` and `$HOME` at the start of `pattern` mean the home directory of the sandbox's user."""

    permission: str = Field(min_length=1, max_length=100)
    pattern: str = Field(default="*", min_length=1, max_length=MAX_PATTERN_CHARS)
    action: Action

    @field_validator("permission", "pattern")
    @classmethod
    def _clean(cls, value: str) -> str:
        if not is_clean(value):
            raise ValueError("the text contains a NUL or an incomplete character")
        return value

    def rule(self) -> Rule:
        return Rule(self.permission, expand_home(self.pattern, HOME), self.action)

    @classmethod
    def of(cls, rule: Rule) -> Self:
        return cls(permission=rule.permission, pattern=rule.pattern, action=rule.action)


class Loosenable(_Document):
    """A permission and a pattern for which project files (which come with the repository) may loosen the policies'
    rules."""

    permission: str = Field(min_length=1, max_length=100)
    pattern: str = Field(default="*", min_length=1, max_length=MAX_PATTERN_CHARS)

    @property
    def expanded(self) -> tuple[str, str]:
        return self.permission, expand_home(self.pattern, HOME)


class Granters(_Document):
    """The least role that may choose "always", for each scope of a grant. Null: the policies above decide."""

    session: Literal["member", "admin", "nobody"] | None = None
    project: Literal["member", "admin", "nobody"] | None = None
    team: Literal["member", "admin", "nobody"] | None = None


ImageName = Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]{1,40}$")]


class SandboxOptions(_Document):
    """Limits of a workspace. If several policies set a limit, the smallest number applies. Null: not set here.

    `disk_mib` and `inodes` apply to the workspace's files and the home directory together, `open_files` to each
    process, `output_mib` and `wall_seconds` to each command. `workspaces` is the number of workspaces that a team may
    have. A workspace is stopped after `idle_minutes` without work, and can be restored for `keep_days` after it was
    removed. `runtime` is the OCI runtime: the highest policy that sets one decides (site, team, project). Whether a
    node has it is checked when a workspace starts there. `network` says what programs in the workspace may connect to,
    from the strictest to the loosest: `none`, `allowlist` (hosts that rules with the permission `egress` allow),
    `packages` (package registries too) or `open`. The strictest of the policies applies; if none sets it, `none`
    applies. `setup_network` is the same for the set-up script of the project; if a policy does not set it, its
    `network` applies to set-up too. `secrets_in_commands`: secret variables may be given to commands of agents; at
    least one policy must allow it, and none may forbid it. `terminals`: people who may decide permission requests may
    open terminals, where no rule asks about or denies what they run; at least one policy must allow it, and none may
    forbid it. `previews`: members may open pages that programs of the workspace serve, unless a policy forbids it.
    `images` are the names of the images that projects may choose; `default` is the site's own. An image must
    be in the list of every policy that has such a list.
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
    network: NetworkMode | None = None
    setup_network: NetworkMode | None = None
    secrets_in_commands: bool | None = None
    terminals: bool | None = None
    previews: bool | None = None
    images: list[ImageName] | None = Field(default=None, max_length=100)


class ToolOutput(_Document):
    """The part of a tool's output that a model gets at once, in lines and in bytes of UTF-8.

    If several policies set a limit, the smallest number applies. A field that is null sets no limit.
    """

    lines: int | None = Field(default=None, ge=50, le=MAX_LINES)
    bytes: int | None = Field(default=None, ge=2_000, le=MAX_BYTES)


HostPattern = Annotated[str, Field(pattern=r"^(\*\.)?[A-Za-z0-9]([A-Za-z0-9.-]{0,250}[A-Za-z0-9])?$", max_length=253)]


class McpOptions(_Document):
    """Options for MCP servers. Null: not set here.

    `repository_hosts` are the hosts of remote servers that a repository may declare, such as `mcp.example.org` or
    `*.example.org`; a host must be in the list of every policy that has such a list, and at least one policy must have
    one. `own_servers`: people may use servers of their own; this is allowed unless a policy forbids it.
    """

    repository_hosts: list[HostPattern] | None = Field(default=None, max_length=100)
    own_servers: bool | None = None


class Options(_Document):
    """Options of a policy. If several policies set an option, the strictest value applies. Null: not set here.

    `wait_hours` is how long a request or question waits for a person before it is denied. `subagent_depth` is the
    number of levels of sub-agents: 0 allows none, 1 no sub-agents of sub-agents. `public_share_links`: people may
    create links with which anybody can read a session; at least one policy must allow them, and none may forbid them.
    `incomplete_commands`: whether a command that cannot be analysed completely runs without asking, if the rules allow
    every command; if it is not set, the preset decides. The parts that were found in such a command are judged like any
    other. `loosenable` lists the rules that project files may loosen; it can only be set in a team's policy.
    """

    approvers: Approvers | None = None
    public_share_links: bool | None = None
    incomplete_commands: Incomplete | None = None
    wait_hours: float | None = Field(default=None, gt=0, le=24 * 30)
    subagent_depth: int | None = Field(default=None, ge=0, le=5)
    always: Granters = Field(default_factory=Granters)
    loosenable: list[Loosenable] = Field(default_factory=list, max_length=MAX_RULES)
    sandbox: SandboxOptions = Field(default_factory=SandboxOptions)
    tool_output: ToolOutput = Field(default_factory=ToolOutput)
    mcp: McpOptions = Field(default_factory=McpOptions)


class Expectation(_Document):
    """A tool call and the action that the policy must result in. It is checked whenever the policy is saved.

    Set either `permission` with a concrete `pattern`, or `command`: a bash command, which is judged with everything
    that it touches.
    """

    expect: Action
    permission: str = Field(default="bash", min_length=1, max_length=100)
    pattern: str = Field(default="", max_length=MAX_PATTERN_CHARS)
    command: str = Field(default="", max_length=10_000)
    agent: str = Field(default="build", min_length=1, max_length=64)
    note: str = Field(default="", max_length=500)

    @model_validator(mode="after")
    def _names_one_call(self) -> Self:
        if bool(self.pattern) == bool(self.command):
            raise ValueError("set either a command, or a permission with a pattern")
        if self.command and self.permission != "bash":
            raise ValueError("the permission of a command must be bash")
        return self


class PolicyDocument(_Document):
    preset: Literal["", PresetName] = ""
    rules: list[RuleDocument] = Field(default_factory=list, max_length=MAX_RULES)
    enforced: list[RuleDocument] = Field(default_factory=list, max_length=MAX_RULES)
    options: Options = Field(default_factory=Options)
    expectations: list[Expectation] = Field(default_factory=list, max_length=200)

    @field_validator("expectations")
    @classmethod
    def _bounded(cls, value: list[Expectation]) -> list[Expectation]:
        if sum(len(item.command) for item in value) > MAX_COMMAND_CHARS:
            raise ValueError(f"all commands together may have at most {MAX_COMMAND_CHARS:,} characters")
        return value


def rules_of(documents: Sequence[RuleDocument]) -> tuple[Rule, ...]:
    return tuple(document.rule() for document in documents)


def stored(rows: Any) -> PolicyDocument:
    """Return the document stored in a row with the columns preset, rules, enforced, options and expectations."""
    return PolicyDocument(
        preset=rows.preset,
        rules=rows.rules,
        enforced=rows.enforced,
        options=rows.options,
        expectations=rows.expectations,
    )
