"""The one way to change a team: its row is locked first, so that two changes of its members never pass each other."""

import uuid
from collections.abc import Iterator
from contextlib import contextmanager

from django.db import transaction

from agentsite.base.errors import Missing
from agentsite.base.sqlite_lock import writers_turn
from agentsite.tenancy.models import Team


@contextmanager
def team_write(team_id: uuid.UUID) -> Iterator[Team]:
    """Open the transaction. Raises Missing when the team was deleted meanwhile."""
    with writers_turn(), transaction.atomic():
        team = Team.objects.select_for_update().filter(pk=team_id).first()
        if team is None:
            raise Missing("This team is not there any more.")
        yield team
