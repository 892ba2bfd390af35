"""Reverts: changes that agents made to files are undone, and the messages about these changes are hidden."""

from django.db import models

from sessions_app.models.base import USER, AnyRow, Row, SessionBoundQuerySet


class RevertQuerySet(SessionBoundQuerySet[AnyRow]):
    pass


class Revert(Row):
    """One revert of a session, or the undoing of the revert `undoes`.

    `wanted` are the files for the sandbox, in the form of `sandbox.ports.WantedRevert`; `files` is the result for each:
    {path, status, reason, before, after}. The scope of a revert is in one of three columns: `message` is the first
    message that is hidden; `turn` is the turn whose file changes are taken back, also before its prompt is answered
    again; `answer` is another answer to a prompt, which is chosen with its files. If all three are empty, the revert
    gives a fork the files of an earlier message. `previous` is the revert that was in force before. `not_covered` are
    sentences about changes that were not recorded.

    The sandbox worker of the workspace's node applies a pending revert. The runner makes either all changes or none,
    under the revert's id, so the request can be repeated after any of the processes was killed.
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
        """Return whether this revert restores the files of a fork to their state at an earlier message."""
        others = (self.message_id, self.turn_id, self.answer_id, self.undoes_id)
        return all(each is None for each in others)

    class Meta:
        ordering = ("id",)
        indexes = (models.Index(fields=("state",)),)
