"""REST endpoints: the browsers in which a person has turned push notices on."""

from datetime import datetime
from typing import Self

from django.http import HttpRequest
from ninja import Field, Router, Status

from agentsite.base.errors import Unavailable
from agentsite.http.request_body import RequestBody
from agentsite.tenancy.authentication import current_user
from sessions_app.events.schema import View
from sessions_app.push import actions
from sessions_app.push.keys import public_key
from sessions_app.push.models import PushBrowser

router = Router(tags=["together"])


class PushBrowserView(View):
    """A browser in which you have turned push notices on. `service` is the host of its push service. `used_at` is when
    the service last accepted a notice, null if it never has. `problem` says why the service did not accept the last
    notice, and is empty otherwise. `is_current`: this browser has sent the request."""

    id: str
    user_agent: str
    service: str
    created_at: datetime
    used_at: datetime | None
    problem: str
    is_current: bool

    @classmethod
    def of(cls, row: PushBrowser, request: HttpRequest) -> Self:
        return cls(
            id=row.public_id,
            user_agent=row.user_agent,
            service=row.service,
            created_at=row.created_at,
            used_at=row.used_at,
            problem=row.problem,
            is_current=row.session_key == request.session.session_key,
        )


class PushView(View):
    """Your browsers with push notices. `public_key` is the site's key, which a browser needs to turn push notices on;
    null if this site cannot send any."""

    public_key: str | None
    browsers: list[PushBrowserView]


class NewPushBrowser(RequestBody):
    """The result of `PushManager.subscribe` in a browser: its address at its push service, its public key and its
    secret, both in base64url."""

    endpoint: str = Field(min_length=1, max_length=2000)
    p256dh: str = Field(min_length=1, max_length=200)
    auth: str = Field(min_length=1, max_length=100)


@router.get("/me/push", response=PushView, operation_id="get_push")
def get_push(request: HttpRequest) -> PushView:
    """Return the browsers in which you get push notices, and the public key for turning push notices on in another
    browser."""
    rows = PushBrowser.objects.visible_to(current_user(request))
    return PushView(public_key=_key(), browsers=[PushBrowserView.of(row, request) for row in rows])


@router.post("/me/push/browsers", response={201: PushBrowserView}, operation_id="add_push_browser")
def post_push_browser(request: HttpRequest, payload: NewPushBrowser) -> Status[PushBrowserView]:
    """Turn push notices on in the browser of this request, until it is signed out. If the browser's address is already
    registered, its keys are replaced."""
    row = actions.add_browser(
        actor=current_user(request),
        session_key=request.session.session_key or "",
        endpoint=payload.endpoint,
        p256dh=payload.p256dh,
        auth=payload.auth,
        user_agent=request.headers.get("User-Agent", ""),
    )
    return Status(201, PushBrowserView.of(row, request))


@router.delete("/me/push/browsers/{push_browser_id}", response={204: None}, operation_id="remove_push_browser")
def delete_push_browser(request: HttpRequest, push_browser_id: str) -> Status[None]:
    """Turn push notices off in a browser."""
    user = current_user(request)
    actions.remove_browser(actor=user, browser=PushBrowser.objects.visible_to(user).by_public_id(push_browser_id))
    return Status(204, None)


@router.post(
    "/me/push/browsers/{push_browser_id}/test", response={202: PushBrowserView}, operation_id="test_push_browser"
)
def post_push_test(request: HttpRequest, push_browser_id: str) -> Status[PushBrowserView]:
    """Send a test notice to a browser. If the push service does not accept the notice, `problem` of the browser says
    why."""
    row = PushBrowser.objects.visible_to(current_user(request)).by_public_id(push_browser_id)
    actions.send_test(browser=row)
    return Status(202, PushBrowserView.of(row, request))


def _key() -> str | None:
    try:
        return public_key()
    except Unavailable:
        return None
