"""The append-only event log of a session."""

from django.db import models


class SessionEvent(models.Model):
    """An event of a session. `seq` counts from 1 in each session without gaps. Written in the transaction of the change
    it describes."""

    session = models.ForeignKey("sessions_app.Session", on_delete=models.CASCADE, related_name="events")
    seq = models.PositiveBigIntegerField()
    type = models.CharField(max_length=64)
    data = models.JSONField()
    at = models.DateTimeField()

    class Meta:
        ordering = ("session_id", "seq")
        constraints = (models.UniqueConstraint(fields=("session", "seq"), name="event_place"),)
