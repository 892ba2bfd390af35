"""Get the diagnostics of a file from a language server.

Depending on the server, they are requested by pull diagnostics, requested with commands of tsserver, or received as
notifications.
"""

import asyncio
from collections.abc import Iterator, Mapping
from typing import Any, Final

from lsprotocol import types

from tools_app.languages import protocol
from tools_app.languages.client import LanguageClient
from tools_app.languages.diagnostic_format import SEVERITIES, Problem, bounded
from tools_app.languages.documents import Document
from tools_app.languages.positions import to_characters
from tools_app.languages.protocol import Finding

TSSERVER_COMMAND: Final = "typescript.tsserverRequest"
TSSERVER_REQUESTS: Final = ("syntacticDiagnosticsSync", "semanticDiagnosticsSync")
TSSERVER_SEVERITIES: Final = {"error": 1, "warning": 2, "suggestion": 4}
"""typescript-language-server publishes its diagnostics in several messages, type errors last. So tsserver is requested
directly instead of waiting for them."""


async def find_problems(client: LanguageClient, document: Document, *, timeout_seconds: float) -> list[Problem]:
    """Return the problems in a file that the server has open.

    Raises TimeoutError after `timeout_seconds` seconds, ServerFailed if the server fails.
    """
    async with asyncio.timeout(timeout_seconds):
        findings = await _findings(client, document, timeout_seconds)
    lines = document.lines
    return [_to_problem(finding, document, lines, client.spec.id) for finding in findings]


async def _findings(client: LanguageClient, document: Document, timeout_seconds: float) -> list[Finding]:
    if protocol.supports(client.capabilities, "diagnostic_provider"):
        params = {"textDocument": {"uri": protocol.to_uri(document.path)}}
        report = await client.request(types.TEXT_DOCUMENT_DIAGNOSTIC, params, timeout_seconds=timeout_seconds)
        return protocol.to_findings(getattr(report, "items", ()))
    if TSSERVER_COMMAND in protocol.commands_of(client.capabilities):
        return await _request_tsserver(client, document, timeout_seconds)
    return await client.published.wait_for(document.path)


async def _request_tsserver(client: LanguageClient, document: Document, timeout_seconds: float) -> list[Finding]:
    found: list[Finding] = []
    for request in TSSERVER_REQUESTS:
        params = {"command": TSSERVER_COMMAND, "arguments": [request, {"file": document.path}]}
        answer = await client.request(types.WORKSPACE_EXECUTE_COMMAND, params, timeout_seconds=timeout_seconds)
        found += _of_tsserver(answer)
    return found


def _of_tsserver(answer: Any) -> Iterator[Finding]:
    """Convert tsserver's diagnostics, skipping malformed ones.

    In tsserver, lines and columns count from 1, columns in UTF-16 code units.
    """
    body = answer.get("body") if isinstance(answer, Mapping) else None
    for item in body if isinstance(body, list) else ():
        start = item.get("start") if isinstance(item, Mapping) else None
        if not isinstance(start, Mapping):
            continue
        line, offset = start.get("line"), start.get("offset")
        if isinstance(line, int) and isinstance(offset, int):
            severity = TSSERVER_SEVERITIES.get(str(item.get("category")), 3)
            yield Finding(line - 1, offset - 1, severity, f"{item.get('text')} ({item.get('code')})", "typescript")


def _to_problem(finding: Finding, document: Document, lines: list[str], server: str) -> Problem:
    line, column = to_characters(lines, finding.line, finding.unit)
    severity = SEVERITIES[min(max(finding.severity, 1), len(SEVERITIES)) - 1]
    return Problem(document.shown, line, column, severity, bounded(finding.message), finding.source[:50] or server)
