"""The marks that a person sets on a session for themselves: pinned, and the time when they last opened it."""

from django.db import models

from agentsite.tenancy.models import User
from sessions_app.models.base import USER, Row
from sessions_app.models.conversation import Turn
from sessions_app.models.session import Session


class SessionMarkQuerySet(models.QuerySet["SessionMark"]):
    def of(self, user: User) -> "SessionMarkQuerySet":
        """Filter the person's marks of sessions that they can still see, each with `is_unread`: a turn has ended since
        the person last opened the session, or they marked it as unread."""
        ended = Turn.objects.filter(session=models.OuterRef("session"), ended_at__gt=models.OuterRef("seen_at"))
        unread = models.Q(seen_at=None) | models.Exists(ended)
        return self.filter(user=user, session__in=Session.objects.visible_to(user)).annotate(
            is_unread=models.ExpressionWrapper(unread, output_field=models.BooleanField())
        )


class SessionMark(Row):
    """A person's marks on one session: `pinned`, and `seen_at`, the time when the person last looked at it; None if the
    person marked it as unread."""

    PREFIX = "smk"

    session = models.ForeignKey("sessions_app.Session", on_delete=models.CASCADE, related_name="marks")
    user = models.ForeignKey(USER, on_delete=models.CASCADE, related_name="+")
    pinned = models.BooleanField(default=False)
    seen_at = models.DateTimeField(null=True)

    objects = SessionMarkQuerySet.as_manager()

    class Meta:
        ordering = ("id",)
        constraints = (models.UniqueConstraint(fields=("session", "user"), name="one_mark_per_session_and_user"),)
