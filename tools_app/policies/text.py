"""Policies as text with one rule per line, used for diffs in the audit log and the interface.

    preset = balanced
    allow bash git log *
    ! deny read *.pem

`!` marks an enforced rule. Options are `key = value`; expectations follow as comments.
"""

from collections import Counter
from collections.abc import Iterator
from typing import Final

from tools_app.diffing import unified_diff
from tools_app.policies.documents import Expectation, Options, PolicyDocument, RuleDocument
from tools_app.text import counted

_ESCAPES: Final = {"\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
_TO_ESCAPED: Final = str.maketrans(_ESCAPES)


def as_text(document: PolicyDocument) -> str:
    """Return the text of a document; "" for an empty one. Equal documents give equal texts."""
    return "".join(f"{line}\n" for line in _lines(document))


def diff_of(before: PolicyDocument, after: PolicyDocument) -> str:
    """Return a unified diff of the texts of two documents; "" if they are equal."""
    return unified_diff(as_text(before), as_text(after), path="policy").diff


def changes_of(before: PolicyDocument, after: PolicyDocument) -> str:
    """Describe the changes in a few words, such as "3 rules added, 1 removed"."""
    old, new = Counter(_rule_lines(before)), Counter(_rule_lines(after))
    changes = list(_counted_changes(added=(new - old).total(), removed=(old - new).total()))
    if old == new and list(_rule_lines(before)) != list(_rule_lines(after)):
        changes.append("rules reordered")
    if before.preset != after.preset:
        changes.append(f"preset {after.preset or 'inherited'}")
    if before.options != after.options:
        changes.append("options changed")
    if before.expectations != after.expectations:
        changes.append("expectations changed")
    return ", ".join(changes) or "nothing changed"


def _counted_changes(*, added: int, removed: int) -> Iterator[str]:
    if added:
        yield f"{counted(added, 'rule')} added"
    if removed:
        yield f"{removed:,} removed" if added else f"{counted(removed, 'rule')} removed"


def _lines(document: PolicyDocument) -> Iterator[str]:
    if document.preset:
        yield f"preset = {document.preset}"
    yield from _rule_lines(document)
    yield from _option_lines(document)
    yield from map(_expectation_line, document.expectations)


def _rule_lines(document: PolicyDocument) -> Iterator[str]:
    yield from map(_rule_line, document.rules)
    yield from (f"! {_rule_line(rule)}" for rule in document.enforced)


def _rule_line(rule: RuleDocument) -> str:
    return f"{rule.action} {_escaped(rule.permission)} {_escaped(rule.pattern)}"


def _option_lines(document: PolicyDocument) -> Iterator[str]:
    options = document.options
    yield from _plain_option_lines(options)
    for scope in ("session", "project", "team"):
        if (granter := getattr(options.always, scope)) is not None:
            yield f"always.{scope} = {granter}"
    for item in options.loosenable:
        yield f"loosenable = {_escaped(item.permission)} {_escaped(item.pattern)}"
    for name, value in options.sandbox.model_dump(exclude_none=True).items():
        yield f"sandbox.{name} = {value:g}" if isinstance(value, float) else f"sandbox.{name} = {value}"
    for name, value in options.tool_output.model_dump(exclude_none=True).items():
        yield f"tool_output.{name} = {value}"
    for name, value in options.mcp.model_dump(exclude_none=True).items():
        yield f"mcp.{name} = {_shown(value)}"


def _shown(value: bool | list[str]) -> str:
    return ", ".join(value) or "none" if isinstance(value, list) else str(value).lower()


def _plain_option_lines(options: Options) -> Iterator[str]:
    if options.approvers is not None:
        yield f"approvers = {options.approvers}"
    if options.incomplete_commands is not None:
        yield f"incomplete_commands = {options.incomplete_commands}"
    if options.wait_hours is not None:
        yield f"wait_hours = {options.wait_hours:g}"
    if options.public_share_links is not None:
        yield f"public_share_links = {str(options.public_share_links).lower()}"
    if options.subagent_depth is not None:
        yield f"subagent_depth = {options.subagent_depth}"


def _expectation_line(expectation: Expectation) -> str:
    call = (
        f"command {expectation.command}" if expectation.command else f"{expectation.permission} {expectation.pattern}"
    )
    note = f"  ({expectation.note})" if expectation.note else ""
    return f"# expect {expectation.expect} for {_escaped(expectation.agent)}: {_escaped(call)}{_escaped(note)}"


def _escaped(text: str) -> str:
    return text.translate(_TO_ESCAPED)
