"""The API: a NinjaAPI whose document says all that clients need, and whose JSON has times as events have them."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from django.http import HttpRequest
from ninja import NinjaAPI
from ninja.operation import Operation
from ninja.renderers import JSONRenderer
from ninja.responses import NinjaJSONEncoder

from agentsite.api.openapi_document import complete
from agentsite.api.operations import surround
from agentsite.http.selected_fields import select_fields


class ViewEncoder(NinjaJSONEncoder):
    """Microseconds are kept; ninja's own encoder cuts them."""

    def default(self, o: Any) -> Any:
        if isinstance(o, datetime):
            return o.isoformat().replace("+00:00", "Z")
        return super().default(o)


class ViewRenderer(JSONRenderer):
    encoder_class = ViewEncoder

    def render(self, request: HttpRequest, data: Any, *, response_status: int) -> Any:
        return super().render(request, select_fields(request, data), response_status=response_status)


class DocumentedAPI(NinjaAPI):
    """What `surround` does, it does for every operation of every router."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.add_decorator(surround, mode="view")

    def operations(self) -> Iterator[Operation]:
        for router in self._get_bound_routers():
            for view in router.path_operations.values():
                yield from view.operations

    def get_openapi_schema(self, **options: Any) -> Any:
        document = super().get_openapi_schema(**options)
        return complete(document, {operation.operation_id or "": operation for operation in self.operations()})
