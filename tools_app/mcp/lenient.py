"""Accept MCP results without a `resultType`, which the MCP library refuses although the protocol allows them."""

from collections.abc import Mapping
from typing import Any

from mcp import Client
from mcp_types.version import MODERN_PROTOCOL_VERSIONS


def accept_results_without_type(client: Client) -> None:
    """Read results without a `resultType` as complete ones, as revision 2026-07-28 demands of clients. The client must
    be connected."""
    if client.protocol_version not in MODERN_PROTOCOL_VERSIONS:
        return
    dispatcher = getattr(client.session, "_dispatcher")  # noqa: B009 - the library has no other place for this
    send = dispatcher.send_raw_request

    async def sent(method: str, params: Mapping[str, Any] | None, opts: Any = None) -> dict[str, Any]:
        return {"resultType": "complete", **await send(method, params, opts)}

    setattr(dispatcher, "send_raw_request", sent)  # noqa: B010 - of this connection alone
