"""Permission rules that a repository brings along. They are untrusted: they may tighten, and loosen only what the
team's policy names (see `documents.Options.loosenable`)."""

import json
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, Final

import jsonc

from tools_app.permission.model import BadRule, Rule, rules_from_config
from tools_app.permission.presets import HOME

FILES: Final = tuple(
    f"{folder}{name}.{ending}"
    for folder in ("", ".opencode/", ".agentsite/")
    for name in ("opencode", "agentsite")
    for ending in ("json", "jsonc")
)
"""Where rules may stand, later ones win."""

FILE_LIMIT: Final = 65_536  # bytes
MOST_RULES: Final = 500


def read_file(path: str, text: str) -> dict[str, Any]:
    """What one file says: {path, permission, problem}. A file that cannot be read has a problem and no rules; people
    see it, and nothing becomes looser."""
    try:
        return {"path": path, "permission": _permission_block(text), "problem": ""}
    except (ValueError, RecursionError) as error:
        return {"path": path, "permission": {}, "problem": f"It was not understood: {str(error)[:300]}"}


def file_rules(files: Sequence[Mapping[str, Any]]) -> tuple[Rule, ...]:
    """The rules of all files of a workspace, in their order."""
    return _rules(json.dumps([item["permission"] for item in files])) if files else ()


def _permission_block(text: str) -> dict[str, Any]:
    content = jsonc.loads(text)
    if not isinstance(content, dict):
        raise BadRule("the file is not a JSON object.")
    block = content.get("permission", {})
    if isinstance(block, str):
        block = {"*": block}
    if not isinstance(block, dict):
        raise BadRule("`permission` is neither an action nor an object.")
    if len(rules_from_config(block, home=HOME)) > MOST_RULES:
        raise BadRule(f"more than {MOST_RULES} rules.")
    return block


@lru_cache(maxsize=256)
def _rules(blocks: str) -> tuple[Rule, ...]:
    return tuple(rule for block in json.loads(blocks) for rule in rules_from_config(block, home=HOME))
