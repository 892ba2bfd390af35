"""REST endpoints for a team's webhooks and their deliveries."""

from datetime import datetime
from typing import Annotated, Literal, Self

from django.http import HttpRequest
from ninja import Router, Schema, Status
from pydantic import Field, StringConstraints

from agentsite.base.ids import to_public
from agentsite.base.pagination import Page, paginate
from agentsite.http.operation_marks import idempotent
from agentsite.http.request_body import RequestBody
from agentsite.tenancy.access import require
from agentsite.tenancy.authentication import current_user
from agentsite.tenancy.models import Project, Team
from agentsite.tenancy.roles import Act
from sessions_app.webhooks import actions
from sessions_app.webhooks.addresses import webhook_address
from sessions_app.webhooks.event_types import webhook_events
from sessions_app.webhooks.models import Delivery, DeliveryAttempt, Webhook

router = Router(tags=["webhooks"])
Name = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=120)]
Url = Annotated[str, StringConstraints(min_length=1, max_length=2000)]
Events = Annotated[list[str], Field(min_length=1, max_length=100)]
DeliveryState = Literal["waiting", "delivered", "given_up"]


class WebhookView(Schema):
    """A webhook. If `project_id` is null, it receives events of all projects. `failing_since`: the receiver has
    accepted nothing since then. `disabled_why` is empty unless the site switched the webhook off. The previous secret
    also signs until `old_secret_until`."""

    id: str
    team_id: str
    project_id: str | None
    name: str
    url: str
    events: list[str]
    enabled: bool
    disabled_why: str
    failing_since: datetime | None
    old_secret_until: datetime | None
    created_at: datetime

    @classmethod
    def of(cls, row: Webhook) -> Self:
        return cls(
            id=row.public_id,
            team_id=to_public(Team.PREFIX, row.team_id),
            project_id=None if row.project_id is None else to_public(Project.PREFIX, row.project_id),
            name=row.name,
            url=row.url,
            events=row.events,
            enabled=row.enabled,
            disabled_why=row.disabled_why,
            failing_since=row.failing_since,
            old_secret_until=row.old_secret_until,
            created_at=row.created_at,
        )


class IssuedWebhookView(WebhookView):
    """A webhook with its `secret`, which is shown only once."""

    secret: str


class NewWebhook(RequestBody):
    name: Name
    url: Url
    events: Events
    project_id: str | None = None


class WebhookChange(RequestBody):
    name: Name | None = None
    url: Url | None = None
    events: Events | None = None
    enabled: bool | None = None


class WebhookEventView(Schema):
    type: str
    meaning: str


class WebhookEventList(Schema):
    items: list[WebhookEventView]


class AttemptView(Schema):
    """One attempt. If `status` is 0, there was no response, and `problem` says why. `answer` is the beginning of the
    response."""

    number: int
    at: datetime
    milliseconds: int
    status: int
    answer: str
    problem: str

    @classmethod
    def of(cls, row: DeliveryAttempt) -> Self:
        return cls(
            number=row.number,
            at=row.at,
            milliseconds=row.milliseconds,
            status=row.status,
            answer=row.answer,
            problem=row.problem,
        )


class DeliveryView(Schema):
    """A delivery. `due_at` is the time of the next attempt, if it is waiting. `last` is its last attempt."""

    id: str
    webhook_id: str
    event_id: str
    type: str
    state: DeliveryState
    attempts: int
    due_at: datetime
    created_at: datetime
    settled_at: datetime | None
    last: AttemptView | None

    @classmethod
    def of(cls, row: Delivery) -> Self:
        tries = list(row.tries.all())
        return cls(
            id=row.public_id,
            webhook_id=to_public(Webhook.PREFIX, row.webhook_id),
            event_id=row.event_id,
            type=row.kind,
            state=row.state,  # type: ignore[arg-type]  # the column's choices are these
            attempts=row.attempts,
            due_at=row.due_at,
            created_at=row.created_at,
            settled_at=row.settled_at,
            last=AttemptView.of(tries[-1]) if tries else None,
        )


class DeliveryDetails(DeliveryView):
    """A delivery with the exact `body` that was sent."""

    body: str
    tries: list[AttemptView]

    @classmethod
    def details_of(cls, row: Delivery) -> Self:
        tries = [AttemptView.of(each) for each in row.tries.all()]
        return cls(**DeliveryView.of(row).model_dump(), body=row.body, tries=tries)


@router.get("/webhook-events", response=WebhookEventList, operation_id="list_webhook_events")
def list_webhook_events(request: HttpRequest) -> WebhookEventList:
    """List the event types that webhooks can receive."""
    items = [WebhookEventView(type=kind, meaning=meaning) for kind, meaning in webhook_events().items()]
    return WebhookEventList(items=items)


@router.get("/teams/{team_id}/webhooks", response=Page[WebhookView], operation_id="list_webhooks")
def list_webhooks(request: HttpRequest, team_id: str, cursor: str | None = None, limit: int = 50) -> Page[WebhookView]:
    """List the webhooks of a team, newest first."""
    team = _managed_team(request, team_id)
    page = paginate(Webhook.objects.visible_to(current_user(request)).filter(team=team), cursor=cursor, limit=limit)
    return Page[WebhookView].of(page, WebhookView.of)


@router.post("/teams/{team_id}/webhooks", response={201: IssuedWebhookView}, operation_id="create_webhook")
def post_webhook(request: HttpRequest, team_id: str, payload: NewWebhook) -> Status[IssuedWebhookView]:
    """Create a webhook of a team. Its secret is shown only in this response."""
    team = _managed_team(request, team_id)
    projects = Project.objects.visible_to(current_user(request)).filter(team=team)
    issued = actions.create_webhook(
        actor=current_user(request),
        team=team,
        project=projects.by_public_id(payload.project_id) if payload.project_id else None,
        name=payload.name,
        url=webhook_address(payload.url),
        events=payload.events,
    )
    return Status(201, _issued(issued))


@router.get("/webhooks/{webhook_id}", response=WebhookView, operation_id="get_webhook")
def get_webhook(request: HttpRequest, webhook_id: str) -> WebhookView:
    """Return a webhook, without its secret."""
    return WebhookView.of(_find(request, webhook_id))


@router.patch("/webhooks/{webhook_id}", response=WebhookView, operation_id="update_webhook")
def patch_webhook(request: HttpRequest, webhook_id: str, payload: WebhookChange) -> WebhookView:
    """Change a webhook. Switching it off cancels its waiting deliveries."""
    row = actions.update_webhook(
        actor=current_user(request),
        webhook=_find(request, webhook_id),
        name=payload.name,
        url=None if payload.url is None else webhook_address(payload.url),
        events=payload.events,
        enabled=payload.enabled,
    )
    return WebhookView.of(row)


@router.delete("/webhooks/{webhook_id}", response={204: None}, operation_id="delete_webhook")
def remove_webhook(request: HttpRequest, webhook_id: str) -> Status[None]:
    """Delete a webhook with its deliveries."""
    actions.delete_webhook(actor=current_user(request), webhook=_find(request, webhook_id))
    return Status(204, None)


@router.post("/webhooks/{webhook_id}/rotate", response=IssuedWebhookView, operation_id="rotate_webhook_secret")
@idempotent
def post_rotate(request: HttpRequest, webhook_id: str) -> IssuedWebhookView:
    """Create a new secret of the webhook. For one day, deliveries are signed with the previous secret, too."""
    issued = actions.rotate_webhook_secret(actor=current_user(request), webhook=_find(request, webhook_id))
    return _issued(issued)


@router.post("/webhooks/{webhook_id}/ping", response={202: DeliveryView}, operation_id="ping_webhook")
def post_ping(request: HttpRequest, webhook_id: str) -> Status[DeliveryView]:
    """Send a test event to the webhook's address."""
    delivery = actions.ping_webhook(actor=current_user(request), webhook=_find(request, webhook_id))
    return Status(202, DeliveryView.of(delivery))


@router.get("/webhooks/{webhook_id}/deliveries", response=Page[DeliveryView], operation_id="list_deliveries")
def list_deliveries(
    request: HttpRequest,
    webhook_id: str,
    state: DeliveryState | None = None,
    cursor: str | None = None,
    limit: int = 50,
) -> Page[DeliveryView]:
    """List the deliveries of the last month, newest first."""
    webhook = _find(request, webhook_id)
    rows = Delivery.objects.visible_to(current_user(request)).filter(webhook=webhook).prefetch_related("tries")
    page = paginate(rows.filter(state=state) if state else rows, cursor=cursor, limit=limit)
    return Page[DeliveryView].of(page, DeliveryView.of)


@router.get("/deliveries/{delivery_id}", response=DeliveryDetails, operation_id="get_delivery")
def get_delivery(request: HttpRequest, delivery_id: str) -> DeliveryDetails:
    """Return a delivery with each of its attempts."""
    return DeliveryDetails.details_of(_find_delivery(request, delivery_id))


@router.post("/deliveries/{delivery_id}/redeliver", response={202: DeliveryView}, operation_id="redeliver")
def post_redeliver(request: HttpRequest, delivery_id: str) -> Status[DeliveryView]:
    """Send the delivery again, with the same event id and body."""
    delivery = actions.redeliver(actor=current_user(request), delivery=_find_delivery(request, delivery_id))
    return Status(202, DeliveryView.of(delivery))


def _managed_team(request: HttpRequest, team_id: str) -> Team:
    user = current_user(request)
    team = Team.objects.visible_to(user).by_public_id(team_id)
    require(user, Act.MANAGE_WEBHOOKS, team_id=team.pk)
    return team


def _find(request: HttpRequest, webhook_id: str) -> Webhook:
    user = current_user(request)
    webhook = Webhook.objects.visible_to(user).by_public_id(webhook_id)
    require(user, Act.MANAGE_WEBHOOKS, team_id=webhook.team_id)
    return webhook


def _find_delivery(request: HttpRequest, delivery_id: str) -> Delivery:
    user = current_user(request)
    rows = Delivery.objects.visible_to(user).select_related("webhook").prefetch_related("tries")
    delivery = rows.by_public_id(delivery_id)
    require(user, Act.MANAGE_WEBHOOKS, team_id=delivery.webhook.team_id)
    return delivery


def _issued(issued: actions.IssuedWebhook) -> IssuedWebhookView:
    return IssuedWebhookView(**WebhookView.of(issued.webhook).model_dump(), secret=issued.secret)
