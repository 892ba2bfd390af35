"""Data that many tests read and that is slow to create: syntax trees of the site's sources, and the API document."""

import ast
import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from agentsite.base.environment import REPOSITORY
from agentsite.management.commands.export_openapi import FOLDER, documents

SOURCES = ("agentsite", "sessions_app", "tools_app")


@cache
def syntax_trees() -> tuple[tuple[Path, ast.Module], ...]:
    """Return path (relative to the repository) and tree of each source file, without the Python client and migrations.

    Callers must not change the trees.
    """
    files = (path for folder in SOURCES for path in sorted((REPOSITORY / folder).rglob("*.py")))
    return tuple(
        (path.relative_to(REPOSITORY), ast.parse(path.read_text(encoding="utf-8")))
        for path in files
        if {"client", "migrations"}.isdisjoint(path.parts)
    )


@cache
def committed_api() -> Mapping[str, Any]:
    """Return the committed API document, which `tests/contract/api` compares with the code."""
    document: Mapping[str, Any] = json.loads((FOLDER / "openapi.json").read_text(encoding="utf-8"))
    return document


@cache
def made_documents() -> Mapping[str, Any]:
    """Return the API document, the event schemas and the frame schemas, generated from the code."""
    return documents()
