"""REST endpoints: upload files for prompts, and download attachments."""

from typing import Final

from django.http import HttpRequest, HttpResponse
from django.utils.cache import get_conditional_response
from django.utils.http import content_disposition_header
from ninja import File, Router, Status, UploadedFile

from agentsite.base.error_codes import ErrorCode
from agentsite.base.errors import Missing, TooLarge
from agentsite.tenancy.authentication import current_user
from sessions_app.actions.attachments import remove_attachment, upload_attachment
from sessions_app.events import schema, views
from sessions_app.models import Attachment
from sessions_app.queries.sessions import find_session
from sessions_app.storage.attachments import read
from tools_app.attachment_types import MAX_BYTES

router = Router(tags=["attachments"])

SANDBOXED: Final = {
    "Content-Security-Policy": "sandbox; default-src 'none'; frame-ancestors 'none'",
    "Cross-Origin-Resource-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "private, no-cache",
}
"""Headers for untrusted content from people and models. Browsers save it and never run or frame it on our origin, but a
page may show it as a picture. Cached copies are revalidated, so access ends together with the right to see the file."""


@router.post(
    "/sessions/{session_id}/attachments", response={201: schema.AttachmentView}, operation_id="upload_attachment"
)
def post_attachment(request: HttpRequest, session_id: str, file: File[UploadedFile]) -> Status[schema.AttachmentView]:
    """Upload one file as multipart/form-data: a PNG, JPEG, GIF or WebP picture up to 3.75 MiB, a PDF up to 10 MiB, or a
    text up to 5 MiB.

    Use its id in a prompt within 24 hours. Any other file is refused with 400 `not_attachable`.
    """
    session = find_session(request, session_id)
    if (file.size or 0) > max(MAX_BYTES.values()):
        raise TooLarge(f"A file may have at most {max(MAX_BYTES.values()):,} bytes.", fields={"file": "too large"})
    row = upload_attachment(actor=current_user(request), session=session, name=file.name or "", content=file.read())
    return Status(201, views.attachment(row))


@router.get(
    "/attachments/{attachment_id}",
    operation_id="download_attachment",
    response={200: None},
    openapi_extra={
        "responses": {
            200: {"content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}}}
        }
    },
)
def get_attachment(request: HttpRequest, attachment_id: str) -> HttpResponse:
    """Download the content of an attachment with its media type. Returns 304 if `If-None-Match` names the current
    content."""
    return file_response(request, Attachment.objects.visible_to(current_user(request)).by_public_id(attachment_id))


def file_response(request: HttpRequest, row: Attachment) -> HttpResponse:
    """Return the file as a download that the browser must not execute."""
    etag = f'"{row.sha256}"'
    response = get_conditional_response(request, etag=etag) or HttpResponse(_content(row), content_type=_type(row))
    for name, value in SANDBOXED.items():
        response[name] = value
    response["ETag"] = etag
    if response.status_code == 200:
        response["Content-Disposition"] = content_disposition_header(as_attachment=True, filename=row.name)
    return response


@router.delete("/attachments/{attachment_id}", response={204: None}, operation_id="delete_attachment")
def delete_attachment(request: HttpRequest, attachment_id: str) -> Status[None]:
    """Delete an upload. Returns 409 if a prompt has already used it."""
    rows = Attachment.objects.visible_to(current_user(request)).select_related("session__project")
    remove_attachment(actor=current_user(request), attachment=rows.by_public_id(attachment_id))
    return Status(204, None)


def _content(row: Attachment) -> bytes:
    try:
        return read(row.place)
    except FileNotFoundError:
        raise Missing("The content of this file was deleted.", code=ErrorCode.ATTACHMENT_GONE) from None


def _type(row: Attachment) -> str:
    return "text/plain; charset=utf-8" if row.media_type == "text/plain" else row.media_type
