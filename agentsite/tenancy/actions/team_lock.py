"""A transaction that locks the row of a team, so that concurrent changes of its members cannot conflict."""

import uuid
from collections.abc import Iterator
from contextlib import contextmanager

from django.db import transaction

from agentsite.base.errors import Missing
from agentsite.base.sqlite_lock import sqlite_write_lock
from agentsite.tenancy.models import Team


@contextmanager
def team_write(team_id: uuid.UUID) -> Iterator[Team]:
    """Open a transaction, lock the team's row, and yield the team. Raises Missing if the team was deleted meanwhile."""
    with sqlite_write_lock(), transaction.atomic():
        team = Team.objects.select_for_update().filter(pk=team_id).first()
        if team is None:
            raise Missing("This team no longer exists.")
        yield team
