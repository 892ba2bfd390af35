"""A real MCP server, written with the SDK. Run as a program: `python mcp_server.py` speaks over stdio,
`python mcp_server.py http|sse PORT KEY` over HTTP on loopback, with KEY as the bearer token that it accepts.

MCP_TEST_WORD, if set, changes the description of the tool `add`.
"""

import asyncio
import os
import sys
from pathlib import Path
from typing import Annotated, Any

import uvicorn
from mcp.server import MCPServer
from mcp.server.mcpserver import Context, Image
from mcp.server.mcpserver.resolve import Elicit, ListRoots, Resolve
from mcp_types import (
    Completion,
    CompletionArgument,
    CompletionContext,
    EmbeddedResource,
    ListRootsResult,
    PromptReference,
    ResourceLink,
    TextContent,
    TextResourceContents,
    ToolAnnotations,
)
from pydantic import BaseModel
from starlette.responses import Response

PIXEL = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010802000000907753de0000000c49444154789c63f8cfc0000003010100c9fe92ef"
    "0000000049454e44ae426082"
)

server = MCPServer("demo", instructions="Adds numbers.")


@server.tool(
    description=f"Add two numbers{os.environ.get('MCP_TEST_WORD', '')}.",
    annotations=ToolAnnotations(read_only_hint=True),
)
def add(a: int, b: int) -> int:
    print(f"adding {a} and {b}", file=sys.stderr, flush=True)
    with Path("calls.txt").open("a") as file:
        file.write(f"{a}+{b}\n")
    return a + b


@server.tool()
def everything() -> list[TextContent | Image | EmbeddedResource | ResourceLink]:
    """Answer with a text, a picture, an embedded resource and a link."""
    return [
        TextContent(type="text", text="A text."),
        Image(data=PIXEL, format="png"),
        EmbeddedResource(
            type="resource", resource=TextResourceContents(uri="note://one", mime_type="text/plain", text="A note.")
        ),
        ResourceLink(type="resource_link", uri="note://two", name="two", title="The second note"),
    ]


@server.tool()
def long(size: int) -> str:
    """Answer with a long text."""
    return "word " * (size // 5)


@server.tool()
def broken() -> str:
    """Fail."""
    raise ValueError("It is broken.")


def note(text: str) -> None:
    Path("slow.txt").write_text(text)


@server.tool()
async def slow(ctx: Context, seconds: float) -> str:
    """Report progress in ten steps for `seconds`, then return a text."""
    note("began")
    for part in range(10):
        await ctx.report_progress(part, 10, f"part {part}")
        await asyncio.sleep(seconds / 10)
    return "Done."


@server.tool()
def crash() -> str:
    """End the server's process without an answer."""
    os._exit(3)


@server.tool()
def key(ctx: Context) -> str:
    """Return the API key in the request's Authorization header."""
    request: Any = ctx.request_context.request
    return f"The key is {request.headers['authorization']}."


@server.prompt(title="Greet somebody")
def greet(name: str, tone: str = "friendly") -> str:
    """Write a greeting."""
    return f"Greet {name} in a {tone} tone."


@server.resource("note://{name}", description="A note by its name.")
def note_of(name: str) -> str:
    return f"The note {name}."


@server.resource("guide://install", title="How to install", mime_type="text/plain")
def guide() -> str:
    return "Run make install."


@server.tool()
async def grow(ctx: Context, words: str = "It came later.") -> str:
    """Offer another tool, described with these words, and say so."""
    if any(tool.name == "later" for tool in await server.list_tools()):
        server.remove_tool("later")
    server.add_tool(lambda: "I am new.", name="later", description=words)
    await ctx.notify_tools_changed()
    if sys.argv[1:2] == ["sse"]:  # clients with a handshake do not listen to the former
        await ctx.session.send_tool_list_changed()
    return "Grown."


def ask_for_roots() -> ListRoots:
    return ListRoots()


@server.tool()
def where(roots: Annotated[ListRootsResult, Resolve(ask_for_roots)]) -> str:
    """Name the folders that the client works in."""
    return ", ".join(f"{root.name}: {root.uri}" for root in roots.roots)


@server.completion()  # type: ignore[no-untyped-call, untyped-decorator]
async def completed(ref: Any, argument: CompletionArgument, context: CompletionContext | None) -> Completion | None:
    """Complete the arguments of the prompt `greet`. The suggested tones depend on the argument `name`."""
    if not isinstance(ref, PromptReference) or ref.name != "greet":
        return None
    given = (context.arguments if context else None) or {}
    known = {"name": ["Ada", "Adele", "Grace"], "tone": ["friendly", "formal", f"like {given.get('name', 'nobody')}"]}
    fitting = [each for each in known[argument.name] if each.lower().startswith(argument.value.lower())]
    return Completion(values=fitting, has_more=False)


class Wish(BaseModel):
    tea: str
    cups: int = 2


def ask_for_wish() -> Elicit[Wish]:
    return Elicit("What would you like?", Wish)


@server.tool()
def order(wish: Annotated[Wish, Resolve(ask_for_wish)]) -> str:
    """Return the order (tea and cups) that the person has entered in a form."""
    return f"{wish.cups} cups of {wish.tea}"


@server.tool()
def variables() -> str:
    """Return the environment variables whose names begin with DEMO_."""
    return " ".join(f"{name}={value}" for name, value in sorted(os.environ.items()) if name.startswith("DEMO_"))


class WithKey:
    """ASGI middleware that answers 401 to requests without the key."""

    def __init__(self, app: Any, key: str) -> None:
        self._app = app
        self._key = f"Bearer {key}".encode()

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "http" and dict(scope["headers"]).get(b"authorization") != self._key:
            await Response(status_code=401)(scope, receive, send)
        else:
            await self._app(scope, receive, send)


def main(transport: str = "stdio", port: str = "0", key: str = "") -> None:
    if transport == "stdio":
        server.run()
    else:
        app = server.sse_app() if transport == "sse" else server.streamable_http_app()
        uvicorn.run(WithKey(app, key), host="127.0.0.1", port=int(port), log_level="warning")


if __name__ == "__main__":
    main(*sys.argv[1:])
