"""The model of notes in the memory of projects."""

from typing import ClassVar

from django.db import models

from sessions_app.models.base import USER, Row, TenantQuerySet


class MemoryNoteQuerySet(TenantQuerySet["MemoryNote"]):
    team_path = "project__team"


class MemoryNote(Row):
    """A note in the memory of a project. `changed_by`, `agent` and `session` say who wrote its text: the person, or the
    agent in a turn of this person. `agent` is "" for a person. `version` counts changes."""

    PREFIX: ClassVar[str] = "mem"

    project = models.ForeignKey("tenancy.Project", on_delete=models.CASCADE, related_name="memory_notes")
    text = models.TextField()
    agent = models.CharField(max_length=100, blank=True, default="")
    session = models.ForeignKey("sessions_app.Session", null=True, on_delete=models.SET_NULL, related_name="+")
    version = models.PositiveIntegerField(default=1)
    changed_by = models.ForeignKey(USER, null=True, on_delete=models.SET_NULL, related_name="+")
    changed_at = models.DateTimeField()

    objects = MemoryNoteQuerySet.as_manager()

    class Meta:
        ordering = ("id",)

    @property
    def name(self) -> str:
        """Return the short name by which agents refer to the note: the last eight digits of its id."""
        return self.pk.hex[-8:]
