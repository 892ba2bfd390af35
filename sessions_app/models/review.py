"""Reviews of a session's changes: comments on lines for the agent, and files that people approved."""

from typing import Self

from django.db import models

from agentsite.tenancy.models import User
from sessions_app.models.base import USER, Row, SessionBoundQuerySet


class ReviewCommentQuerySet(SessionBoundQuerySet["ReviewComment"]):
    def visible_to(self, user: User) -> Self:
        """Return the comments of sessions that the user may see. A draft is only visible to its author."""
        return super().visible_to(user).exclude(~models.Q(author=user), state=ReviewComment.State.DRAFT)


class ReviewComment(Row):
    """A comment on lines of a changed file.

    `side` says whether the path and the lines are from the file before or after the change. Lines are counted from 1,
    and 0 means the whole file. `quote` is the code as the author saw it, and `version` the version of the file at that
    time. For a comment that was sent, `message` is the prompt with it, and `turn` is the turn of that prompt.
    """

    PREFIX = "rvc"

    class Side(models.TextChoices):
        OLD = "old"
        NEW = "new"

    class State(models.TextChoices):
        DRAFT = "draft"
        OPEN = "open"
        SENT = "sent"
        RESOLVED = "resolved"

    session = models.ForeignKey("sessions_app.Session", on_delete=models.CASCADE, related_name="review_comments")
    author = models.ForeignKey(USER, null=True, on_delete=models.SET_NULL, related_name="+")
    path = models.TextField()
    side = models.CharField(max_length=4, choices=Side, default=Side.NEW)
    first_line = models.PositiveIntegerField(default=0)
    last_line = models.PositiveIntegerField(default=0)
    quote = models.TextField(blank=True, default="")
    text = models.TextField()
    version = models.CharField(max_length=16, blank=True, default="")
    state = models.CharField(max_length=16, choices=State, default=State.DRAFT)
    turn = models.ForeignKey("sessions_app.Turn", null=True, on_delete=models.SET_NULL, related_name="review_comments")
    message = models.ForeignKey("sessions_app.Message", null=True, on_delete=models.SET_NULL, related_name="+")
    settled_by = models.ForeignKey(USER, null=True, on_delete=models.SET_NULL, related_name="+")
    updated_at = models.DateTimeField(auto_now=True)

    objects = ReviewCommentQuerySet.as_manager()

    class Meta:
        ordering = ("id",)


class FileApprovalQuerySet(SessionBoundQuerySet["FileApproval"]):
    pass


class FileApproval(Row):
    """One person's approval of a changed file, as it was in `version`. It is not valid for later versions."""

    PREFIX = "rva"

    session = models.ForeignKey("sessions_app.Session", on_delete=models.CASCADE, related_name="file_approvals")
    person = models.ForeignKey(USER, on_delete=models.CASCADE, related_name="+")
    path = models.TextField()
    path_hash = models.CharField(max_length=64)
    version = models.CharField(max_length=16)
    approved_at = models.DateTimeField()

    objects = FileApprovalQuerySet.as_manager()

    class Meta:
        ordering = ("id",)
        constraints = (
            models.UniqueConstraint(fields=("session", "person", "path_hash"), name="one_approval_per_person_and_file"),
        )
