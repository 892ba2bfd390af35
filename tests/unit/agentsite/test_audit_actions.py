"""The table of audit actions matches the actions that the code records, and the documentation."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final

from agentsite.base.environment import REPOSITORY
from agentsite.tenancy.audit_actions import ACTIONS
from sessions_app.events.schema import EVENT_VIEWS
from tests.support.parsed_once import syntax_trees

NAME: Final = re.compile(r"[a-z_]+\.[a-z_]+")
AREAS: Final = {action.partition(".")[0] for action in ACTIONS}
NO_ACTIONS: Final = frozenset(EVENT_VIEWS) | {
    "session.events", "session.links", "session.presence", "session.deleted", "workspace.lost", "workspace.restored",
    "session.delta", "session.audience", "project.notices", "budget.updated",
    "budget.nearly_used", "budget.used_up", "budget.raised", "call.get", "site.lock",
    "account.end_others", "account.join_team", "account.notify_sockets", "provider.answer",
    "account.reset_email_counts", "review.requested", "review.done", "comparison.ended",
}  # fmt: skip
"""Other texts in the form of an action: events, frames, messages of the channel layer, receivers and webhook events."""
TABLE: Final = "audit_actions.py"


def _said(tree: ast.AST) -> Iterator[str]:
    """Yield each string in the source that has the form of an audit action. A verb passed to `record_act` or
    `_enqueue_audited` is yielded as "workspace.<verb>"."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and _name_of(node.func) in ("record_act", "_enqueue_audited"):
            verbs = [one.value for one in node.args if isinstance(one, ast.Constant) and isinstance(one.value, str)]
            yield from (f"workspace.{verb}" for verb in verbs)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and NAME.fullmatch(node.value):
            yield node.value


def _name_of(function: ast.expr) -> str:
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


@cache
def recorded() -> set[str]:
    said = {text for path, tree in syntax_trees() if path.name != TABLE for text in _said(tree)}
    return {text for text in said if text.partition(".")[0] in AREAS} - NO_ACTIONS


def test_every_action_that_the_code_records_is_in_the_table() -> None:
    assert recorded() - set(ACTIONS) == set()


def test_every_action_of_the_table_is_recorded_somewhere() -> None:
    told = {"workspace.export", "workspace.download"}  # by a function of their module
    assert set(ACTIONS) - recorded() - told == set()


def test_the_documentation_shows_the_table() -> None:
    page = (Path(REPOSITORY) / "docs" / "audit.md").read_text()
    missing = [action for action, meaning in ACTIONS.items() if f"| `{action}` | {meaning} |" not in page]
    assert not missing
