"""API schemas of permission explanations, policy checks and policy simulations."""

from datetime import datetime
from typing import Any

from ninja import Field, Schema

from agentsite.http.request_body import RequestBody
from sessions_app.events import schema
from sessions_app.queries.simulation import MAX_CALLS
from tools_app.permission.model import Action
from tools_app.permission.presets import Incomplete
from tools_app.policies.documents import PolicyDocument


class MatchView(Schema):
    """A matching rule that did not decide. `limit` is true if the rule belongs to a limit, false for a preference."""

    rule: schema.RuleView
    layer: str
    limit: bool


class WhyDecision(schema.DecisionView):
    """A decision with the rules that matched but did not decide, the weakest first."""

    limit: bool
    trace: list[MatchView]


class VersionsView(Schema):
    """Version numbers of the policies in force; 0 if none was ever saved."""

    site: int
    team: int
    project: int


class CallWhy(Schema):
    """The explanation of the decision about a call. `decided_at` is null if the call was not decided yet."""

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
    """A preference. `tightens_only` is true for rules from the repository, which can only make other rules stricter,
    except where the team lets them loosen rules."""

    tightens_only: bool


class ProjectFileView(Schema):
    """A file of the repository with permission rules. If it has a `problem`, it cannot make other rules less strict.
    `rules` are the rules of its `permission` block, in order."""

    path: str
    problem: str
    permission: dict[str, Any]
    rules: list[schema.RuleView]


class SessionRulesView(Schema):
    """The rules and limits that apply to a session's calls now. Among preferences, the last match wins; among limits,
    the strictest. `incomplete_commands` is the decision about a command that cannot be analysed completely, if the
    rules allow every command."""

    agent: str
    preset: str
    incomplete_commands: Incomplete
    versions: VersionsView
    preferences: list[PreferenceView]
    limits: list[LayerView]
    hidden_tools: list[str]
    project_files: list[ProjectFileView]
    inherited: list[LayerView]


class ExplainQuestion(RequestBody):
    """The call to explain: either a `permission` with a concrete `pattern`, or a `tool` with its `arguments`. Give
    `session_id`, or `project_id` with an `agent`."""

    session_id: str | None = None
    project_id: str | None = None
    agent: str | None = Field(default=None, max_length=64)
    tool: str | None = Field(default=None, max_length=200)
    arguments: dict[str, Any] = Field(default_factory=dict)
    permission: str | None = Field(default=None, max_length=100)
    pattern: str | None = Field(default=None, max_length=100_000)


class ShellAnalysisView(Schema):
    """The analysis of a shell command. If `complete` is false, the command may do more than `patterns` and
    `external_directories` say, and `reasons` says why."""

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
    """The result of the expectation at `index` of the document: whether it is met, and the decision behind it."""

    index: int
    expect: Action
    action: Action
    ok: bool
    decision: schema.DecisionView | None


class PolicyToCheck(RequestBody):
    """A policy document to check. It may be malformed; the response then lists its problems."""

    document: dict[str, Any]


class PolicyCheck(Schema):
    """The result of checking a policy document. Its expectations are only checked if there are no problems."""

    problems: list[ProblemView]
    expectations: list[ExpectationView]


class PolicyDraft(RequestBody):
    document: PolicyDocument
    limit: int = Field(default=200, ge=1, le=MAX_CALLS)
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
    """The result of a simulation. `replayed` is less than the requested number if there were fewer calls, or if the
    time limit was reached."""

    replayed: int
    unchanged: int
    changes: list[ChangedCallView]
    expectations: list[ExpectationView]
