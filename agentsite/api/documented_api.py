"""The NinjaAPI of the site, with a complete OpenAPI document and timestamps formatted as in events."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.http import HttpRequest
from ninja import NinjaAPI
from ninja.operation import Operation
from ninja.renderers import JSONRenderer
from ninja.responses import NinjaJSONEncoder

from agentsite.api.openapi_document import complete
from agentsite.api.operations import Run, wrap_operation
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
        self._operations: list[Operation] = []
        self.add_decorator(self._wrap, mode="view")

    def _wrap(self, run: Run) -> Run:
        operation: Operation = run.__self__  # type: ignore[attr-defined]  # ninja passes the bound method
        self._operations.append(operation)
        return wrap_operation(operation, run)

    def operations(self) -> Sequence[Operation]:
        """Return all operations. No router can be added afterwards."""
        _ = self.urls  # ninja wraps the operations when it makes the URLs
        return self._operations

    def get_openapi_schema(self, **options: Any) -> Any:
        document = super().get_openapi_schema(**options)
        return complete(document, {operation.operation_id or "": operation for operation in self.operations()})
