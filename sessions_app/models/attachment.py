"""Attachments of people and tools. Their content lies in a file storage; the rows describe it."""

from collections.abc import Iterable
from contextlib import suppress
from typing import Any, Self

from django.db import models
from django.db.models.signals import post_delete
from django.dispatch import receiver
from django.utils import timezone

from agentsite.base.errors import Missing
from agentsite.base.ids import from_public
from sessions_app.models.base import USER, Row, SessionBoundQuerySet


class AttachmentQuerySet(SessionBoundQuerySet["Attachment"]):
    def named(self, public_ids: Iterable[str]) -> Self:
        """Filter by public ids; invalid ids match nothing."""
        keys = []
        for public_id in public_ids:
            with suppress(Missing):
                keys.append(from_public(Attachment.PREFIX, public_id))
        return self.filter(pk__in=keys)


class Attachment(Row):
    """An attached file. `media_type` is detected from the content; `place` is its name in the storage. `used`: a prompt
    or a tool's result refers to the file, so it is kept as long as its session. `refused`: a provider could not read
    the file, so models do not get it again."""

    PREFIX = "att"

    session = models.ForeignKey("sessions_app.Session", on_delete=models.CASCADE, related_name="attachments")
    name = models.CharField(max_length=200)
    media_type = models.CharField(max_length=64)
    size = models.PositiveIntegerField()
    width = models.PositiveIntegerField(default=0)
    height = models.PositiveIntegerField(default=0)
    sha256 = models.CharField(max_length=64)
    place = models.CharField(max_length=300)
    used = models.BooleanField(default=False)
    refused = models.BooleanField(default=False)
    created_by = models.ForeignKey(USER, null=True, on_delete=models.SET_NULL, related_name="+")

    objects = AttachmentQuerySet.as_manager()

    class Meta:
        ordering = ("id",)
        indexes = (models.Index(fields=("used", "created_at")),)


class LooseFile(models.Model):
    """A stored file without a row, which is deleted from the storage after `until`.

    A LooseFile is created before a file is written and removed when the file's row is saved; it is created again when
    that row is deleted, in the same transaction. So no file without an owner stays in the storage, even if a process is
    killed.
    """

    place = models.CharField(max_length=300, unique=True)
    until = models.DateTimeField()

    class Meta:
        ordering = ("until",)
        indexes = (models.Index(fields=("until",)),)

    def __str__(self) -> str:
        return self.place


@receiver(post_delete, sender=Attachment)
def schedule_file_deletion(instance: Attachment, **_signal: Any) -> None:
    """Register the stored file of a deleted attachment for deletion. Also called when the row is deleted with its
    session, project or team."""
    LooseFile.objects.bulk_create([LooseFile(place=instance.place, until=timezone.now())], ignore_conflicts=True)
