"""Users: people who sign in, and the base of service accounts."""

from typing import Any, ClassVar, Self

from django.apps import apps
from django.contrib.auth.models import AbstractBaseUser, BaseUserManager, PermissionsMixin
from django.db import models
from django.db.models.functions import Lower

from agentsite.tenancy.base import UNRESTRICTED, Identified, TokenRestriction


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
