"""Service accounts: users that belong to a team instead of a person."""

import uuid
from typing import Self

from agentsite.tenancy.base import VisibleQuerySet
from agentsite.tenancy.models.teams import User


class ServiceAccountQuerySet(VisibleQuerySet["ServiceAccount"]):
    team_path = "service_team"

    def visible_to(self, user: User) -> Self:
        return self.filter(service_team__memberships__user=user, is_active=True)


class ServiceAccount(User):
    """A user without a password that is a member of only one team, `service_team`.

    A deleted service account stays as an inactive row, so that its name is still shown with its past actions.
    """

    objects = ServiceAccountQuerySet.as_manager()  # type: ignore[assignment, misc]

    class Meta:
        proxy = True

    @property
    def team_id(self) -> uuid.UUID:
        if self.service_team_id is None:
            raise TypeError("this user is a person, not a service account")
        return self.service_team_id
