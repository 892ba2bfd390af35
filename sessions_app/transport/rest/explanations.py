"""REST endpoints: the reasons of the decision about a call, and the rules that apply to a session now."""

from django.http import HttpRequest
from ninja import Router

from agentsite.tenancy.authentication import current_user
from sessions_app.configuration.folders import in_force
from sessions_app.events import schema, views
from sessions_app.models import PermissionRequest, Session, ToolCall
from sessions_app.policy import session_layers, session_policies
from sessions_app.queries.sessions import find_session
from sessions_app.toolset import offer_context, session_catalogue
from sessions_app.transport.rest import policy_schemas as shapes
from tools_app.permission.engine import hidden_tools
from tools_app.permission.model import Layer

router = Router(tags=["policies"])


@router.get("/tool-calls/{call_id}/why", response=shapes.CallWhy, operation_id="get_call_why")
def get_call_why(request: HttpRequest, call_id: str) -> shapes.CallWhy:
    """Explain the permission decision about a call, with the rules and policy versions of the time when the call was
    decided."""
    call = ToolCall.objects.visible_to(current_user(request)).by_public_id(call_id)
    judgement = call.judgement or {}
    versions = judgement.get("versions") or dict.fromkeys(("site", "team", "project"), 0)
    return shapes.CallWhy(
        call_id=call.public_id,
        decided_at=judgement.get("at"),
        versions=shapes.VersionsView(**versions),
        action=judgement.get("action"),
        decisions=[shapes.WhyDecision(**decision) for decision in judgement.get("decisions", ())],
        request=_request_of(call),
    )


@router.get("/sessions/{session_id}/rules", response=shapes.SessionRulesView, operation_id="get_session_rules")
def get_session_rules(request: HttpRequest, session_id: str) -> shapes.SessionRulesView:
    """Return every rule and limit that applies to the session's calls now."""
    session = find_session(request, session_id)
    policies = session_policies(session)
    preferences, limits = session_layers(session, policies)
    site, team, project = policies.versions
    known = session_catalogue(session).known_to(offer_context(session, session.model))
    offered = {tool.id: tool.permission for tool in known}
    return shapes.SessionRulesView(
        agent=session.agent,
        preset=policies.preset,
        incomplete_commands=policies.incomplete_commands,
        versions=shapes.VersionsView(site=site, team=team, project=project),
        preferences=[
            shapes.PreferenceView(name=layer.name, tightens_only=layer.tightens_only, rules=_rules(layer))
            for layer in preferences
        ],
        limits=[shapes.LayerView(name=layer.name, rules=_rules(layer)) for layer in limits],
        hidden_tools=sorted(hidden_tools(offered, preferences, limits)),
        project_files=_files(session),
        inherited=[shapes.LayerView(**item) for item in session.inherited],
    )


def _files(session: Session) -> list[shapes.ProjectFileView]:
    found = in_force(session.workspace.project_files, session.folder)
    fields = shapes.ProjectFileView.model_fields
    return [shapes.ProjectFileView(**{name: item[name] for name in fields}) for item in found]


def _rules(layer: Layer) -> list[schema.RuleView]:
    return [
        schema.RuleView(permission=rule.permission, pattern=rule.pattern, action=rule.action) for rule in layer.rules
    ]


def _request_of(call: ToolCall) -> schema.PermissionRequestView | None:
    """Return the last permission request of the call, or None."""
    row = PermissionRequest.objects.filter(call=call).select_related("answered_by").order_by("-id").first()
    return None if row is None else views.permission_request(row, tool=call.tool)
