"""Project files: permission rules in the repository.

They are not trusted: they may make rules stricter, but loosen only the rules that the team's policy lists
(`documents.Options.loosenable`).
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, Final

from tools_app.permission.model import Action, BadRule, Rule, rules_from_config
from tools_app.permission.presets import HOME
from tools_app.policies import jsonc
from tools_app.policies.documents import MAX_PATTERN_CHARS
from tools_app.policies.opencode_rules import rules_block, rules_of_tools
from tools_app.project_paths import PROJECT_FILES
from tools_app.text import clean, is_clean

FILES: Final = PROJECT_FILES
"""Rules in later files override those in earlier ones."""

MAX_FILE_BYTES: Final = 65_536
MAX_RULES: Final = 500  # of all files together, because each part of each call is matched against all of them


def read_file(path: str, content: bytes) -> dict[str, Any]:
    """Parse a project file into {path, permission, rules, problem}.

    `permission` is the block as written, for people. `rules` are the resulting rules, as a list, because databases do
    not keep the order of keys. A file that cannot be parsed has a `problem`, which people see, and no rules.
    """
    try:
        block = _permission_block(content.decode("utf-8-sig"))
        rules = [rule.as_dict() for rule in _checked_rules(block)]
    except (ValueError, RecursionError) as error:
        return broken_file(path, f"The file cannot be parsed: {error}")
    return {"path": path, "permission": block, "rules": rules, "problem": ""}


def broken_file(path: str, problem: str) -> dict[str, Any]:
    """Return the entry for a file without rules, with the problem as the reason."""
    return {"path": path, "permission": {}, "rules": [], "problem": clean(problem[:300])}


def bounded_files(files: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Limit the rules of all files together to `MAX_RULES`: a file that would exceed the limit is replaced by an entry
    with a problem."""
    kept: list[dict[str, Any]] = []
    room = MAX_RULES
    for file in files:
        fits = len(file["rules"]) <= room
        room -= len(file["rules"]) if fits else 0
        problem = f"This file and the files before it have more than {MAX_RULES} rules in total."
        kept.append(file if fits else broken_file(file["path"], problem))
    return kept


def file_rules(files: Sequence[Mapping[str, Any]]) -> tuple[Rule, ...]:
    """Return the rules of all project files of a workspace, in their order."""
    rules = [(rule["permission"], rule["pattern"], rule["action"]) for item in files for rule in item["rules"]]
    return _rules(tuple(rules))


def _permission_block(text: str) -> dict[str, Any]:
    content = jsonc.loads(text)
    if not isinstance(content, dict):
        raise BadRule("the file must contain a JSON object.")
    block = rules_block(content.get("permission", content.get("permissions", {})))
    if isinstance(block, str):
        block = {"*": block}
    if not isinstance(block, dict):
        raise BadRule("`permission` must be an action or an object.")
    older = {name: action for name, action in rules_of_tools(content.get("tools")).items() if name not in block}
    return {**older, **block}


def _checked_rules(block: Mapping[str, Any]) -> tuple[Rule, ...]:
    rules = rules_from_config(block, home=HOME)
    if len(rules) > MAX_RULES:
        raise BadRule(f"it has more than {MAX_RULES} rules.")
    if any(max(len(rule.permission), len(rule.pattern)) > MAX_PATTERN_CHARS for rule in rules):
        raise BadRule(f"a permission or a pattern has more than {MAX_PATTERN_CHARS:,} characters.")
    if not all(map(is_clean, _names_in(block))):
        raise BadRule("a text contains a NUL or an incomplete character.")
    return rules


def _names_in(block: Mapping[str, Any]) -> Iterator[str]:
    """Yield all permissions and patterns that a block of rules names, including permissions without patterns, which
    result in no rule."""
    for permission, value in block.items():
        yield permission
        yield from value if isinstance(value, Mapping) else ()


@lru_cache(maxsize=256)
def _rules(rules: tuple[tuple[str, str, Action], ...]) -> tuple[Rule, ...]:
    return tuple(Rule(*rule) for rule in rules)
