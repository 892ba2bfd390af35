"""The shapes of explaining, checking and simulating."""

from datetime import datetime
from typing import Any

from ninja import Field, Schema

from sessions_app.events import schema
from sessions_app.queries.simulation import MOST_CALLS
from tools_app.permission.model import Action
from tools_app.policies.documents import PolicyDocument


class MatchView(Schema):
    """Another rule that matched; `limit`: it stands in a limit, not in a preference."""

    rule: schema.RuleView
    layer: str
    limit: bool


class WhyDecision(schema.DecisionView):
    """A decision with every other rule that matched, weakest first."""

    limit: bool
    trace: list[MatchView]


class VersionsView(Schema):
    """The numbers of the policies in force; 0 where nothing was ever saved."""

    site: int
    team: int
    project: int


class CallWhy(Schema):
    """`decided_at` is None for a call that was not judged yet."""

    call_id: str
    decided_at: datetime | None
    versions: VersionsView
    action: Action | None
    decisions: list[WhyDecision]
    request: schema.PermissionRequestView | None


class LayerView(Schema):
    name: str
    rules: list[schema.RuleView]


class PreferenceView(LayerView):
    """`tightens_only`: it comes with the repository and makes nothing looser, but for what the team lets it."""

    tightens_only: bool


class ProjectFileView(Schema):
    """A file of the repository that speaks about permissions; one with a problem makes nothing looser. `rules` are
    what its block `permission` says, in order."""

    path: str
    problem: str
    permission: dict[str, Any]
    rules: list[schema.RuleView]


class SessionRulesView(Schema):
    """Everything that decides about a session's calls now. Later preferences win; of limits the strictest does."""

    agent: str
    preset: str
    versions: VersionsView
    preferences: list[PreferenceView]
    limits: list[LayerView]
    hidden_tools: list[str]
    project_files: list[ProjectFileView]
    inherited: list[LayerView]


class ExplainQuestion(Schema):
    """In a session, or in a project (with an agent) without one. Either `permission` with a concrete `pattern`, or a
    `tool` with its `arguments`."""

    session_id: str | None = None
    project_id: str | None = None
    agent: str | None = Field(default=None, max_length=64)
    tool: str | None = Field(default=None, max_length=200)
    arguments: dict[str, Any] = Field(default_factory=dict)
    permission: str | None = Field(default=None, max_length=100)
    pattern: str | None = Field(default=None, max_length=100_000)


class ShellAnalysisView(Schema):
    """`complete` False: the command may do more than what is listed, for the `reasons`."""

    patterns: list[str]
    always: list[str]
    external_directories: list[str]
    complete: bool
    reasons: list[str]


class Explanation(Schema):
    action: Action
    decisions: list[WhyDecision]
    analysis: ShellAnalysisView | None


class ProblemView(Schema):
    field: str
    message: str


class ExpectationView(Schema):
    """Whether the expectation of this index holds, and what decided."""

    index: int
    expect: Action
    action: Action
    ok: bool
    decision: schema.DecisionView | None


class PolicyToCheck(Schema):
    """`document` may be malformed: the answer then says where."""

    document: dict[str, Any]


class PolicyCheck(Schema):
    """Expectations are checked only when there are no problems."""

    problems: list[ProblemView]
    expectations: list[ExpectationView]


class PolicyDraft(Schema):
    document: PolicyDocument
    limit: int = Field(default=200, ge=1, le=MOST_CALLS)
    project_id: str | None = None


class ChangedCallView(Schema):
    call_id: str
    session_id: str
    session_title: str
    project_id: str
    tool: str
    title: str
    at: datetime
    before: Action
    after: Action
    before_decision: schema.DecisionView | None
    after_decision: schema.DecisionView | None


class SimulationView(Schema):
    """`replayed` may be less than asked for: there were no more calls, or no more time."""

    replayed: int
    unchanged: int
    changes: list[ChangedCallView]
    expectations: list[ExpectationView]
