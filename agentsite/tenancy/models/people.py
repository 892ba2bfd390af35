"""Teams, their people and projects, and the keys that programs use in a person's name."""

from datetime import datetime
from typing import Any, ClassVar, Self

from django.contrib.auth.models import AbstractBaseUser, BaseUserManager, PermissionsMixin
from django.db import models
from django.db.models.functions import Lower
from django.utils import timezone

from agentsite.tenancy.base import Identified, VisibleQuerySet
from agentsite.tenancy.roles import PERMITTED, Act, Role, may

_ROLES = [(role.value, role.value) for role in Role]


class UserQuerySet(models.QuerySet["User"]):
    def visible_to(self, user: "User") -> Self:
        """Oneself and everybody one shares a team with."""
        shared = models.Q(memberships__team__memberships__user=user)
        return self.filter(models.Q(pk=user.pk) | shared).distinct()


class UserManager(BaseUserManager["User"].from_queryset(UserQuerySet)):  # type: ignore[misc]
    def create_user(self, email: str, password: str | None = None, **fields: Any) -> "User":
        user: User = self.model(email=email, **fields)
        user.set_password(password)
        user.save(using=self._db)
        return user

    def create_superuser(self, email: str, password: str | None = None, **fields: Any) -> "User":
        return self.create_user(email, password, is_staff=True, is_superuser=True, **fields)

    def get_by_natural_key(self, email: str | None) -> "User":
        user: User = self.get(email__iexact=email)
        return user


class User(Identified, AbstractBaseUser, PermissionsMixin):
    """A person. Signs in by e-mail address, which is kept in lower case."""

    PREFIX = "usr"
    USERNAME_FIELD = "email"
    REQUIRED_FIELDS: ClassVar[list[str]] = []

    email = models.EmailField(unique=True)
    name = models.CharField(max_length=120, blank=True)
    is_active = models.BooleanField(default=True)
    is_staff = models.BooleanField(default=False)
    created_at = models.DateTimeField(auto_now_add=True)

    objects = UserManager()

    class Meta:
        constraints = [models.UniqueConstraint(Lower("email"), name="user_email_ignores_case")]

    def __str__(self) -> str:
        return self.email

    def save(self, *args: Any, **kwargs: Any) -> None:
        self.email = self.email.strip().lower()
        super().save(*args, **kwargs)


class TeamQuerySet(VisibleQuerySet["Team"]):
    def visible_to(self, user: User) -> Self:
        return self.filter(memberships__user=user)


class Team(Identified):
    PREFIX = "tea"

    slug = models.SlugField(unique=True)
    name = models.CharField(max_length=120)
    created_at = models.DateTimeField(auto_now_add=True)

    objects = TeamQuerySet.as_manager()

    def __str__(self) -> str:
        return self.slug


class MembershipQuerySet(VisibleQuerySet["Membership"]):
    def visible_to(self, user: User) -> Self:
        return self.filter(team__memberships__user=user)


class Membership(Identified):
    PREFIX = "mem"

    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="memberships")
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="memberships")
    role = models.CharField(max_length=16, choices=_ROLES, default=Role.MEMBER.value)
    may_approve = models.BooleanField(default=True)
    created_at = models.DateTimeField(auto_now_add=True)

    objects = MembershipQuerySet.as_manager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["team", "user"], name="one_membership_per_team_and_user")]

    def __str__(self) -> str:
        return f"{self.user_id} is {self.role} of {self.team_id}"

    def may(self, act: Act) -> bool:
        return may(self.role, act, may_approve=self.may_approve)


class ProjectQuerySet(VisibleQuerySet["Project"]):
    def visible_to(self, user: User) -> Self:
        return self.filter(team__memberships__user=user)


class Project(Identified):
    """`template` names the files that a new workspace starts with ("" is empty, "demo" the demo project)."""

    PREFIX = "prj"

    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="projects")
    slug = models.SlugField()
    name = models.CharField(max_length=120)
    description = models.TextField(blank=True)
    suggested_prompt = models.TextField(blank=True)
    default_agent = models.CharField(max_length=64, default="build")
    template = models.CharField(max_length=64, blank=True)
    config = models.JSONField(default=dict, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    objects = ProjectQuerySet.as_manager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["team", "slug"], name="one_project_per_team_and_slug")]

    def __str__(self) -> str:
        return self.slug


class OwnedQuerySet(VisibleQuerySet[Any]):
    """Things of one person, which nobody else sees."""

    def visible_to(self, user: User) -> Self:
        return self.filter(user=user)

    def alive(self, now: datetime | None = None) -> Self:
        return self.filter(models.Q(expires_at=None) | models.Q(expires_at__gt=now or timezone.now()))


class ApiToken(Identified):
    """Lets a program act as its user. Only the hash of the secret is kept."""

    PREFIX = "tok"

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="api_tokens")
    name = models.CharField(max_length=120)
    secret_hash = models.CharField(max_length=64, unique=True)
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField(null=True)
    last_used_at = models.DateTimeField(null=True)

    objects = OwnedQuerySet.as_manager()

    def __str__(self) -> str:
        return self.name


class SocketTicket(Identified):
    """Opens one WebSocket, once, within seconds: the way in for a program that must not put a token in an address."""

    PREFIX = "tic"

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="socket_tickets")
    secret_hash = models.CharField(max_length=64, unique=True)
    expires_at = models.DateTimeField(db_index=True)

    objects = OwnedQuerySet.as_manager()

    def __str__(self) -> str:
        return self.public_id


class AuditChain(models.Model):
    """The end of one chain of audit entries: a team's, or the site's own (`team` None). `key` names it in the hash."""

    key = models.CharField(max_length=64, unique=True)
    team = models.ForeignKey(Team, null=True, on_delete=models.CASCADE, related_name="+")
    length = models.PositiveBigIntegerField(default=0)
    head = models.CharField(max_length=64, blank=True, default="")

    def __str__(self) -> str:
        return self.key


class AuditQuerySet(VisibleQuerySet["AuditEntry"]):
    def visible_to(self, user: User) -> Self:
        """A team's entries are for those who run the team."""
        mine = user.memberships.filter(role__in=PERMITTED[Act.MANAGE_TEAM])
        return self.filter(chain__team__in=mine.values("team"))


class AuditEntry(Identified):
    """Something that happened, in words that stay true when people and things are gone: no references, only text.

    `digest` covers every field and the digest of the entry before, see `audit.digest_of`. `actor` is a public id, or
    "site" for what nobody did by hand.
    """

    PREFIX = "aud"

    chain = models.ForeignKey(AuditChain, on_delete=models.CASCADE, related_name="entries")
    seq = models.PositiveBigIntegerField()
    at = models.DateTimeField()
    actor = models.CharField(max_length=64)
    actor_name = models.CharField(max_length=200, blank=True)
    action = models.CharField(max_length=64)
    subject = models.CharField(max_length=64, blank=True)
    data = models.JSONField(default=dict)
    previous = models.CharField(max_length=64, blank=True)
    digest = models.CharField(max_length=64)

    objects = AuditQuerySet.as_manager()

    class Meta:
        ordering = ("id",)
        constraints = [models.UniqueConstraint(fields=["chain", "seq"], name="one_audit_entry_per_place")]

    def __str__(self) -> str:
        return f"{self.seq} {self.action}"
