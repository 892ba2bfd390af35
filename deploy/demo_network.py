"""Show the network of a workspace in the demo: a download that is refused and one that is allowed."""

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final

import httpx

from agentsite.client import TurnResult

PLACE: Final = "DEMO_DOWNLOAD"
"""The variable with the host and port of the download, which the site exempts with NETWORK_ALLOW."""
CONTENT: Final = b"tea,price\nassam,4.20\nsencha,5.10\n"
REFUSED: Final = "http://downloads.example.org/prices.csv"
PROMPT: Final = "Run `curl -sS {}`"

Run = Callable[[str], TurnResult]


class NetworkShownWrong(Exception):
    """A download that the policy denies was possible, or one that it allows was refused."""


def show_network(address: str, token: str, project_id: str, run: Run, say: Callable[[str], None]) -> None:
    """Try a download that the project's policy denies and one that it allows. Raises NetworkShownWrong."""
    place = os.environ.get(PLACE, "")
    if not place:
        say("\nDownloads are shown only on a site that the demo has started itself.")
        return
    with _serving(place), _rules(address, token, project_id, place):
        say("\nA download that the project's policy denies:")
        _require(_output(run(PROMPT.format(REFUSED))), "is refused by a rule")
        say("\nA download that it allows:")
        _require(_output(run(PROMPT.format(f"http://{place}/prices.csv"))), "sencha,5.10")


def _output(result: TurnResult) -> str:
    return "\n".join(call.output for call in result.calls.values() if call.tool == "bash")


def _require(output: str, words: str) -> None:
    if words not in output:
        raise NetworkShownWrong(f"The output of the download does not contain '{words}', but: {output[:300]}")


@contextmanager
def _rules(address: str, token: str, project_id: str, place: str) -> Iterator[None]:
    """Change the project's policy for the duration of the block: it allows the host and port `place`, and denies the
    hosts below example.org."""
    path = f"/api/v1/policies/{project_id}"
    headers = {"Authorization": f"Bearer {token}"}
    with httpx.Client(base_url=address, headers=headers, timeout=30, trust_env=False) as http:
        before = _document(http, path)
        sandbox = {**(before["options"].get("sandbox") or {}), "network": "allowlist"}
        changed = {
            **before,
            "options": {**before["options"], "sandbox": sandbox},
            "rules": [*before["rules"], {"permission": "egress", "pattern": place, "action": "allow"}],
            "enforced": [*before["enforced"], {"permission": "egress", "pattern": "*.example.org", "action": "deny"}],
        }
        _save(http, path, changed, "Show two downloads")
        try:
            yield
        finally:
            _save(http, path, before, "As before the demo")


def _document(http: httpx.Client, path: str) -> dict[str, Any]:
    found = http.get(path).raise_for_status().json()
    return {name: found[name] for name in ("preset", "rules", "enforced", "options", "expectations")}


def _save(http: httpx.Client, path: str, document: dict[str, Any], reason: str) -> None:
    version = http.get(path).raise_for_status().json()["version"]
    body = {"document": document, "base_version": version, "reason": reason}
    http.put(path, json=body).raise_for_status()


class _Prices(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Length", str(len(CONTENT)))
        self.end_headers()
        self.wfile.write(CONTENT)

    def log_message(self, *_: Any) -> None:
        """Write no log of requests, because the demo prints only the results of its commands."""


@contextmanager
def _serving(place: str) -> Iterator[None]:
    host, _, port = place.rpartition(":")
    server = ThreadingHTTPServer((host, int(port)), _Prices)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield
    finally:
        server.shutdown()
        server.server_close()
