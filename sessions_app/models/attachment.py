"""Files that people and tools attach. Their bytes lie in a storage; the rows say what and where they are."""

from collections.abc import Iterable
from contextlib import suppress
from typing import Any, Self

from django.db import models
from django.db.models.signals import post_delete
from django.dispatch import receiver
from django.utils import timezone

from agentsite.base.errors import Missing
from agentsite.base.ids import from_public
from sessions_app.models.audience import SessionBoundQuerySet
from sessions_app.models.base import USER, Row


class AttachmentQuerySet(SessionBoundQuerySet):
    def named(self, public_ids: Iterable[str]) -> Self:
        """Those of these ids; what is no id names nothing."""
        keys = []
        for public_id in public_ids:
            with suppress(Missing):
                keys.append(from_public(Attachment.PREFIX, public_id))
        return self.filter(pk__in=keys)


class Attachment(Row):
    """`media_type` is what the content is, whatever somebody called it; `place` its name in the storage. `used`: a
    prompt or a tool's result shows it, so it stays as long as its session. `refused`: a
    model's provider could not read it, and it is not shown to models again."""

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
    """A file in the storage that no row owns, yet or any more. It is deleted from there after `until`.

    A file is loose from before it is written until its row stands, and from the moment that its row is gone, in the
    same transactions: whatever is killed when, nothing stays in the storage that nobody owns.
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
    """Also when the row goes with its session, its project or its team."""
    LooseFile.objects.bulk_create([LooseFile(place=instance.place, until=timezone.now())], ignore_conflicts=True)
