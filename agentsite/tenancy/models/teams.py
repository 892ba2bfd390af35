"""Teams and their members."""

from typing import Self

from django.db import models

from agentsite.tenancy.base import Identified, VisibleQuerySet
from agentsite.tenancy.models.people import User
from agentsite.tenancy.roles import Act, Role, may

ROLES = [(role.value, role.value) for role in Role]


class TeamQuerySet(VisibleQuerySet["Team"]):
    team_path = "pk"

    def visible_to(self, user: User) -> Self:
        return self.filter(memberships__user=user)


class Team(Identified):
    """A team. `remove_at` is the time at which the deactivated team will be deleted, or None if it is active."""

    PREFIX = "tea"

    slug = models.SlugField(unique=True)
    name = models.CharField(max_length=120)
    created_at = models.DateTimeField(auto_now_add=True)
    remove_at = models.DateTimeField(null=True, db_index=True)

    objects = TeamQuerySet.as_manager()

    def __str__(self) -> str:
        return self.slug


class MembershipQuerySet(VisibleQuerySet["Membership"]):
    team_path = "team"

    def visible_to(self, user: User) -> Self:
        return self.filter(team__memberships__user=user)


class Membership(Identified):
    """The membership of a person or service account in a team, with a role.

    `may_approve` is the right of the role `member` to decide permission requests; admins and owners always have it.
    """

    PREFIX = "mem"

    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="memberships")
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="memberships")
    role = models.CharField(max_length=16, choices=ROLES, default=Role.MEMBER.value)
    may_approve = models.BooleanField(default=True)
    created_at = models.DateTimeField(auto_now_add=True)

    objects = MembershipQuerySet.as_manager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["team", "user"], name="one_membership_per_team_and_user")]

    def __str__(self) -> str:
        return f"{self.user_id} is {self.role} of {self.team_id}"

    def may(self, act: Act) -> bool:
        return may(self.role, act, may_approve=self.may_approve)
