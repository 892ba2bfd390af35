"""Service accounts: users that belong to a team instead of a person."""

import uuid
from typing import Self

from agentsite.tenancy.base import VisibleQuerySet
from agentsite.tenancy.models.people import User


class ServiceAccountQuerySet(VisibleQuerySet["ServiceAccount"]):
    team_path = "service_team"

    def visible_to(self, user: User) -> Self:
        return self.filter(service_team__memberships__user=user, is_active=True)


class ServiceAccount(User):
    """Has no password, never signs in, and is a member of `service_team` and of no other. One that was removed stays as
    a row that is not active, so that what it did keeps its name."""

    objects = ServiceAccountQuerySet.as_manager()  # type: ignore[assignment, misc]

    class Meta:
        proxy = True

    @property
    def team_id(self) -> uuid.UUID:
        if self.service_team_id is None:
            raise TypeError("a person is no service account")
        return self.service_team_id
