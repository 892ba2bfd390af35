"""REST endpoint: continue a running turn with another model."""

from django.http import HttpRequest
from ninja import Field, Router

from agentsite.http.operation_marks import idempotent
from agentsite.http.request_body import RequestBody
from agentsite.tenancy.authentication import current_user
from sessions_app.actions.turn_models import switch_turn_model
from sessions_app.events import schema, views
from sessions_app.models import Turn

router = Router(tags=["conversation"])


class TurnModel(RequestBody):
    """The model that continues the turn, such as `provider/model`."""

    model: str = Field(min_length=1, max_length=250)


@router.post("/turns/{turn_id}/model", response=schema.TurnView, operation_id="switch_turn_model")
@idempotent
def post_model(request: HttpRequest, turn_id: str, payload: TurnModel) -> schema.TurnView:
    """Continue a running turn with another model, for example while the current model does not answer. The pause before
    the next try ends at once. The session's model does not change."""
    rows = Turn.objects.visible_to(current_user(request)).select_related("session__project", "session__workspace")
    turn = rows.by_public_id(turn_id)
    return views.turn(switch_turn_model(actor=current_user(request), turn=turn, model=payload.model))
