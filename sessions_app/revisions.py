"""Cache values that are derived from a session's configuration until the configuration changes.

A query that loads a session with `with_revision` sets `session.revision`, the sum of the change counters of the site,
the team, the workspace, the session and the person who created it (`tenancy.revisions`). A function decorated with
`per_revision` then computes its result once for each revision. For a session that was loaded without a revision, the
result is always computed.
"""

import uuid
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from functools import update_wrapper
from threading import Lock
from typing import Any, Concatenate, Final, ParamSpec, TypeVar

from django.db import connection, models
from django.db.models.expressions import RawSQL

from agentsite.base.prepared import PreparedQuery
from agentsite.tenancy.revisions import revision_sql
from sessions_app.models import Session, Turn

MAX_KEPT: Final = 10_000
"""The maximum number of cached results in one process. A session has about twenty for each model, so this suffices for
several hundred active sessions."""

SESSION_COLUMNS: Final = ("rules", "inherited", "found_tools", "configuration")
WORKSPACE_COLUMNS: Final = (
    "project_files", "project_agents", "instructions", "skills", "setup", "declared_servers", "configuration",
)  # fmt: skip
"""Columns from which a session's configuration is derived. `sessions_app.apps` watches them for changes."""

P = ParamSpec("P")
R = TypeVar("R")
M = TypeVar("M", bound=models.Model)

_TEAM: Final = "SELECT team_id FROM tenancy_project WHERE id = sessions_app_session.project_id"
_kept: OrderedDict[tuple[Any, ...], Any] = OrderedDict()
_lock = Lock()


@dataclass(frozen=True, slots=True)
class TurnPerson:
    """The person whose own MCP servers are used in a turn, and the revision of their settings. If the revision is None,
    nothing is cached."""

    id: uuid.UUID
    revision: int | None = None


def person_of(turn: Turn, revision: int | None) -> TurnPerson | None:
    """Return the person who started a turn, with the revision of their settings; None if somebody else has also sent a
    prompt in it."""
    if turn.started_by_id is None or turn.payer_id not in (None, turn.started_by_id):
        return None
    return TurnPerson(turn.started_by_id, revision)


def with_revision(rows: models.QuerySet[M]) -> models.QuerySet[M]:
    """Annotate rows with the `revision` of their session. The query must read the table of sessions without an
    alias."""
    of_session = ("workspace_id", "id", "created_by_id")
    keys = (f"({_TEAM})", *(f"sessions_app_session.{column}" for column in of_session))
    annotated: Any = rows.annotate(revision=RawSQL(revision_sql(connection, *keys), ()))  # noqa: S611 - names of columns
    kept: models.QuerySet[M] = annotated
    return kept


def with_person_revision(rows: models.QuerySet[M]) -> models.QuerySet[M]:
    """Annotate rows with the `person_revision` of the user who started the turn. The query must join the table of turns
    without an alias."""
    sql = revision_sql(connection, "sessions_app_turn.started_by_id")
    annotated: Any = rows.annotate(person_revision=RawSQL(sql, ()))  # noqa: S611 - names of columns
    kept: models.QuerySet[M] = annotated
    return kept


def per_revision(derive: Callable[Concatenate[Session, P], R]) -> Callable[Concatenate[Session, P], R]:
    """Cache the results of `derive` for each session, agent, model and revision.

    The result must not depend on other columns of the session, and must not be changed by callers. Additional arguments
    must be hashable.
    """

    def kept(session: Session, /, *args: P.args, **kwargs: P.kwargs) -> R:
        revision = revision_of(session)
        if revision is None:
            return derive(session, *args, **kwargs)
        key = (derive, session.pk, session.agent, session.model, revision, *args, *kwargs.items())
        with _lock:
            if key in _kept:
                _kept.move_to_end(key)
                found: R = _kept[key]
                return found
        made = derive(session, *args, **kwargs)
        with _lock:
            _kept[key] = made
            while len(_kept) > MAX_KEPT:
                _kept.popitem(last=False)
        return made

    update_wrapper(kept, derive)
    return kept


def refresh_configuration(session: Session) -> None:
    """Reload the columns of the session and its workspace that the configuration is derived from, and their revision,
    because they may have changed since the session was loaded. The session's agent and model are not reloaded.

    The columns and the revision must come from one statement. Otherwise values derived from old columns would be cached
    under the new revision, and a changed rule would not apply until the next change.
    """
    row: Any = _configured.first(session=session.pk)
    if row is None:  # deleted: derive from what was loaded, and keep nothing
        session.__dict__.pop("revision", None)
        return
    for name in SESSION_COLUMNS:
        setattr(session, name, getattr(row, name))
    for name in WORKSPACE_COLUMNS:
        setattr(session.workspace, name, getattr(row.workspace, name))
    session.__dict__["revision"] = row.revision  # last: other threads may derive from this instance


def current_revision(session_id: uuid.UUID) -> Any:
    """Return the current revision of a session's configuration, or None if the session was deleted."""
    found = _revisions.tuples(session=session_id)
    return found[0][0] if found else None


def revision_of(session: Session) -> Any:
    """Return the configuration revision that was read together with the session; None if the session was loaded without
    it."""
    return session.__dict__.get("revision")


def _revision_only(session: Any) -> Any:
    rows: Any = with_revision(Session.objects.filter(pk=session))
    return rows.order_by().values_list("revision")


_configured: Final[PreparedQuery[Session]] = PreparedQuery(
    lambda session: with_revision(Session.objects.filter(pk=session).select_related("workspace"))
)
_revisions: Final[PreparedQuery[Session]] = PreparedQuery(_revision_only)
