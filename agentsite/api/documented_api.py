"""The NinjaAPI of the site, with a complete OpenAPI document and timestamps formatted as in events."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from django.http import HttpRequest
from ninja import NinjaAPI
from ninja.operation import Operation
from ninja.renderers import JSONRenderer
from ninja.responses import NinjaJSONEncoder

from agentsite.api.openapi_document import complete
from agentsite.api.operations import wrap_operation
from agentsite.http.selected_fields import select_fields


class ViewEncoder(NinjaJSONEncoder):
    """Writes timestamps with microseconds and "Z"; ninja's own encoder truncates them to milliseconds."""

    def default(self, o: Any) -> Any:
        if isinstance(o, datetime):
            return o.isoformat().replace("+00:00", "Z")
        return super().default(o)


class ViewRenderer(JSONRenderer):
    """Renders JSON responses, reduced to the fields in `?fields=`."""

    encoder_class = ViewEncoder

    def render(self, request: HttpRequest, data: Any, *, response_status: int) -> Any:
        return super().render(request, select_fields(request, data), response_status=response_status)


class DocumentedAPI(NinjaAPI):
    """A NinjaAPI that wraps every operation of every router with `wrap_operation`."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.add_decorator(wrap_operation, mode="view")

    def operations(self) -> Iterator[Operation]:
        for router in self._get_bound_routers():
            for view in router.path_operations.values():
                yield from view.operations

    def get_openapi_schema(self, **options: Any) -> Any:
        document = super().get_openapi_schema(**options)
        return complete(document, {operation.operation_id or "": operation for operation in self.operations()})
