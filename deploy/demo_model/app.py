"""The demo model as an HTTP application: its routes, and the choice of a script or the planner for each request."""

import asyncio
import itertools
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, cast

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from deploy.demo_model import answering, drafting, planner, summary
from deploy.demo_model.conversation import is_title_request, read_conversation
from deploy.demo_model.journal import EntryState, Journal, JournalEntry
from deploy.demo_model.scripts import Script, ScriptBook, ScriptError, Step
from deploy.demo_model.structured_output import as_structured_output
from deploy.demo_model.timed_stream import Piece, TimedStream
from deploy.demo_model.wire import Envelope, Reply, error_body, usage, with_call_ids

MODELS: Final = ("demo", "demo-small")
DEFAULT_CHUNK_DELAY: Final = 0.015  # seconds


@dataclass(slots=True)
class DemoModel:
    """The state of one demo model server.

    `control` enables the /control routes (scripts, releases, journal); without it no request is recorded.
    `chunk_delay`: seconds before each chunk of a planned reply. `started`: Unix time. `numbers`: source of unique ids.
    """

    chunk_delay: float = DEFAULT_CHUNK_DELAY
    control: bool = False
    scripts: ScriptBook = field(default_factory=ScriptBook)
    journal: Journal = field(default_factory=Journal)
    started: int = field(default_factory=lambda: int(time.time()))
    numbers: "itertools.count[int]" = field(default_factory=itertools.count)

    def app(self) -> Starlette:
        """Return the ASGI application."""
        routes = [
            Route("/health", self._health),
            Route("/v1/models", self._models),
            Route("/v1/chat/completions", self._chat, methods=["POST"]),
        ]
        control = [
            Route("/control/scripts", self._put_script, methods=["POST"]),
            Route("/control/scripts/{key}", self._remove_script, methods=["DELETE"]),
            Route("/control/releases", self._release, methods=["POST"]),
            Route("/control/requests", self._requests),
        ]
        return Starlette(routes=routes + (control if self.control else []))

    async def _health(self, _request: Request) -> Response:
        return JSONResponse({"status": "ok"})

    async def _models(self, _request: Request) -> Response:
        models = [{"id": name, "object": "model", "created": self.started, "owned_by": "agentsite"} for name in MODELS]
        return JSONResponse({"object": "list", "data": models})

    async def _chat(self, request: Request) -> Response:
        body = await _json_object(request)
        if body is None or not isinstance(body.get("messages"), list):
            return JSONResponse(error_body("The body must be a JSON object with a list of messages."), 400)
        headers = dict(request.headers)
        try:
            script = self.scripts.find(body, headers)
            taken = script.take_step(body) if script else None
        except ScriptError as error:
            return JSONResponse(error_body(f"Demo model: {error}.", code="script_error"), 400)
        if script and taken:
            return await self._answer_scripted(script, *taken, body, headers)
        if body.get("model") not in MODELS:
            message = f"The model '{body.get('model')}' does not exist. The models are {' and '.join(MODELS)}."
            return JSONResponse(error_body(message, code="model_not_found"), 404)
        return await self._answer_planned(body, headers)

    async def _answer_planned(self, body: Mapping[str, Any], headers: Mapping[str, str]) -> Response:
        reply = self._with_call_ids(await asyncio.to_thread(plan_reply, body))  # large attachments are slow to decode
        envelope = self._envelope(body)
        entry = await self._open_entry("", 0, body, headers)
        if not body.get("stream"):
            await self._set_state(entry, "done")
            return JSONResponse(envelope.whole(reply, usage(body, reply)))
        pieces = answering.planned_pieces(reply, body, envelope, self.chunk_delay)
        return self._stream(pieces, entry, cut=False)

    async def _answer_scripted(
        self, script: Script, number: int, step: Step, body: Mapping[str, Any], headers: Mapping[str, str]
    ) -> Response:
        entry = await self._open_entry(script.key, number, body, headers)
        if faulty := _faulty_response(step):
            await self._hold_until_release(entry, step.hold)() if step.hold else None
            await self._set_state(entry, "done")
            return faulty
        reply, envelope = self._with_call_ids(step.reply()), self._envelope(body)
        if not body.get("stream"):
            await self._set_state(entry, "done")
            return JSONResponse(envelope.whole(reply, usage(body, reply)))
        pieces = answering.scripted_pieces(step, reply, body, envelope, self._hold_until_release(entry, step.hold))
        return self._stream(pieces, entry, cut=step.fault in answering.CUT_FAULTS)

    def _stream(self, pieces: list[Piece], entry: JournalEntry, *, cut: bool) -> Response:
        async def on_end(state: str) -> None:
            await self._set_state(entry, cast(EntryState, state))

        return TimedStream(pieces, cut=cut, on_end=on_end)

    def _hold_until_release(self, entry: JournalEntry, name: str) -> Callable[[], Awaitable[None]]:
        """Return a function that marks the entry as held, and waits until a client posts the release `name`."""

        async def wait() -> None:
            await self._set_state(entry, "held")
            await self.journal.wait_for_release(name)
            await self._set_state(entry, "open")

        return wait

    async def _open_entry(
        self, key: str, step: int, body: Mapping[str, Any], headers: Mapping[str, str]
    ) -> JournalEntry:
        if self.control:
            return await self.journal.open(key, step, body, headers)
        return JournalEntry(0, key, step, {}, {})

    async def _set_state(self, entry: JournalEntry, state: EntryState) -> None:
        await self.journal.set_state(entry, state)

    def _with_call_ids(self, reply: Reply) -> Reply:
        return with_call_ids(reply, f"{self.started:x}{next(self.numbers):06x}")

    def _envelope(self, body: Mapping[str, Any]) -> Envelope:
        answer_id = f"chatcmpl-demo-{next(self.numbers)}"
        return Envelope(answer_id=answer_id, model=str(body.get("model", "")), created=int(time.time()))

    async def _put_script(self, request: Request) -> Response:
        try:
            script = self.scripts.put(await _json_object(request) or {})
        except ScriptError as error:
            return JSONResponse(error_body(str(error)), 400)
        return JSONResponse({"key": script.key, "steps": len(script.steps)}, 201)

    async def _remove_script(self, request: Request) -> Response:
        self.scripts.remove(request.path_params["key"])
        return Response(status_code=204)

    async def _release(self, request: Request) -> Response:
        self.journal.release(str((await _json_object(request) or {}).get("name", "")))
        return Response(status_code=204)

    async def _requests(self, request: Request) -> Response:
        query = request.query_params
        enough, entries = await self.journal.wait_for(
            query.get("key", ""),
            query.get("state", ""),
            int(query.get("at_least", 0)),
            float(query.get("timeout", 0)),
            bodies=query.get("bodies") != "no",
        )
        return JSONResponse({"requests": entries}, 200 if enough else 408)


def plan_reply(body: Mapping[str, Any]) -> Reply:
    """Return the reply to a request that names no script: a summary, a draft, a title, or the next step of a turn."""
    conversation = read_conversation(body)
    if summary.is_summary_request(body):
        return summary.summarise(conversation)
    if drafting.is_draft_request(body):
        return drafting.draft(conversation)
    if is_title_request(body):
        return planner.title(conversation)
    return as_structured_output(planner.next_reply(conversation), body)


def _faulty_response(step: Step) -> Response | None:
    """Return the response of a scripted step whose fault replaces the whole stream; None for all other steps."""
    if step.fault == "status":
        headers = {"retry-after": step.retry_after} if step.retry_after else None
        if step.body:
            return PlainTextResponse(step.body, step.status, headers=headers)
        return JSONResponse(error_body(f"scripted status {step.status}", kind="scripted"), step.status, headers=headers)
    if step.fault == "garbage":
        return Response(answering.GARBAGE_STREAM, media_type="text/event-stream")
    if step.fault == "html":
        return Response(answering.HTML_PAGE, media_type="text/html")
    if step.fault == "empty":
        return Response(b"", media_type="text/event-stream")
    return None


async def _json_object(request: Request) -> dict[str, Any] | None:
    try:
        value = await request.json()
    except ValueError:
        return None
    return value if isinstance(value, dict) else None
