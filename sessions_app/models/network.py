"""The network traffic of workspaces, and the hosts to which their connections were refused."""

from typing import get_args

from django.db import models

from sandbox.limits import RefusalCause
from sessions_app.models.base import Row, SessionBoundQuerySet


class RefusedHostQuerySet(SessionBoundQuerySet["RefusedHost"]):
    pass


class RefusedHost(Row):
    """A host to which a connection from commands of a session was refused. `name` includes the port unless it is 80 or
    443. `call_id` is the call that the last refusal belongs to; `reason` and `may_ask` describe that refusal. `times`
    counts calls, not connections."""

    PREFIX = "rfh"

    project = models.ForeignKey("tenancy.Project", on_delete=models.CASCADE, related_name="refused_hosts")
    session = models.ForeignKey("sessions_app.Session", on_delete=models.CASCADE, related_name="refused_hosts")
    name = models.CharField(max_length=300)
    reason = models.CharField(max_length=500)
    cause = models.CharField(max_length=16, choices=[(each, each) for each in get_args(RefusalCause)])
    may_ask = models.BooleanField(default=False)
    times = models.PositiveIntegerField(default=1)
    call_id = models.CharField(max_length=64)
    last_at = models.DateTimeField()

    objects = RefusedHostQuerySet.as_manager()

    class Meta:
        ordering = ("-last_at",)
        constraints = (models.UniqueConstraint(fields=("session", "name"), name="refused_host_of_session"),)
        indexes = (models.Index(fields=("project", "-last_at"), name="refused_host_newest"),)


class WorkspaceTraffic(models.Model):
    """The bytes that a workspace has received and sent through the door, and its connections. A workspace that never
    connected has no row."""

    workspace = models.OneToOneField(
        "sessions_app.Workspace", primary_key=True, on_delete=models.CASCADE, related_name="traffic"
    )
    received = models.BigIntegerField(default=0)
    sent = models.BigIntegerField(default=0)
    connections = models.BigIntegerField(default=0)
    refused = models.BigIntegerField(default=0)

    def __str__(self) -> str:
        return str(self.workspace_id)
