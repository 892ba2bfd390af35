"""python -m tools_app.mcp.oauth.process: run one step of a sign-in at a remote MCP server, and exit.

This is a guarded process: it has the secrets of one sign-in, and parses data from the network so that the door does not
have to. Each address of an authorization server that the MCP server names is checked like any other.
"""

import asyncio
import importlib
import json
import logging
import ssl
import sys
from dataclasses import asdict
from functools import partial
from typing import Any, Final

import httpx2
from mcp.client.auth import OAuthFlowError
from mcp.shared.inbound import MCP_PROTOCOL_VERSION_HEADER
from mcp_types import LATEST_PROTOCOL_VERSION
from pydantic import ValidationError

from tools_app.mcp.oauth.flow import NeedsPerson, SteppedFlow
from tools_app.mcp.oauth.flow import Refused as RefusedByServer
from tools_app.mcp.oauth.orders import OAuthOrder
from tools_app.mcp.pinned import Refused, check, client
from tools_app.mcp.search_process import LAZY_IMPORTS
from tools_app.web.guarded.confine import confine
from tools_app.web.guarded.messages import send
from tools_app.web.rules import WebRules

CPU_SECONDS: Final = 20.0
REQUEST_SECONDS: Final = 15.0
ALL_SECONDS: Final = 45.0


def main() -> None:
    logging.disable(logging.CRITICAL)  # the SDK logs what servers answered, and tokens may be in it
    order = OAuthOrder.from_message(json.loads(sys.stdin.buffer.readline()))
    asyncio.run(_answer(order))


async def _answer(order: OAuthOrder) -> None:
    """Run one step of a sign-in, and send the result to the door (network proxy). `confine` is called after the event
    loop has started, because the loop needs a socket pair to start."""
    tls = ssl.create_default_context()
    if order.certificates:
        tls.load_verify_locations(order.certificates)
    for module in LAZY_IMPORTS:
        importlib.import_module(module)
    rules = WebRules.exempting(order.allowed)
    confine(seconds=CPU_SECONDS, ports=rules.ports)
    try:
        async with asyncio.timeout(ALL_SECONDS), client(rules, tls, {}, REQUEST_SECONDS, {}) as http:
            kind, found = await run_step(order, http, rules)
    except (Exception, BaseExceptionGroup) as error:  # noqa: BLE001 - the door must hear of it, whatever it is
        kind, found = "failed", _reason(error)
    send(kind, json.dumps(found).encode())


async def run_step(order: OAuthOrder, http: httpx2.AsyncClient, rules: WebRules) -> tuple[str, dict[str, Any]]:
    """Run one step of an OAuth sign-in at an MCP server, and return the kind and the fields of the step's result."""
    flow = SteppedFlow(order.url, order.client, order.state, partial(check, rules=rules), order.scope)
    match order.step:
        case "begin":
            try:
                await flow.begin(http, _first_request(order), order.challenge)
            except NeedsPerson as found:
                return "authorize", {"url": found.url, "key": found.key, "state": asdict(found.state)}
            raise OAuthFlowError("the flow ended early")
        case "finish":
            return "tokens", {"state": asdict(await flow.finish(http, order.code, order.iss))}
        case "refresh":
            return "tokens", {"state": asdict(await flow.refresh(http))}
    await flow.revoke(http)
    return "revoked", {}


def _first_request(order: OAuthOrder) -> httpx2.Request:
    """Return the `initialize` request with which every MCP client begins. It has no token, so the server refuses it."""
    info = {"name": "agentsite", "version": "1"}
    parameters = {"protocolVersion": LATEST_PROTOCOL_VERSION, "capabilities": {}, "clientInfo": info}
    body = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": parameters}
    headers = {
        **order.headers,
        "Accept": "application/json, text/event-stream",
        MCP_PROTOCOL_VERSION_HEADER: LATEST_PROTOCOL_VERSION,
    }
    return httpx2.Request("POST", order.url, json=body, headers=headers)


def _reason(error: BaseException) -> dict[str, Any]:
    """Return the fields of the message that reports a failure. `problem` is a verb phrase to put after the server's
    name."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    match error:
        case Refused():
            return {"problem": f"names an address that cannot be used: {str(error).removesuffix('.')}"}
        case RefusedByServer():
            return {"problem": f"refused the sign-in ({error})", "final": True}
        case TimeoutError() | httpx2.TimeoutException():
            return {"problem": "did not answer in time"}
        case ValidationError():
            return {"problem": "sent something that does not follow OAuth"}
        case OAuthFlowError():
            return {"problem": f"cannot be signed in to: {str(error)[:500].removesuffix('.')}", "final": True}
        case httpx2.HTTPStatusError():
            return {"problem": f"could not complete the sign-in: {error}"}
        case httpx2.HTTPError() | OSError():
            return {"problem": f"cannot be reached for the sign-in ({str(error)[:300] or type(error).__name__})"}
    return {"problem": f"sent something that does not follow OAuth ({type(error).__name__})"}


if __name__ == "__main__":
    main()
