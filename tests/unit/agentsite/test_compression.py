"""Compression of responses, and the responses that stay uncompressed."""

import gzip
import json
from typing import Any

import pytest
from django.http import HttpResponse, JsonResponse, StreamingHttpResponse
from django.test import RequestFactory

from agentsite.http.middleware import MIN_BYTES, compress_json

LONG = {"text": "tea " * MIN_BYTES}


def answer(response: Any, *, accepts: str = "gzip, br", method: str = "get") -> Any:
    request = getattr(RequestFactory(), method)("/api/v1/sessions", headers={"Accept-Encoding": accepts})
    return compress_json(request, response)


def test_long_json_is_compressed_and_keeps_its_version() -> None:
    response = answer(JsonResponse(LONG, headers={"ETag": '"0a.1b"'}))
    assert response.headers["Content-Encoding"] == "gzip"
    assert json.loads(gzip.decompress(response.content)) == LONG
    assert response.headers["Content-Length"] == str(len(response.content))
    assert response.headers["ETag"] == 'W/"0a.1b"'
    assert "Accept-Encoding" in response.headers["Vary"]


def test_its_length_differs_from_time_to_time() -> None:
    assert len({len(answer(JsonResponse(LONG)).content) for _ in range(50)}) > 1


@pytest.mark.parametrize(
    "response",
    [
        JsonResponse({"text": "short"}),
        HttpResponse(b"x" * 2 * MIN_BYTES, content_type="application/octet-stream"),
        StreamingHttpResponse([b"{}"] * MIN_BYTES, content_type="application/json"),
        JsonResponse(LONG, headers={"Content-Encoding": "br"}),
    ],
    ids=["short", "a file", "a stream", "compressed already"],
)
def test_others_are_sent_as_they_are(response: Any) -> None:
    before = response.headers.get("Content-Encoding")
    assert answer(response).headers.get("Content-Encoding") == before


def test_clients_that_do_not_accept_it_get_plain_json() -> None:
    response = answer(JsonResponse(LONG), accepts="identity")
    assert "Content-Encoding" not in response.headers
    assert json.loads(response.content) == LONG
    assert "Content-Encoding" not in answer(JsonResponse(LONG), method="head").headers
