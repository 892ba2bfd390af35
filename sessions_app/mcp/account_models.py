"""Accounts at MCP servers, and sign-ins that are under way. Only the door can read the encrypted columns."""

from typing import Any

from django.db import models
from django.db.models.signals import pre_delete
from django.dispatch import receiver
from django.utils import timezone

from agentsite.tenancy.base import SealedDoorField
from sessions_app.mcp.models import McpServer
from sessions_app.models.base import USER, Row


class McpClient(models.Model):
    """The site's OAuth client at the authorization server of an MCP server. `sealed` is the encrypted response to the
    site's registration or, if `is_given`, the client secret that an admin entered."""

    server = models.OneToOneField(McpServer, on_delete=models.CASCADE, related_name="client")
    is_given = models.BooleanField(default=False)
    sealed = SealedDoorField()

    def __str__(self) -> str:
        return str(self.server_id)


class McpAccount(Row):
    """An account at an MCP server. It belongs to `person`, or to the team if `person` is None. It is used only while
    the server has this `url`. `sealed` is an `OAuthState`.

    `wanted` are scopes that the server asked for after the sign-in. `problem` says why a new sign-in is needed; it is
    "" if none is needed. While a process gets a new token, `refreshing_until` keeps others from using the same refresh
    token.
    """

    PREFIX = "mca"

    server = models.ForeignKey(McpServer, on_delete=models.CASCADE, related_name="accounts")
    url = models.CharField(max_length=2000)
    person = models.ForeignKey(USER, null=True, on_delete=models.CASCADE, related_name="+")
    sealed = SealedDoorField()
    issuer = models.CharField(max_length=500, blank=True, default="")
    scopes = models.JSONField(default=list, blank=True)
    wanted = models.JSONField(default=list, blank=True)
    problem = models.CharField(max_length=1500, blank=True, default="")
    expires_at = models.DateTimeField(null=True, blank=True)
    refreshing_until = models.DateTimeField(null=True, blank=True)
    signed_in_by = models.ForeignKey(USER, null=True, on_delete=models.SET_NULL, related_name="+")
    signed_in_at = models.DateTimeField()

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("server", "person"), name="one_mcp_account_per_server_and_person"),
            models.UniqueConstraint(
                fields=("server",), condition=models.Q(person=None), name="one_mcp_account_of_the_team_per_server"
            ),
        )

    def __str__(self) -> str:
        return self.public_id


class McpSignIn(Row):
    """A sign-in that a person has begun, for `person` or, if that is None, for the team. It can be finished once,
    before `expires_at`, while the server still has the address `url`. Only `started_by` can finish it, in the browser
    whose session has the hash `session_hash` ("" if the sign-in was begun with an API token).

    The door stores the state of the sign-in (`sealed`, an `OAuthState`) with the hash of the `state` parameter. The web
    server stores the authorization code, encrypted, with the parameter `iss` of the redirect (None if there was none).
    `problem` says why the sign-in failed.
    """

    PREFIX = "msi"

    server = models.ForeignKey(McpServer, on_delete=models.CASCADE, related_name="sign_ins")
    url = models.CharField(max_length=2000)
    person = models.ForeignKey(USER, null=True, on_delete=models.CASCADE, related_name="+")
    started_by = models.ForeignKey(USER, on_delete=models.CASCADE, related_name="+")
    session_hash = models.CharField(max_length=64, blank=True, default="")
    state_hash = models.CharField(max_length=64, blank=True, default="", db_index=True)
    sealed = SealedDoorField(default="")
    sealed_code = SealedDoorField(default="")
    iss = models.CharField(max_length=2000, null=True, default=None)  # noqa: DJ001 - none differs from an empty one
    problem = models.CharField(max_length=1500, blank=True, default="")
    expires_at = models.DateTimeField()
    answered_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return self.public_id


class McpRevocation(Row):
    """Tokens of an account that was removed. The row stays until the door has revoked them at the authorization
    server."""

    PREFIX = "mrv"

    url = models.CharField(max_length=2000)
    sealed = SealedDoorField()
    attempts = models.PositiveSmallIntegerField(default=0)
    not_before = models.DateTimeField()

    def __str__(self) -> str:
        return self.public_id


@receiver(pre_delete, sender=McpAccount)
def revoke_tokens(instance: McpAccount, **_: Any) -> None:
    """Queue the revocation of a deleted account's tokens. Also called if the account is deleted with its person, server
    or team."""
    McpRevocation.objects.create(url=instance.url, sealed=instance.sealed, not_before=timezone.now())
