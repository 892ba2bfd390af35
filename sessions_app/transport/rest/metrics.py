"""REST endpoint: metrics for operators in the Prometheus text format."""

import hmac
from typing import Final

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from ninja import Router

from agentsite.base import metrics
from agentsite.base.error_codes import ErrorCode
from agentsite.base.errors import Missing, NotSignedIn
from sessions_app.queries.gauges import gauges

router = Router(tags=["health"], auth=None)
PREFIX: Final = "Bearer "


@router.get(
    "/metrics",
    operation_id="get_metrics",
    response={200: None},
    openapi_extra={
        "responses": {
            200: {"content": {"text/plain": {"schema": {"type": "string"}}}},
            401: {"$ref": "#/components/responses/NotSignedIn"},
            404: {"$ref": "#/components/responses/Missing"},
        }
    },
)
def get_metrics(request: HttpRequest) -> HttpResponse:
    """Return metrics in the Prometheus text format. Requires the site's METRICS_TOKEN as a bearer token."""
    if not settings.METRICS_TOKEN:
        raise Missing(
            "Metrics are turned off on this site.",
            code=ErrorCode.METRICS_OFF,
            hint="An operator can turn them on by setting METRICS_TOKEN.",
        )
    given = request.headers.get("Authorization", "")
    if not hmac.compare_digest(given.encode(), (PREFIX + settings.METRICS_TOKEN).encode()):
        raise NotSignedIn(
            "Metrics require the site's METRICS_TOKEN.", hint="Send it as 'Authorization: Bearer <token>'."
        )
    return HttpResponse(metrics.exposition(gauges()), content_type=metrics.CONTENT_TYPE)
