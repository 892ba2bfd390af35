"""Asking a server what is wrong in a file: as the protocol has it now, as tsserver has it, or by listening."""

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
"""typescript-language-server publishes what it finds in several goes, the errors of types last: it is asked instead."""


async def find_problems(client: LanguageClient, document: Document, *, patience: float) -> list[Problem]:
    """Of a file that it was shown. TimeoutError when it takes longer, ServerFailed when it cannot tell."""
    async with asyncio.timeout(patience):
        findings = await _findings(client, document, patience)
    lines = document.lines
    return [_to_problem(finding, document, lines, client.spec.id) for finding in findings]


async def _findings(client: LanguageClient, document: Document, patience: float) -> list[Finding]:
    if protocol.supports(client.capabilities, "diagnostic_provider"):
        params = {"textDocument": {"uri": protocol.to_uri(document.path)}}
        report = await client.ask(types.TEXT_DOCUMENT_DIAGNOSTIC, params, patience=patience)
        return protocol.to_findings(getattr(report, "items", ()))
    if TSSERVER_COMMAND in protocol.commands_of(client.capabilities):
        return await _ask_tsserver(client, document, patience)
    return await client.published.wait_for(document.path)


async def _ask_tsserver(client: LanguageClient, document: Document, patience: float) -> list[Finding]:
    found: list[Finding] = []
    for request in TSSERVER_REQUESTS:
        params = {"command": TSSERVER_COMMAND, "arguments": [request, {"file": document.path}]}
        answer = await client.ask(types.WORKSPACE_EXECUTE_COMMAND, params, patience=patience)
        found += _of_tsserver(answer)
    return found


def _of_tsserver(answer: Any) -> Iterator[Finding]:
    """Lines and columns count from 1 there, columns in UTF-16 units. What is not understood is left out."""
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
