"""REST endpoints: check a draft of a policy, try it on past calls, and explain the decision about a call."""

from typing import Any

from asgiref.sync import sync_to_async
from django.http import HttpRequest
from ninja import Router
from pydantic import ValidationError

from agentsite.base.errors import BadInput
from agentsite.base.ids import to_public
from agentsite.tenancy.authentication import current_user
from agentsite.tenancy.models import Project
from sessions_app.actions.decisions import why_decision
from sessions_app.events import schema
from sessions_app.queries.explanation import (
    Explained,
    explain_needs,
    needs_answered,
    needs_query,
    needs_without_workspace,
    unsaved_session,
)
from sessions_app.queries.live import query_workspace
from sessions_app.queries.sessions import find_session
from sessions_app.queries.simulation import ChangedCall, simulate
from sessions_app.toolset import session_catalogue
from sessions_app.transport.rest import policy_schemas as shapes
from tools_app.gate import Verdict
from tools_app.policies.actions import document_problems, policies_with
from tools_app.policies.documents import PolicyDocument
from tools_app.policies.expectations import check_expectations
from tools_app.policies.scopes import PolicyScope, find_scope, require_edit
from tools_app.spec import PermissionNeed

router = Router(tags=["policies"])


@router.post("/policies/{place}/check", response=shapes.PolicyCheck, operation_id="check_policy")
def post_check(request: HttpRequest, place: str, payload: shapes.PolicyToCheck) -> shapes.PolicyCheck:
    """Validate a policy document as `put_policy` would. Nothing is saved."""
    found = _editable_place(request, place)
    try:
        document = PolicyDocument.model_validate(payload.document)
    except ValidationError as error:
        return shapes.PolicyCheck(problems=_problems(error), expectations=[])
    problems = document_problems(found, document)
    views = [shapes.ProblemView(field=field, message=message) for field, message in problems.items()]
    return shapes.PolicyCheck(problems=views, expectations=_expectations(found, document))


@router.post("/policies/{place}/simulate", response=shapes.SimulationView, operation_id="simulate_policy")
def post_simulate(request: HttpRequest, place: str, payload: shapes.PolicyDraft) -> shapes.SimulationView:
    """Replay the most recent calls with the draft, and list the calls that would be decided differently."""
    found = _editable_place(request, place)
    user = current_user(request)
    project = Project.objects.visible_to(user).by_public_id(payload.project_id) if payload.project_id else None
    result = simulate(user=user, place=found, draft=payload.document, limit=payload.limit, project=project)
    return shapes.SimulationView(
        replayed=result.replayed,
        unchanged=result.unchanged,
        changes=[_changed(change) for change in result.changes],
        expectations=_expectations(found, payload.document),
    )


@router.post("/explain", response=shapes.Explanation, operation_id="explain")
async def post_explain(request: HttpRequest, payload: shapes.ExplainQuestion) -> shapes.Explanation:
    """Explain the decision that the rules would make about a call. Nothing is executed. A call in a session is checked
    in its workspace, so that symbolic links are followed."""
    _require_one_question(payload)
    if payload.session_id and payload.tool:
        row = await sync_to_async(find_session)(request, payload.session_id)
        tools = await sync_to_async(session_catalogue)(row)
        question = needs_query(payload.tool, payload.arguments, tools, agent=row.agent)
        needs = needs_answered(await query_workspace(row.workspace, question, person=current_user(request)))
        return _explanation(await sync_to_async(explain_needs)(row, needs))
    return await sync_to_async(_explain_here)(request, payload)


def _explain_here(request: HttpRequest, payload: shapes.ExplainQuestion) -> shapes.Explanation:
    """Explain the decision about a call or a permission without a query to the workspace's node, so symbolic links are
    not followed."""
    if payload.session_id:
        session = find_session(request, payload.session_id)
    else:
        project = Project.objects.visible_to(current_user(request)).by_public_id(payload.project_id or "")
        session = unsaved_session(project, payload.agent or "")
    if payload.tool:
        needs = needs_without_workspace(
            payload.tool, payload.arguments, session_catalogue(session), agent=session.agent
        )
    else:
        needs = [PermissionNeed(payload.permission or "", (payload.pattern or "*",))]
    return _explanation(explain_needs(session, needs))


def _require_one_question(payload: shapes.ExplainQuestion) -> None:
    if not (payload.session_id or payload.project_id):
        raise BadInput(
            "Neither 'session_id' nor 'project_id' is given.", fields={"session_id": "give a session or a project"}
        )
    if bool(payload.tool) == bool(payload.permission):
        raise BadInput(
            "Exactly one of 'tool' and 'permission' must be given.",
            fields={"tool": "give a tool with arguments, or a permission with a pattern"},
        )


def _editable_place(request: HttpRequest, key: str) -> PolicyScope:
    found = find_scope(current_user(request), key)
    require_edit(current_user(request), found)
    return found


def _problems(error: ValidationError) -> list[shapes.ProblemView]:
    items = error.errors(include_url=False, include_context=False, include_input=False)
    return [shapes.ProblemView(field=".".join(map(str, item["loc"])), message=item["msg"]) for item in items[:100]]


def _expectations(place: PolicyScope, document: PolicyDocument) -> list[shapes.ExpectationView]:
    return [
        shapes.ExpectationView(
            index=result.index,
            expect=result.expect,
            action=result.action,
            ok=result.ok,
            decision=schema.DecisionView(**result.judged.as_dict()) if result.judged else None,
        )
        for result in check_expectations(document.expectations, policies_with(place, document))
    ]


def _changed(change: ChangedCall) -> shapes.ChangedCallView:
    call = change.call
    return shapes.ChangedCallView(
        call_id=call.public_id,
        session_id=to_public("ses", call.session_id),
        session_title=call.session.title,
        project_id=to_public("prj", call.session.project_id),
        tool=call.tool,
        title=call.title or call.tool,
        at=call.created_at,
        before=change.before.action,
        after=change.after.action,
        before_decision=_deciding(change.before),
        after_decision=_deciding(change.after),
    )


def _deciding(verdict: Verdict) -> schema.DecisionView | None:
    return schema.DecisionView(**verdict.deciding.as_dict()) if verdict.deciding else None


def _explanation(explained: Explained) -> shapes.Explanation:
    decisions: list[Any] = [why_decision(judged) for judged in explained.verdict.decisions]
    analysis = explained.analysis
    return shapes.Explanation(
        action=explained.verdict.action,
        decisions=decisions,
        analysis=shapes.ShellAnalysisView.from_orm(analysis) if analysis else None,
    )
