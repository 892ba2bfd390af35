"""Comparisons: several sessions attempt the same prompt, and people keep one of them."""

from django.db import models

from sessions_app.models.base import USER, AnyRow, Row, SessionBoundQuerySet


class ComparisonQuerySet(SessionBoundQuerySet[AnyRow]):
    pass


class Comparison(Row):
    """Forks of `session` (`Session.comparison`) that got the same prompt, each in a workspace of its own.

    `test_command` is a command whose last outcome is shown for each attempt; "" if there is none. `files_at` is the
    time of the archive that all workspaces start from; None for the project's initial files. `kept` is the attempt that
    a person decided to keep. `ended_at` is the time when webhooks got the event that all attempts have ended.
    """

    PREFIX = "cmp"

    session = models.ForeignKey("sessions_app.Session", on_delete=models.CASCADE, related_name="comparisons")
    prompt = models.TextField()
    test_command = models.CharField(max_length=500, blank=True, default="")
    files_at = models.DateTimeField(null=True)
    created_by = models.ForeignKey(USER, null=True, on_delete=models.SET_NULL, related_name="+")
    kept = models.ForeignKey("sessions_app.Session", null=True, on_delete=models.SET_NULL, related_name="+")

    ended_at = models.DateTimeField(null=True)

    objects = ComparisonQuerySet.as_manager()

    class Meta:
        ordering = ("-id",)
