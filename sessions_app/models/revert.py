"""Reverts: file changes of agents that people take back, and messages that they hide."""

from django.db import models

from sessions_app.models.audience import SessionBoundQuerySet
from sessions_app.models.base import USER, AnyRow, Row


class RevertQuerySet(SessionBoundQuerySet[AnyRow]):
    pass


class Revert(Row):
    """One revert of a session, or its undoing (`undoes`).

    `wanted` are the files for the sandbox, as `sandbox.reverts.WantedRevert` has them; `files` is what it did with
    each: {path, status, reason, before, after}. A revert to a message has `message`, the first one that is hidden; one
    of a single turn has `turn`, and so has one before the turn is tried again; one that chooses another answer to a
    prompt, with its files, has `answer`; one with none of them gives a fork the files of the message that it ends with.
    `previous` is the revert that was in force before. `not_covered` are sentences
    about what it could not know.

    The sandbox worker of the workspace's node applies a pending revert: the runner makes all changes or none under the
    revert's id, so it can be asked again after any of the processes was killed.
    """

    PREFIX = "rev"

    class State(models.TextChoices):
        PENDING = "pending"
        APPLIED = "applied"
        FAILED = "failed"
        UNDONE = "undone"

    session = models.ForeignKey("sessions_app.Session", on_delete=models.CASCADE, related_name="reverts")
    state = models.CharField(max_length=16, choices=State, default=State.PENDING)
    message = models.ForeignKey("sessions_app.Message", null=True, on_delete=models.CASCADE, related_name="+")
    turn = models.ForeignKey("sessions_app.Turn", null=True, on_delete=models.CASCADE, related_name="+")
    answer = models.ForeignKey("sessions_app.Turn", null=True, on_delete=models.CASCADE, related_name="+")
    undoes = models.ForeignKey("self", null=True, on_delete=models.CASCADE, related_name="undone_by")
    previous = models.ForeignKey("self", null=True, on_delete=models.SET_NULL, related_name="+")
    actor = models.ForeignKey(USER, null=True, on_delete=models.SET_NULL, related_name="+")
    wanted = models.JSONField(default=list)
    files = models.JSONField(default=list)
    not_covered = models.JSONField(default=list)
    error = models.CharField(max_length=500, blank=True, default="")
    ended_at = models.DateTimeField(null=True)

    objects = RevertQuerySet.as_manager()

    @property
    def is_of_fork(self) -> bool:
        """Return whether it gives a fork the files of an earlier message."""
        others = (self.message_id, self.turn_id, self.answer_id, self.undoes_id)
        return all(each is None for each in others)

    class Meta:
        ordering = ("id",)
        indexes = (models.Index(fields=("state",)),)
