"""REST endpoint: export the data of your own account."""

from tempfile import SpooledTemporaryFile
from typing import Final

from django.http import HttpRequest, HttpResponse
from ninja import Router

from agentsite.tenancy.accounts.audit_receivers import record
from agentsite.tenancy.authentication import current_user
from sessions_app.queries.account_export import write_export

IN_MEMORY: Final = 4 * 1_048_576  # bytes
router = Router(tags=["site"])


@router.get(
    "/me/export",
    operation_id="export_me",
    response={200: None},
    openapi_extra={
        "responses": {200: {"content": {"application/zip": {"schema": {"type": "string", "format": "binary"}}}}}
    },
)
def get_export(request: HttpRequest) -> HttpResponse:
    """Download everything that the site stores about you, as a ZIP archive of JSON files."""
    user = current_user(request)
    record(user, "account.exported", request)
    with SpooledTemporaryFile(max_size=IN_MEMORY) as file:
        write_export(user, file)
        file.seek(0)
        answer = HttpResponse(file.read(), content_type="application/zip")
    answer.headers["Content-Disposition"] = 'attachment; filename="agentsite-account.zip"'
    return answer
