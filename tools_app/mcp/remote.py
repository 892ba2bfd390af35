"""ask_remote(): list the tools of a remote MCP server, or call one, through a guarded process."""

import asyncio
import json
from collections.abc import Callable, Mapping
from contextlib import AsyncExitStack
from dataclasses import asdict, dataclass, field
from typing import Any, Final, Literal

from tools_app.mcp.definitions import ServerTool
from tools_app.mcp.forms import PEOPLE_SECONDS, Ask, Form, ask_nobody
from tools_app.mcp.offerings import Offerings
from tools_app.web.process import GuardedProcess, ProcessFailed

PROGRAM: Final = "tools_app.mcp.remote_process"
EXTRA_SECONDS: Final = 60.0
"""Time that the process gets in addition to the time for the call: to start, to connect and to list the tools."""
OUT_OF_TIME: Final = "did not answer in time"
BROKEN: Final = "sent something that could not be read"

Progress = Callable[[Mapping[str, Any]], None]


@dataclass(frozen=True, slots=True)
class RemoteOrder:
    """A request to a remote MCP server. Without a `tool`, the server's tools, prompts and resources are listed.

    `ask` is the kind of object that `tool` names: "" means a tool, "prompt" a prompt and "resource" a resource's
    address. "completion" requests suggestions for one argument of a prompt. `seconds` is the time limit of the call.
    """

    url: str
    transport: str
    headers: Mapping[str, str]
    allowed: tuple[str, ...]
    certificates: str
    seconds: float
    tool: str = ""
    digest: str = ""
    arguments: Mapping[str, Any] = field(default_factory=dict)
    ask: str = ""
    asks_people: bool = False
    """The server may ask people something during the call."""
    follow_seconds: float = 0.0
    """Seconds that the process may stay connected afterwards, if the server says when its lists change."""

    def as_message(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self.__slots__} | {"allowed": list(self.allowed)}


@dataclass(frozen=True, slots=True)
class RemoteAnswer:
    """The answer of a remote MCP server.

    `answer` is the result of a call, a prompt or a resource. `tools` and `facts` come with `listed` and `changed`,
    `offerings` with `listed`. `announced`: the server has meanwhile announced that one of its lists has changed.

    After a failure, `problem` is a verb phrase to put after the server's name. `made`: the call may have been made.
    `sign_in`: the server does not accept the headers; then `challenge` is its `WWW-Authenticate` header, and `wanted`
    are the scopes that it requires, if the token has too few.
    """

    kind: Literal["listed", "changed", "answer", "failed"]
    answer: Mapping[str, Any] = field(default_factory=dict)
    tools: tuple[ServerTool, ...] = ()
    facts: Mapping[str, str] = field(default_factory=dict)
    offerings: Offerings | None = None
    problem: str = ""
    made: bool = False
    sign_in: bool = False
    challenge: str = ""
    wanted: str = ""
    announced: bool = False


class Connected:
    """A guarded process that stays connected to a server, to learn of changes in the server's lists. Close it after
    use."""

    def __init__(self, process: GuardedProcess, owned: AsyncExitStack) -> None:
        self._process = process
        self._owned = owned

    async def next_change(self) -> RemoteAnswer:
        """Return the server's tools, prompts and resources: at once on the first call, later when one of its lists
        changes.

        Raises ConnectionError when no more changes can be announced.
        """
        try:
            found = _answer(*await self._process.receive())
        except (ProcessFailed, ValueError, TypeError, KeyError) as error:
            raise ConnectionError(str(error)) from error
        if found.kind != "listed":
            raise ConnectionError(found.problem)
        return found

    async def close(self) -> None:
        await self._owned.aclose()


Keep = Callable[[Connected], None]
"""Takes over a process that stays connected."""


async def ask_remote(
    order: RemoteOrder,
    on_progress: Progress = lambda _: None,
    ask: Ask = ask_nobody,
    keep: Keep | None = None,
) -> RemoteAnswer:
    """Send one request to a remote server, and return the answer. Failures do not raise; they are in the answer.

    `ask` answers the forms that the server sends during the call. `keep` gets the process if it stays connected.
    """
    made = False
    forms: set[asyncio.Task[None]] = set()
    people = PEOPLE_SECONDS if order.asks_people else 0.0
    try:
        async with AsyncExitStack() as owned:
            process = GuardedProcess(PROGRAM, seconds=order.seconds + EXTRA_SECONDS + people)
            await owned.enter_async_context(process)
            await process.send(order.as_message())
            while True:
                message, body = await process.receive()
                match message.get("kind"):
                    case "calling":
                        made = True
                    case "progress":
                        on_progress(message)
                    case "form":
                        forms.add(asyncio.create_task(_relay(process, Form.from_dict(json.loads(body)), ask)))
                    case _:
                        found = _answer(message, body)
                        if keep is not None and message.get("follows") is True:
                            process.outlast(order.follow_seconds)
                            keep(Connected(process, owned.pop_all()))
                        return found
    except ProcessFailed as error:
        return RemoteAnswer("failed", problem=OUT_OF_TIME if error.late else BROKEN, made=made)
    except (ValueError, TypeError, KeyError):
        return RemoteAnswer("failed", problem=BROKEN, made=made)
    finally:
        for form in forms:
            form.cancel()


async def _relay(process: GuardedProcess, form: Form, ask: Ask) -> None:
    """Ask people the questions of a form, and send their reply to the guarded process."""
    await process.send(asdict(await ask(form)))


def _answer(message: Mapping[str, Any], body: bytes) -> RemoteAnswer:
    kind = message["kind"]
    announced = message.get("announced") is True
    if kind == "answer":
        return RemoteAnswer("answer", answer=json.loads(body), announced=announced)
    if kind in ("listed", "changed"):
        found = json.loads(body)
        tools = tuple(ServerTool.from_dict(each) for each in found["tools"])
        offerings = Offerings.from_dict(found["offerings"]) if "offerings" in found else None
        facts = {name: str(text) for name, text in found["facts"].items()}
        return RemoteAnswer(kind, tools=tools, facts=facts, offerings=offerings, announced=announced)
    return RemoteAnswer(
        "failed",
        problem=str(message.get("problem", BROKEN))[:1_500],
        made=message.get("made") is True,
        sign_in=message.get("sign_in") is True,
        challenge=str(message.get("challenge", "")),
        wanted=str(message.get("wanted", "")),
    )
