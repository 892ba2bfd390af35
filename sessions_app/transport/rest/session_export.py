"""REST endpoint: export a session as JSON, or its conversation as Markdown."""

from typing import Literal

from django.http import HttpRequest, HttpResponse
from django.utils.http import content_disposition_header
from ninja import Router

from agentsite.tenancy.access import can
from agentsite.tenancy.authentication import current_user
from agentsite.tenancy.roles import Act
from sessions_app.events.snapshot import read_snapshot
from sessions_app.queries.export_parts import with_step_parts
from sessions_app.queries.sessions import find_session
from sessions_app.queries.transcript import transcript

router = Router(tags=["sessions"])


@router.get(
    "/sessions/{session_id}/export",
    operation_id="export_session",
    response={200: None},
    openapi_extra={
        "responses": {
            200: {
                "content": {
                    "application/json": {"schema": {"$ref": "#/components/schemas/SnapshotView"}},
                    "text/markdown": {"schema": {"type": "string"}},
                }
            }
        }
    },
)
def get_export(request: HttpRequest, session_id: str, format: Literal["json", "markdown"] = "json") -> HttpResponse:  # noqa: A002
    """Download a session. `json` contains the data of the snapshot, with an additional part at the start and the end of
    each step; `markdown` contains the conversation as readable text."""
    row = find_session(request, session_id)
    snapshot = read_snapshot(row.id, can_act=can(current_user(request), Act.PROMPT, team_id=row.project.team_id))
    if format == "json":
        response = HttpResponse(with_step_parts(snapshot).model_dump_json(indent=2), content_type="application/json")
    else:
        response = HttpResponse(transcript(snapshot), content_type="text/markdown; charset=utf-8")
    filename = f"{row.public_id}.{'json' if format == 'json' else 'md'}"
    response["Content-Disposition"] = content_disposition_header(as_attachment=True, filename=filename) or "attachment"
    response["X-Content-Type-Options"] = "nosniff"
    return response
