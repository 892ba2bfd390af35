"""Every failure of a provider becomes an error that names a next step and never shows the key; both adapters are
tested."""

import json
from dataclasses import replace

import pytest

from sessions_app.llm.port import LlmBadRequest, LlmError, LlmOverflow, LlmRefused, LlmUnavailable
from tests.contract.llm.conftest import KEY, Caller
from tests.support.model_server import ModelServer, calls, text, tool_call

pytestmark = pytest.mark.filterwarnings("ignore")


def error_json(message: str, code: str | None = None) -> str:
    return json.dumps({"error": {"message": message, "type": "error", "code": code}})


REFUSALS = [
    pytest.param(401, error_json("Incorrect API key provided"), LlmRefused, "MODEL_API_KEY", id="bad key"),
    pytest.param(402, error_json("Insufficient credits"), LlmRefused, "MODEL_API_KEY", id="no credit"),
    pytest.param(403, error_json("Not for you"), LlmRefused, "MODEL_API_KEY", id="forbidden"),
    pytest.param(404, error_json("No such model"), LlmRefused, "MODEL_NAME", id="no such model"),
    pytest.param(404, "<html><body>nginx</body></html>", LlmRefused, "MODEL_BASE_URL", id="no such address"),
    pytest.param(400, error_json("tools are not supported"), LlmBadRequest, "MODEL_NAME", id="bad request"),
    pytest.param(
        400,
        error_json("This model's maximum context length is 8192 tokens.", "context_length_exceeded"),
        LlmOverflow,
        "MODEL_NAME",
        id="too long",
    ),
    pytest.param(429, error_json("Slow down"), LlmUnavailable, "again", id="too many requests"),
    pytest.param(429, error_json("quota", "insufficient_quota"), LlmRefused, "MODEL_API_KEY", id="no quota"),
    pytest.param(500, error_json("Oops"), LlmUnavailable, "again", id="server error"),
    pytest.param(502, "<html>Bad gateway</html>", LlmUnavailable, "again", id="bad gateway"),
    pytest.param(503, "", LlmUnavailable, "again", id="unavailable"),
    pytest.param(529, error_json("Overloaded"), LlmUnavailable, "again", id="overloaded"),
]


@pytest.mark.parametrize(("status", "body", "expected", "hint"), REFUSALS)
async def test_each_status_has_its_error_and_names_what_to_look_at(
    caller: Caller, model_server: ModelServer, status: int, body: str, expected: type[LlmError], hint: str
) -> None:
    error = await caller.failure(model_server.script(text("", fault="status", status=status, body=body)))
    assert type(error) is expected
    assert hint in error.hint


async def test_the_provider_s_words_are_quoted(caller: Caller, model_server: ModelServer) -> None:
    body = error_json("Region Atlantis is not supported")
    error = await caller.failure(model_server.script(text("", fault="status", status=400, body=body)))
    assert "Region Atlantis is not supported" in error.message


async def test_a_wait_that_is_asked_for_is_passed_on(caller: Caller, model_server: ModelServer) -> None:
    error = await caller.failure(model_server.script(text("", fault="status", status=429, retry_after="7")))
    assert error.retry_after == 7


@pytest.mark.parametrize("status", [400, 401, 404, 429, 500])
async def test_an_echoed_key_is_masked(caller: Caller, model_server: ModelServer, status: int) -> None:
    body = error_json(f"Incorrect API key provided: {KEY}")
    error = await caller.failure(model_server.script(text("", fault="status", status=status, body=body)))
    assert KEY not in f"{error!r} {error.message} {error.hint} {error.__cause__!r}"


@pytest.mark.parametrize("fault", ["cut", "no_finish", "half_call", "garbage", "empty"])
async def test_a_broken_stream_may_be_tried_again(caller: Caller, model_server: ModelServer, fault: str) -> None:
    step = calls(tool_call("read", filePath="a.py"), text="Looking at the file.", chunk_size=6, fault=fault)
    assert isinstance(await caller.failure(model_server.script(step)), LlmUnavailable)


async def test_a_stream_that_ends_after_all_its_text_but_without_reason_is_broken(
    caller: Caller, model_server: ModelServer
) -> None:
    script = model_server.script(text("All of it.", fault="no_finish", fault_after=99))
    assert isinstance(await caller.failure(script), LlmUnavailable)


async def test_a_web_page_instead_of_an_answer_names_the_address(caller: Caller, model_server: ModelServer) -> None:
    error = await caller.failure(model_server.script(text("", fault="html")))
    assert "MODEL_BASE_URL" in error.hint


async def test_an_answer_without_a_word_may_be_tried_again(caller: Caller, model_server: ModelServer) -> None:
    assert isinstance(await caller.failure(model_server.script(text(""))), LlmUnavailable)


async def test_an_error_in_the_middle_of_the_stream_is_told(caller: Caller, model_server: ModelServer) -> None:
    step = text("Once upon a time", chunk_size=4, fault="error_event", body=error_json("The model is overloaded"))
    error = await caller.failure(model_server.script(step))
    assert isinstance(error, LlmUnavailable)


async def test_a_silent_model_is_given_up(impatient_caller: Caller, model_server: ModelServer) -> None:
    error = await impatient_caller.failure(model_server.script(text("late", hold="silence")))
    assert isinstance(error, LlmUnavailable)
    assert "in time" in error.message


async def test_a_provider_has_a_silence_of_its_own(caller: Caller, model_server: ModelServer) -> None:
    script = model_server.script(text("late", hold="silence-of-its-own"))
    error = await caller.failure(script, endpoint=caller.endpoint(script, silence_seconds=0.4))
    assert isinstance(error, LlmUnavailable)
    assert "in time" in error.message


async def test_a_model_that_falls_silent_in_the_middle_is_given_up(
    impatient_caller: Caller, model_server: ModelServer
) -> None:
    script = model_server.script(text("one two three", chunk_size=4, hold="silence-2", hold_after=1))
    assert isinstance(await impatient_caller.failure(script), LlmUnavailable)


async def test_a_refused_connection_names_the_address(
    caller: Caller, model_server: ModelServer, closed_port: int
) -> None:
    script = model_server.script(text("never asked"))
    endpoint = replace(caller.endpoint(script), base_url=f"http://user:hunter2@127.0.0.1:{closed_port}/v1")
    error = await caller.failure(script, endpoint=endpoint)
    assert isinstance(error, LlmUnavailable)
    assert "MODEL_BASE_URL" in error.hint
    assert f"127.0.0.1:{closed_port}" in error.message
    assert "hunter2" not in error.message


async def test_an_address_that_is_none_is_refused(caller: Caller, model_server: ModelServer) -> None:
    script = model_server.script(text("never asked"))
    error = await caller.failure(script, endpoint=replace(caller.endpoint(script), base_url="not an address"))
    assert "MODEL_BASE_URL" in error.hint
