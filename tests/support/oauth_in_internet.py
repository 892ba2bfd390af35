"""Try sign-ins at MCP servers that name addresses of the SSRF corpus: `python -m tests.support.oauth_in_internet`.

It runs in its own namespaces, in a network in which every address answers. The MCP server and its honest authorization
server are simulated without a network; connections to all other addresses are opened as in a guarded process.
"""

import asyncio
import json
import sys
import tomllib
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import httpx2

from tests.support.deadline import wait_until
from tests.support.whole_internet import CORPUS, TLS, World, cases, make_everything_local
from tools_app.mcp.oauth.orders import OAuthClient, OAuthOrder, OAuthState, Step
from tools_app.mcp.oauth.process import _reason, run_step
from tools_app.mcp.pinned import PinnedTransport
from tools_app.web.rules import WebRules

MCP: Final = "https://mcp.example.com/mcp"
ISSUER: Final = "https://honest.example.com"
CONTROL: Final = "https://public.example.org/"
RULES: Final = WebRules()
CLIENT: Final = OAuthClient("agentsite", "https://site.example.com", "https://site.example.com/oauth/mcp/callback")

STEPS: Final[Mapping[str, Sequence[Step]]] = {"token": ("finish", "refresh"), "revoke": ("revoke",)}
"""The steps in which an address of this kind is used, if it is not the first step."""

Named = Mapping[str, str]
"""Hostile addresses that the servers name, by purpose; all others are honest."""


def metadata(named: Named) -> dict[str, Any]:
    return {
        "issuer": ISSUER,
        "authorization_endpoint": named.get("authorize", f"{ISSUER}/authorize"),
        "token_endpoint": named.get("token", f"{ISSUER}/token"),
        "registration_endpoint": named.get("register", f"{ISSUER}/register"),
        "revocation_endpoint": named.get("revoke", f"{ISSUER}/revoke"),
        "code_challenge_methods_supported": ["S256"],
    }


def honest(named: Named) -> Callable[[httpx2.Request], httpx2.Response]:
    """Return a function that answers as the MCP server and its authorization server."""

    def answer(request: httpx2.Request) -> httpx2.Response:
        path = request.url.path
        if path == "/mcp":
            challenge = f'Bearer resource_metadata="{named["metadata"]}"' if "metadata" in named else "Bearer"
            return httpx2.Response(401, headers={"WWW-Authenticate": challenge})
        if path.startswith("/.well-known/oauth-protected-resource"):
            if "redirect" in named:
                return httpx2.Response(307, headers={"Location": named["redirect"]})
            servers = [named.get("server", ISSUER)]
            return httpx2.Response(200, json={"resource": MCP, "authorization_servers": servers})
        if path.startswith("/.well-known/"):
            return httpx2.Response(200, json=metadata(named))
        if path == "/register":
            return httpx2.Response(201, json={"client_id": "site", "redirect_uris": [CLIENT.redirect_uri]})
        return httpx2.Response(404)

    return answer


async def attempt(what: str, url: str) -> str:
    """Run the steps of a sign-in at an MCP server in which `url` replaces one address, named by `what` (one of `WAYS`).
    Return the outcome of each step."""
    named = {what: url}
    own = httpx2.MockTransport(honest(named))
    mounts = {"https://mcp.example.com": own, ISSUER: own} if what != "url" else {}
    http = httpx2.AsyncClient(
        transport=PinnedTransport(RULES, TLS), mounts=mounts,
        timeout=1, trust_env=False,
    )  # fmt: skip
    target = url if what == "url" else MCP
    tokens = {"access_token": "a" * 20, "refresh_token": "r" * 20}
    known = OAuthState(
        resource={"resource": MCP, "authorization_servers": [ISSUER]}, server=metadata(named), issuer=ISSUER,
        client={"client_id": "site", "redirect_uris": [CLIENT.redirect_uri]}, verifier="v" * 43, tokens=tokens,
    )  # fmt: skip
    said = []
    async with http:
        for step in STEPS.get(what, ("begin",)):
            state = OAuthState() if step == "begin" else known
            order = OAuthOrder(step, target, CLIENT, (), "", state=state, code="c")
            try:
                kind, found = await run_step(order, http, RULES)
            except Exception as error:  # noqa: BLE001 - as in the guarded process
                kind, found = "failed", _reason(error)
            said.append(f"{kind}: {found.get('problem', found.get('url', ''))}")
    return "; ".join(said)


WAYS: Final = ("url", "metadata", "redirect", "server", "register", "token", "revoke", "authorize")


def main() -> None:
    corpus = tomllib.loads(CORPUS.read_text())
    make_everything_local(corpus["own"])
    world = World(corpus)
    world.start()
    refused = [url for why, url in cases(corpus) if why != "reached"]
    secure = [url.replace("http://", "https://", 1) for url in refused if url.startswith("http://")]
    for what in WAYS:
        for url in [*dict.fromkeys([*refused, *secure]), CONTROL]:
            world.forget()
            words = asyncio.run(attempt(what, url))
            if url == CONTROL and what not in ("redirect", "authorize"):
                wait_until(lambda: bool(world.reached), f"the control is reached by {what}: {words}")
            sys.stdout.write(json.dumps({"how": what, "url": url, "words": words, "reached": world.reached}) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
