"""The MCP client that the protocol's official conformance suite tests.

It runs the code of the site's guarded processes in one process that may reach addresses of this machine, and acts like
a person: it opens the address of a sign-in like a browser, calls each tool once, and sends each form unchanged.

The suite starts all scenarios at once, too many to complete within their timeouts. Therefore it starts the small
`conformance_call.py`, which passes its scenario to one process (`serving`) that runs them one after another.
"""

import asyncio
import json
import logging
import os
import socket
import ssl
import subprocess
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final
from urllib.parse import parse_qs, urlsplit

import httpx2

from agentsite.base.environment import REPOSITORY
from tools_app.mcp import remote_process
from tools_app.mcp.definitions import ServerTool
from tools_app.mcp.forms import Form, FormReply, defaults_of
from tools_app.mcp.oauth.orders import OAuthClient, OAuthOrder, OAuthState
from tools_app.mcp.oauth.process import run_step
from tools_app.mcp.pinned import client as pinned_client
from tools_app.web.address import IpAddress, WebAddress
from tools_app.web.rules import WebRules

CALLBACK: Final = "http://localhost:8123/oauth/mcp/callback"
DOCUMENT: Final = "https://conformance-test.local/client-metadata.json"
MAX_SIGN_INS: Final = 3


class OnThisMachine(WebRules):
    """Rules that allow everything: the servers of the suite have random ports of this machine."""

    def exempts(self, address: WebAddress) -> bool:
        return True

    def check(self, address: WebAddress) -> None:
        return

    def check_ip(self, address: WebAddress, ip: IpAddress, own: frozenset[IpAddress] = frozenset()) -> None:
        return


RULES: Final = OnThisMachine()


def some_arguments(tool: ServerTool) -> dict[str, Any]:
    """Return arguments that fit a tool's schema."""
    kinds = {"number": 2, "integer": 2, "string": "wörd", "boolean": True, "array": [], "object": {}}
    return {
        name: kinds.get(str(each.get("type")), "word")
        for name, each in tool.schema.get("properties", {}).items()
        if name in tool.schema.get("required", ())
    }


async def send_unchanged(form: Form) -> FormReply:
    """Send a form with only the values that the server has filled in."""
    return FormReply("accept", defaults_of(form))


@dataclass
class Heard:
    """The last message of a guarded process."""

    kind: str = ""
    body: bytes = b""
    fields: Any = None

    def send(self, kind: str, body: bytes = b"", **fields: Any) -> None:
        self.kind, self.body, self.fields = kind, body, fields


class SuiteClient:
    def __init__(self, url: str, context: dict[str, Any]) -> None:
        self.url = url
        self.tls = ssl.create_default_context()
        self.state = OAuthState()
        self.registered: Any = None
        if context.get("client_id"):
            self.registered = {name: context[name] for name in ("client_id", "client_secret") if name in context}

    async def run(self) -> None:
        listed = await self.ask()
        tools = [ServerTool.from_dict(each) for each in json.loads(listed.body)["tools"]]
        for tool in tools:
            await self.ask(tool)

    async def ask(self, tool: ServerTool | None = None) -> Heard:
        """List the tools, or call one; sign in when the server requires it, at most `MAX_SIGN_INS` times."""
        for _ in range(MAX_SIGN_INS + 1):
            heard = await self.ask_once(tool)
            if heard.kind != "failed":
                return heard
            if not heard.fields["sign_in"]:
                break
            await self.sign_in(heard.fields["challenge"], heard.fields["wanted"])
        raise SystemExit(f"failed: {heard.fields}")

    async def ask_once(self, tool: ServerTool | None) -> Heard:
        heard = Heard()
        setattr(remote_process, "send", heard.send)  # noqa: B010 - what the process would write
        setattr(remote_process, "ask_people", send_unchanged)  # noqa: B010 - what the door would reply
        token = self.state.access_token
        order = remote_process.Order(
            url=self.url, transport="http", headers={"Authorization": f"Bearer {token}"} if token else {}, allowed=[],
            certificates="", seconds=20.0, tool=tool.name if tool else "", digest=tool.digest if tool else "",
            arguments=some_arguments(tool) if tool else {}, asks_people=True,
        )  # fmt: skip
        wire = remote_process._Wire()
        try:
            await remote_process._ask(order, wire, RULES, self.tls)
        except (Exception, BaseExceptionGroup) as error:  # noqa: BLE001 - as in the guarded process
            heard.send("failed", **remote_process._reason(error, wire, order))
        return heard

    async def sign_in(self, challenge: str, wanted: str) -> None:
        before = str((self.state.tokens or {}).get("scope", "")) if wanted else ""
        begun = await self.step("begin", OAuthState(), scope=f"{before} {wanted}".strip(), challenge=challenge)
        async with httpx2.AsyncClient() as browser:
            page = await browser.get(begun["url"])
        answer = {name: values[0] for name, values in parse_qs(urlsplit(page.headers["location"]).query).items()}
        if answer.get("state") != begun["key"]:
            raise SystemExit("failed: another state")
        state = OAuthState(**begun["state"])
        self.registered = state.client
        done = await self.step("finish", state, code=answer["code"], iss=answer.get("iss"))
        self.state = OAuthState(**done["state"])

    async def step(self, step: Any, state: OAuthState, **fields: Any) -> dict[str, Any]:
        client = OAuthClient("agentsite", "http://localhost:8123", CALLBACK, DOCUMENT, self.registered)
        order = OAuthOrder(step, self.url, client, (), "", state=state)
        async with pinned_client(RULES, self.tls, {}, 15.0, {}) as http:
            _, found = await run_step(replace(order, **fields), http, RULES)
        return found


def serve(path: str) -> None:
    """Run each scenario {url, context} that arrives on the socket in a forked process, and reply with its failure, or
    "" if it succeeds."""
    logging.disable(logging.CRITICAL)
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(path)
        listening.listen(64)
        print("ready", flush=True)
        while True:
            connection, _ = listening.accept()
            with connection:
                if (child := os.fork()) == 0:
                    connection.sendall(_problem(json.loads(connection.makefile().readline())).encode())
                    os._exit(0)
                os.waitpid(child, 0)


def _problem(scenario: dict[str, Any]) -> str:
    try:
        asyncio.run(SuiteClient(scenario["url"], scenario["context"]).run())
    except BaseException:  # noqa: BLE001 - the suite must hear of it, whatever it is
        return traceback.format_exc()
    return ""


@contextmanager
def serving(folder: Path) -> Iterator[str]:
    """Run the server that plays the client's side of each scenario; yield the command that the conformance suite calls
    as its client."""
    path = folder / "suite.sock"
    command = [sys.executable, "-m", "tests.support.conformance_client", str(path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, cwd=REPOSITORY) as server:
        try:
            assert server.stdout is not None
            assert server.stdout.readline() == b"ready\n"
            yield f"{sys.executable} -I -S {Path(__file__).with_name('conformance_call.py')} {path}"
        finally:
            server.kill()


if __name__ == "__main__":
    serve(sys.argv[1])
