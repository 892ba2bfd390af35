"""The search index: one row of normalized words for each title, prompt, answer, tool call and review comment."""

from django.db import models
from django.utils import timezone

from sessions_app.models.base import USER, SessionBoundQuerySet


class SearchText(models.Model):
    """The words of one searchable text. `ref` is the public id of its source; `words` is the output of `search.words`.

    PostgreSQL searches the generated column `vector`; SQLite searches an FTS5 table that triggers fill (see the
    migration; a later migration that recreates this table must recreate them). Rows are written in the transaction of
    their source (`events.log`); `rebuild_search` recreates all of them.
    """

    class Kind(models.TextChoices):
        TITLE = "title"
        PROMPT = "prompt"
        ANSWER = "answer"
        TOOL = "tool"
        COMMENT = "comment"

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
