"""What search reads: one row for each title, prompt, answer and tool call, as words."""

from django.db import models
from django.utils import timezone

from sessions_app.models.audience import SessionBoundQuerySet
from sessions_app.models.base import USER


class SearchText(models.Model):
    """`ref` is the public id of what it is the text of, `words` the text as `search.words` writes it, in which the
    database looks: PostgreSQL in a column `vector` that follows `words`, SQLite in the table of words that triggers
    keep (see the migration; a later one that makes this table anew must make them anew). It is written with what it is
    the text of, in the same transaction (`events.log`); `rebuild_search` makes all of it again."""

    class Kind(models.TextChoices):
        TITLE = "title"
        PROMPT = "prompt"
        ANSWER = "answer"
        TOOL = "tool"

    session = models.ForeignKey("sessions_app.Session", on_delete=models.CASCADE, related_name="+")
    kind = models.CharField(max_length=8, choices=Kind)
    ref = models.CharField(max_length=64, unique=True)
    person = models.ForeignKey(USER, null=True, on_delete=models.SET_NULL, related_name="+")
    text = models.TextField()
    words = models.TextField()
    at = models.DateTimeField(default=timezone.now)

    objects = SessionBoundQuerySet.as_manager()

    class Meta:
        ordering = ("-id",)

    def __str__(self) -> str:
        return self.ref
