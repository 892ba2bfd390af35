"""Keep what is derived from a session's configuration until the configuration changes.

A query that loads a session with `with_revision` sets `session.revision`, the sum of the change counters of the site,
the team, the workspace and the session (`tenancy.revisions`). A function decorated with `per_revision` then computes
its result once for each revision. For a session loaded without a revision it always computes.
"""

from collections import OrderedDict
from collections.abc import Callable
from functools import update_wrapper
from threading import Lock
from typing import Any, Concatenate, Final, ParamSpec, TypeVar

from django.db import connection, models
from django.db.models.expressions import RawSQL

from agentsite.tenancy.revisions import revision_sql
from sessions_app.models import Session

MAX_KEPT: Final = 5_000
"""Results in one process: about ten for each session and model, so several hundred active sessions."""

P = ParamSpec("P")
R = TypeVar("R")
M = TypeVar("M", bound=models.Model)

_TEAM: Final = "SELECT team_id FROM tenancy_project WHERE id = sessions_app_session.project_id"
_kept: OrderedDict[tuple[Any, ...], Any] = OrderedDict()
_lock = Lock()


def with_revision(rows: models.QuerySet[M]) -> models.QuerySet[M]:
    """Annotate rows of a query that reads the session's table, without an alias, with the session's `revision`."""
    keys = (f"({_TEAM})", "sessions_app_session.workspace_id", "sessions_app_session.id")
    annotated: Any = rows.annotate(revision=RawSQL(revision_sql(connection, *keys), ()))  # noqa: S611 - names of columns
    kept: models.QuerySet[M] = annotated
    return kept


def per_revision(derive: Callable[Concatenate[Session, P], R]) -> Callable[Concatenate[Session, P], R]:
    """Keep the results of `derive` for each session, agent, model and revision.

    The result must not depend on other columns of the session, and must not be changed by callers. Further arguments
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


def refresh_revision(session: Session) -> None:
    """Read the session's current revision, for work that has gone on since the session was loaded."""
    rows: Any = with_revision(Session.objects.filter(pk=session.pk))
    session.__dict__["revision"] = rows.values_list("revision", flat=True).first()


def revision_of(session: Session) -> Any:
    """Return the revision that the session was loaded with, or None."""
    return session.__dict__.get("revision")
