"""Behaviour that all API operations share, in one place, so that no route can forget it.

A POST that creates something accepts an `Idempotency-Key`. Responses to reads have an `ETag`. Unknown query parameters
are refused. Requests are counted, and headers tell how many are left.
"""

from collections.abc import Callable
from functools import wraps
from typing import Any, Final

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from ninja.operation import Operation

from agentsite.api.authentication import rate_headers
from agentsite.http.error_responses import unknown_parameters
from agentsite.http.etags import add_etag
from agentsite.http.operation_marks import is_idempotent
from agentsite.tenancy.actions.idempotency import StoredResponse, do_once
from agentsite.tenancy.authentication import current_user
from agentsite.tenancy.transport.idempotency_key import key_of, request_fingerprint

Run = Callable[..., Any]

CREATED_STATUSES: Final = frozenset({201, 202})


def accepts_key(operation: Operation) -> bool:
    """Return whether the operation accepts an Idempotency-Key.

    That is a synchronous POST that creates something or is marked as idempotent, and takes no file.
    """
    if "POST" not in operation.methods or operation.is_async or not operation.auth_callbacks:
        return False
    if any(model.__ninja_param_source__ == "file" for model in operation.models):
        return False
    return bool(CREATED_STATUSES & set(operation.response_models)) or is_idempotent(operation)


def wrap_operation(operation: Operation, run: Run) -> Run:
    """Wrap the `run` of an operation; called once for each.

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
    """Return the names of the query parameters that the operation knows."""
    models: Any = (model for model in operation.models if model.__ninja_param_source__ == "query")
    names = frozenset(name for model in models for name in model.__ninja_flatten_map__)
    return names | {"fields"} if "GET" in operation.methods else names


def _refusing_unknown(operation: Operation, view: Callable[..., Any]) -> Callable[..., Any]:
    """Return the view, wrapped to refuse requests with unknown query parameters."""
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
    return add_etag(request, response)


def _at_most_once(operation: Operation, view: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(view)
    def answer(request: HttpRequest, **values: Any) -> Any:
        key = key_of(request)
        if key is None:
            return view(request, **values)

        def work() -> StoredResponse:
            given = values.get(operation.signature.response_arg or "") or operation.api.create_temporal_response(
                request
            )
            response = render_result(operation, request, view(request, **values), given)
            return StoredResponse(response.status_code, response.content)

        stored = do_once(actor=current_user(request), key=key, request=request_fingerprint(request), work=work)
        return _as_response(operation, stored)

    return answer


def render_result(operation: Operation, request: HttpRequest, result: Any, response: HttpResponse) -> HttpResponse:
    """Return the response that ninja makes of a view's result.

    The only private function of ninja that is used: a response is stored in the transaction of the change, but ninja
    renders it afterwards. `tests/contract/api/test_operations.py` fails if ninja changes the function.
    """
    rendered: HttpResponse = operation._result_to_response(request, result, response)  # type: ignore[assignment]  # noqa: SLF001
    return rendered


def _as_response(operation: Operation, answer: StoredResponse) -> HttpResponse:
    response = HttpResponse(answer.content, status=answer.status, content_type=operation.api.get_content_type())
    if answer.replayed:
        response["Idempotency-Replayed"] = "true"
    return response
