"""REST endpoints: read a session with a share link. A public link needs no sign-in."""

import json
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing, suppress
from functools import partial
from typing import Final

from channels.db import database_sync_to_async
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.utils import timezone
from limits import parse
from ninja import Router

from agentsite.base.errors import Missing, SiteError
from agentsite.http.client_address import client_address
from agentsite.http.rate_limits import RateExceeded, counters
from agentsite.tenancy.authentication import SIGNED_IN, current_token, is_still_signed_in, seconds_left
from agentsite.tenancy.models import User
from agentsite.tenancy.person_updates import person_group
from sessions_app.actions.sharing import open_share_link
from sessions_app.models import Attachment, ShareLink
from sessions_app.queries.shared_session import SharedView, shared_view, shows_file
from sessions_app.transport import session_stream
from sessions_app.transport.follow import following
from sessions_app.transport.rest.attachments import file_response
from sessions_app.transport.rest.events import KEEP_ALIVE
from sessions_app.transport.session_stream import groups_of
from sessions_app.transport.stream_limits import OpenStreams, TooManyStreams

PER_ADDRESS: Final = parse("240/minute")
STREAMS: Final = OpenStreams(most=50)  # per IP address; a whole office may share one
PRIVATE: Final = {
    "X-Robots-Tag": "noindex, nofollow, noarchive",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
}
"""Headers of responses to readers of a share link: a response must not be cached or indexed, and its address must not
be sent as a referrer."""

router = Router(tags=["together"], auth=None)


@router.get("/shared/{secret}", response=SharedView, operation_id="get_shared_session")
def get_shared(request: HttpRequest, response: HttpResponse, secret: str) -> SharedView:
    """Return the conversation of a shared session. E-mail addresses are hidden; rules, tool output and the workspace
    are not included."""
    _count(request)
    for name, value in PRIVATE.items():
        response[name] = value
    return shared_view(open_share_link(secret, user=_user(request)))


@router.get(
    "/shared/{secret}/attachments/{attachment_id}",
    operation_id="download_shared_file",
    response={200: None},
    openapi_extra={
        "responses": {
            200: {"content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}}}
        }
    },
)
def get_shared_file(request: HttpRequest, secret: str, attachment_id: str) -> HttpResponse:
    """Download a file that is attached to a prompt of the shared session."""
    _count(request)
    link = open_share_link(secret, user=_user(request))
    row = Attachment.objects.filter(session=link.session_id).by_public_id(attachment_id)
    if not shows_file(link, attachment_id):
        raise Missing(f"There is no attachment '{attachment_id[:60]}'.")
    response = file_response(request, row)
    for name, value in PRIVATE.items():
        response[name] = value
    return response


@router.get(
    "/shared/{secret}/events",
    operation_id="stream_shared_session",
    response={200: None},
    openapi_extra={"responses": {200: {"content": {"text/event-stream": {"schema": {"type": "string"}}}}}},
)
async def stream_shared(request: HttpRequest, secret: str) -> StreamingHttpResponse:
    """Stream server-sent events: `changed` with the new seq when there is something new to read. The stream ends as
    soon as the link is revoked."""
    link = await database_sync_to_async(_open, thread_sensitive=False)(request, secret)
    STREAMS.require_room(client_address(request))
    response = StreamingHttpResponse(_counted(request, secret, link), content_type="text/event-stream")
    for name, value in {**PRIVATE, "X-Accel-Buffering": "no"}.items():
        response[name] = value
    return response


async def _counted(request: HttpRequest, secret: str, link: ShareLink) -> AsyncIterator[str]:
    """Yield the events of a share link's stream, and count the stream as open while it is read. A response that is
    never read is never counted."""
    with suppress(TooManyStreams), STREAMS.count_open(client_address(request)):
        async with aclosing(_stream(request, secret, link)) as texts:
            async for text in texts:
                yield text


async def _stream(request: HttpRequest, secret: str, link: ShareLink) -> AsyncGenerator[str, None]:
    user: User | None = getattr(request, "auth", None)
    people = (link.created_by_id, user.pk if user else None)
    groups = [*groups_of(link.session_id, person=None), *(person_group(each) for each in people if each is not None)]
    is_allowed, left = partial(_still_opens, request, secret), partial(_seconds_left, request, link)
    # Links also depend on policies, whose changes are not announced, so they are checked more often.
    often = session_stream.POLL_INTERVAL
    async with following(groups, is_allowed=is_allowed, seconds_left=left, interval=often) as followed:
        if await followed.may_send():
            yield _changed(link.session.last_seq)
        async for message in followed.messages():
            if not await followed.may_send():
                return
            if message is None:
                yield KEEP_ALIVE
            elif message["type"] == "session.events":
                yield _changed(message["frames"][-1]["seq"])


def _seconds_left(request: HttpRequest, link: ShareLink) -> float:
    """Return the seconds until the link or the reader's API token expires."""
    own = seconds_left(current_token(request))
    return own if link.expires_at is None else min(own, (link.expires_at - timezone.now()).total_seconds())


def _changed(seq: int) -> str:
    return f"event: changed\ndata: {json.dumps({'seq': seq})}\n\n"


def _open(request: HttpRequest, secret: str) -> ShareLink:
    _count(request)
    return open_share_link(secret, user=_user(request))


def _still_opens(request: HttpRequest, secret: str) -> bool:
    try:
        link = open_share_link(secret, user=_user(request))
    except SiteError:
        return False
    return link.reach == ShareLink.Reach.PUBLIC or is_still_signed_in(request)


def _user(request: HttpRequest) -> User | None:
    """Return the signed-in user, or None."""
    for way_in in SIGNED_IN:
        user: User | None = way_in(request)
        if user is not None:
            request.auth = user  # type: ignore[attr-defined]
            return user
    return None


def _count(request: HttpRequest) -> None:
    count = counters().count(PER_ADDRESS, f"shared:{client_address(request)}")
    if count.over:
        raise RateExceeded("address", count)
