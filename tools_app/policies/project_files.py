"""Permission rules that a repository brings along. They are untrusted: they may tighten, and loosen only what the
team's policy names (see `documents.Options.loosenable`)."""

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, Final

from tools_app.permission.model import Action, BadRule, Rule, rules_from_config
from tools_app.permission.presets import HOME
from tools_app.policies import jsonc
from tools_app.policies.documents import LONGEST_PATTERN
from tools_app.text import clean, is_clean

FILES: Final = tuple(
    f"{folder}{name}.{ending}"
    for folder in ("", ".opencode/", ".agentsite/")
    for name in ("opencode", "agentsite")
    for ending in ("json", "jsonc")
)
"""Where rules may stand, later ones win."""

FILE_LIMIT: Final = 65_536  # bytes
MOST_RULES: Final = 500  # of all files together: every part of every call is held against each


def read_file(path: str, content: bytes) -> dict[str, Any]:
    """What one file says: {path, permission, rules, problem}. A file that cannot be read has a problem and no rules;
    people see it, and nothing becomes looser.

    `permission` is the block for people; `rules` are what counts, as a list, since databases keep no order of keys.
    """
    try:
        block = _permission_block(content.decode("utf-8-sig"))
        rules = [rule.as_dict() for rule in _checked_rules(block)]
    except (ValueError, RecursionError) as error:
        return broken_file(path, f"It was not understood: {error}")
    return {"path": path, "permission": block, "rules": rules, "problem": ""}


def broken_file(path: str, problem: str) -> dict[str, Any]:
    """The same for a file that says nothing, for this reason."""
    return {"path": path, "permission": {}, "rules": [], "problem": clean(problem[:300])}


def bounded_files(files: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The same files, where those that would make the rules too many together say nothing and why."""
    kept: list[dict[str, Any]] = []
    room = MOST_RULES
    for said in files:
        fits = len(said["rules"]) <= room
        room -= len(said["rules"]) if fits else 0
        problem = f"Together with the files before it, it has more than {MOST_RULES} rules."
        kept.append(said if fits else broken_file(said["path"], problem))
    return kept


def file_rules(files: Sequence[Mapping[str, Any]]) -> tuple[Rule, ...]:
    """The rules of all files of a workspace, in their order."""
    rules = [(rule["permission"], rule["pattern"], rule["action"]) for item in files for rule in item["rules"]]
    return _rules(tuple(rules))


def _permission_block(text: str) -> dict[str, Any]:
    content = jsonc.loads(text)
    if not isinstance(content, dict):
        raise BadRule("the file is not a JSON object.")
    block = content.get("permission", {})
    if isinstance(block, str):
        block = {"*": block}
    if not isinstance(block, dict):
        raise BadRule("`permission` is neither an action nor an object.")
    return block


def _checked_rules(block: Mapping[str, Any]) -> tuple[Rule, ...]:
    rules = rules_from_config(block, home=HOME)
    if len(rules) > MOST_RULES:
        raise BadRule(f"more than {MOST_RULES} rules.")
    if any(max(len(rule.permission), len(rule.pattern)) > LONGEST_PATTERN for rule in rules):
        raise BadRule(f"a permission or a pattern has more than {LONGEST_PATTERN:,} characters.")
    if not all(map(is_clean, _names_in(block))):
        raise BadRule("a text holds a NUL or half of a character.")
    return rules


def _names_in(block: Mapping[str, Any]) -> Iterator[str]:
    """Permissions and patterns as they are kept; also those that make no rule, such as one with no patterns."""
    for permission, value in block.items():
        yield permission
        yield from value if isinstance(value, Mapping) else ()


@lru_cache(maxsize=256)
def _rules(rules: tuple[tuple[str, str, Action], ...]) -> tuple[Rule, ...]:
    return tuple(Rule(*rule) for rule in rules)
