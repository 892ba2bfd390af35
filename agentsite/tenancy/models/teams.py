"""Users (people who sign in, and the base of service accounts), teams, and the memberships between them."""

from typing import Any, ClassVar, Self

from django.apps import apps
from django.contrib.auth.models import AbstractBaseUser, BaseUserManager, PermissionsMixin
from django.db import models
from django.db.models.functions import Lower

from agentsite.tenancy.base import UNRESTRICTED, Identified, TokenRestriction, VisibleQuerySet
from agentsite.tenancy.roles import Act, Role, may

ROLES = [(role.value, role.value) for role in Role]


class UserQuerySet(models.QuerySet["User"]):
    def visible_to(self, user: "User") -> Self:
        """Return the user and everybody who shares a team with the user."""
        shared = models.Q(memberships__team__memberships__user=user)
        if not user.token_restriction.is_unrestricted:
            shared &= models.Q(memberships__team=user.token_restriction.team_id)
        return self.filter(models.Q(pk=user.pk) | shared).distinct()


class UserManager(BaseUserManager["User"]):
    def get_queryset(self) -> UserQuerySet:
        return UserQuerySet(self.model, using=self._db)

    def visible_to(self, user: "User") -> UserQuerySet:
        return self.get_queryset().visible_to(user)

    def create_user(self, email: str, password: str | None = None, **fields: Any) -> "User":
        user = self.model(email=email, **fields)
        user.set_password(password)
        user.save(using=self._db)
        return user

    def create_superuser(self, email: str, password: str | None = None, **fields: Any) -> "User":
        """Create a superuser, whose e-mail address is treated as confirmed."""
        user = self.create_user(email, password, is_staff=True, is_superuser=True, **fields)
        if apps.is_installed("allauth.account"):
            from agentsite.tenancy.accounts.trusted_addresses import mark_address_verified

            mark_address_verified(user)
        return user

    def get_by_natural_key(self, email: str | None) -> "User":
        return self.get(email__iexact=email)


class User(Identified, AbstractBaseUser, PermissionsMixin):
    """A person, who signs in with a lower-case e-mail address, or a service account, which only uses API tokens.

    `token_restriction` is the restriction of the API token that the user currently acts with.
    """

    PREFIX = "usr"
    token_restriction: TokenRestriction = UNRESTRICTED
    USERNAME_FIELD = "email"
    REQUIRED_FIELDS: ClassVar[list[str]] = []

    email = models.EmailField(unique=True)
    name = models.CharField(max_length=120, blank=True)
    is_active = models.BooleanField(default=True)
    is_staff = models.BooleanField(default=False)
    service_team = models.ForeignKey("tenancy.Team", null=True, on_delete=models.CASCADE, related_name="service_users")
    created_at = models.DateTimeField(auto_now_add=True)

    objects = UserManager()

    class Meta:
        constraints = [models.UniqueConstraint(Lower("email"), name="user_email_ignores_case")]

    def __str__(self) -> str:
        return self.email

    @property
    def is_service(self) -> bool:
        return self.service_team_id is not None

    @property
    def runs_site(self) -> bool:
        """Return whether the user is an operator and does not act with a restricted API token."""
        return self.is_staff and self.token_restriction.is_unrestricted

    def save(self, *args: Any, **kwargs: Any) -> None:
        self.email = self.email.strip().lower()
        super().save(*args, **kwargs)


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
