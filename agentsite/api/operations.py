"""The NinjaAPI of the site. It implements the behaviour that all operations share, so that no route can forget it.

A POST that creates something accepts an `Idempotency-Key`. Responses to reads have an `ETag`, and `?fields=id,title`
selects the fields of an object or of each item of a list. Unknown query parameters are refused. Requests are counted,
and headers tell how many are left. Timestamps are formatted as in events.
"""

from collections.abc import Callable, Sequence
from datetime import datetime
from functools import wraps
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from ninja import NinjaAPI
from ninja.operation import Operation
from ninja.renderers import JSONRenderer
from ninja.responses import NinjaJSONEncoder

from agentsite.api.authentication import rate_headers
from agentsite.api.openapi_document import complete
from agentsite.base.errors import BadInput
from agentsite.http.error_responses import unknown_parameters
from agentsite.http.etags import METHODS_WITH_ETAG, add_etag
from agentsite.http.operation_marks import accepts_key
from agentsite.tenancy.actions.idempotency import StoredResponse, do_once
from agentsite.tenancy.authentication import current_user
from agentsite.tenancy.rest.idempotency_key import KEY_HEADER, key_of, request_fingerprint

Run = Callable[..., Any]


class DocumentedAPI(NinjaAPI):
    """A NinjaAPI with a complete OpenAPI document; wraps every operation of every router with `wrap_operation`."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self._operations: list[Operation] = []
        self.add_decorator(self._wrap, mode="view")

    def _wrap(self, run: Run) -> Run:
        operation: Operation = run.__self__  # type: ignore[attr-defined]  # ninja passes the bound method
        self._operations.append(operation)
        return wrap_operation(operation, run)

    def operations(self) -> Sequence[Operation]:
        """Return all operations of the API. No router can be added after this call."""
        _ = self.urls  # ninja wraps the operations when it makes the URLs
        return self._operations

    def get_openapi_schema(self, **options: Any) -> Any:
        document = super().get_openapi_schema(**options)
        return complete(document, {operation.operation_id or "": operation for operation in self.operations()})


def wrap_operation(operation: Operation, run: Run) -> Run:
    """Wrap the `run` of an operation with the behaviour that all operations share; called once for each operation.

    The operation's id is set on the request before authentication, because the scopes of an API token depend on it.
    """
    operation.view_func = _refusing_unknown(operation, operation.view_func)
    if accepts_key(operation):
        operation.view_func = _at_most_once(operation, operation.view_func)
    if operation.is_async:

        @wraps(run)
        async def run_later(request: HttpRequest, **arguments: Any) -> HttpResponseBase:
            request.operation_id = operation.operation_id  # type: ignore[attr-defined]
            return _finish(request, await run(request, **arguments))

        return run_later

    @wraps(run)
    def run_now(request: HttpRequest, **arguments: Any) -> HttpResponseBase:
        request.operation_id = operation.operation_id  # type: ignore[attr-defined]
        return _finish(request, run(request, **arguments))

    return run_now


def query_parameters(operation: Operation) -> frozenset[str]:
    """Return the names of the query parameters that the operation accepts."""
    models: Any = (model for model in operation.models if model.__ninja_param_source__ == "query")
    names = frozenset(name for model in models for name in model.__ninja_flatten_map__)
    return names | {"fields"} if "GET" in operation.methods else names


def _refusing_unknown(operation: Operation, view: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap an operation's view, so that requests with unknown query parameters are refused."""
    known = query_parameters(operation)

    def check(request: HttpRequest) -> None:
        unknown = [name for name in request.GET if name not in known]
        if unknown:
            raise unknown_parameters(unknown)

    if operation.is_async:

        @wraps(view)
        async def answer_later(request: HttpRequest, **values: Any) -> Any:
            check(request)
            return await view(request, **values)

        return answer_later

    @wraps(view)
    def answer(request: HttpRequest, **values: Any) -> Any:
        check(request)
        return view(request, **values)

    return answer


def _finish(request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
    for name, value in rate_headers(request).items():
        response.headers[name] = value
    return add_etag(request, response) if request.method in METHODS_WITH_ETAG else response


def _at_most_once(operation: Operation, view: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(view)
    def answer(request: HttpRequest, **values: Any) -> Any:
        if KEY_HEADER not in request.headers:
            return view(request, **values)

        def work() -> StoredResponse:
            given = values.get(operation.signature.response_arg or "") or operation.api.create_temporal_response(
                request
            )
            response = render_result(operation, request, view(request, **values), given)
            return StoredResponse(response.status_code, response.content)

        stored = do_once(
            actor=current_user(request), key=key_of(request), request=request_fingerprint(request), work=work
        )
        return _as_response(operation, stored)

    return answer


def render_result(operation: Operation, request: HttpRequest, result: Any, response: HttpResponse) -> HttpResponse:
    """Return django-ninja's response for the result of a view.

    The function calls a private function of ninja, the only one that the site uses, because the response has to be
    stored in the transaction of the change, but ninja renders it afterwards. `tests/contract/api/test_operations.py`
    fails if ninja changes that private function.
    """
    rendered: HttpResponse = operation._result_to_response(request, result, response)  # type: ignore[assignment]  # noqa: SLF001
    return rendered


def _as_response(operation: Operation, answer: StoredResponse) -> HttpResponse:
    response = HttpResponse(answer.content, status=answer.status, content_type=operation.api.get_content_type())
    if answer.replayed:
        response["Idempotency-Replayed"] = "true"
    return response


class ViewEncoder(NinjaJSONEncoder):
    """JSON encoder that writes timestamps with microseconds and "Z"; ninja's own encoder truncates them to
    milliseconds."""

    def default(self, o: Any) -> Any:
        if isinstance(o, datetime):
            return o.isoformat().replace("+00:00", "Z")
        return super().default(o)


class ViewRenderer(JSONRenderer):
    """Renderer of responses as JSON, with only the fields that `?fields=` names."""

    encoder_class = ViewEncoder

    def render(self, request: HttpRequest, data: Any, *, response_status: int) -> Any:
        return super().render(request, select_fields(request, data), response_status=response_status)


def select_fields(request: HttpRequest, data: Any) -> Any:
    """Return the data of a response to GET with only the fields that the parameter `fields` names; other data is
    returned unchanged.

    Raises BadInput for unknown fields.
    """
    names = _selected_names(request)
    if not names or not isinstance(data, dict):
        return data
    items = data.get("items")
    if not isinstance(items, list):
        return _only(data, names)
    return data | {"items": [_only(item, names) if isinstance(item, dict) else item for item in items]}


def _selected_names(request: HttpRequest) -> list[str]:
    if request.method != "GET":
        return []
    words = request.GET.get("fields", "").split(",")
    return [word.strip() for word in words if word.strip()]


def _only(item: dict[str, Any], names: list[str]) -> dict[str, Any]:
    unknown = [name for name in names if name not in item]
    if unknown:
        raise BadInput(
            f"The response has no field '{unknown[0][:60]}'.",
            hint=f"The fields are {', '.join(item)}.",
            fields={"fields": "names a field that does not exist"},
        )
    return {name: value for name, value in item.items() if name in names}
