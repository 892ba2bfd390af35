"""Uploads: received in parts, checked in a container, and kept as the files that a project starts with."""

from django.db import models
from django.utils import timezone

from sessions_app.models.base import USER, Row, TenantQuerySet


class UploadQuerySet(TenantQuerySet["Upload"]):
    team_path = "team"


class Upload(Row):
    """An uploaded file with which a project can start.

    `size` is the announced number of bytes, `received` the number that has arrived; `parts` are names in the attachment
    storage. The check creates an archive of a workspace with the unpacked file: `archive` is its name in the archive
    storage, and `facts` are {kind, files, bytes, left_out, branch}. `problem` says why an upload was refused. `project`
    is set while the project's new workspaces start with the upload. `moved_at` is the time of the last part or change
    of state.
    """

    PREFIX = "upl"

    class State(models.TextChoices):
        RECEIVING = "receiving"
        CHECKING = "checking"
        READY = "ready"
        REFUSED = "refused"
        DELETING = "deleting"

    team = models.ForeignKey("tenancy.Team", on_delete=models.CASCADE, related_name="uploads")
    project = models.OneToOneField("tenancy.Project", null=True, on_delete=models.SET_NULL, related_name="upload")
    created_by = models.ForeignKey(USER, null=True, on_delete=models.SET_NULL, related_name="+")
    name = models.CharField(max_length=200)
    size = models.BigIntegerField()
    received = models.BigIntegerField(default=0)
    parts = models.JSONField(default=list, blank=True)
    state = models.CharField(max_length=16, choices=State, default=State.RECEIVING)
    problem = models.TextField(blank=True, default="")
    facts = models.JSONField(default=dict, blank=True)
    archive = models.CharField(max_length=300, blank=True, default="")
    archive_size = models.BigIntegerField(default=0)
    node = models.CharField(max_length=128, blank=True, default="")
    """The node that checks the upload."""
    attempts = models.PositiveSmallIntegerField(default=0)
    lease_token = models.CharField(max_length=64, blank=True, default="")
    lease_until = models.DateTimeField(null=True)
    moved_at = models.DateTimeField(default=timezone.now)

    objects = UploadQuerySet.as_manager()

    class Meta:
        ordering = ("id",)
        indexes = (models.Index(fields=("state", "moved_at"), name="upload_state_moved"),)
