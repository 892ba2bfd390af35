"""The pull request of a session."""

from django.db import models
from django.utils import timezone

from sessions_app.models.base import USER, Row, SessionBoundQuerySet


class PullRequestQuerySet(SessionBoundQuerySet["PullRequest"]):
    pass


class PullRequest(Row):
    """A session's pull request, as the forge described it at `checked_at`.

    `branch` is merged into `base`; `commit` is the newest pushed commit, known since `commit_at`. `failed_at` is when a
    failed check was first seen; None if no check has failed. `body` is the text of people, without the link to the
    session that the forge gets. `checks` are the checks of the commit: [{id, name, state, url, text}]; `comments` are
    the comments of all reviews: [{id, author, body, url, path, line}].
    """

    PREFIX = "pul"

    class State(models.TextChoices):
        OPEN = "open"
        MERGED = "merged"
        CLOSED = "closed"

    session = models.OneToOneField("sessions_app.Session", on_delete=models.CASCADE, related_name="pull_request")
    repository = models.CharField(max_length=300)
    """The repository's full name at the forge."""
    number = models.PositiveBigIntegerField()
    url = models.CharField(max_length=1000)
    title = models.CharField(max_length=300)
    body = models.TextField(blank=True, default="")
    draft = models.BooleanField(default=False)
    state = models.CharField(max_length=16, choices=State, default=State.OPEN)
    branch = models.CharField(max_length=255)
    base = models.CharField(max_length=255)
    commit = models.CharField(max_length=64, blank=True, default="")
    checks = models.JSONField(blank=True, default=list)
    comments = models.JSONField(blank=True, default=list)
    checked_at = models.DateTimeField(default=timezone.now)
    commit_at = models.DateTimeField(null=True)
    failed_at = models.DateTimeField(null=True)
    created_by = models.ForeignKey(USER, null=True, on_delete=models.SET_NULL, related_name="+")

    objects = PullRequestQuerySet.as_manager()

    class Meta:
        ordering = ("id",)

    def __str__(self) -> str:
        return f"{self.repository} #{self.number}"
