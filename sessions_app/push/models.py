"""Browsers that get push notices, the notices that wait to be sent, and the key pair of the site."""

from typing import ClassVar, Self

from django.db import models
from django.utils import timezone

from agentsite.tenancy.base import SealedField, VisibleQuerySet
from agentsite.tenancy.models import User
from sessions_app.models.base import USER, Row


class PushKey(models.Model):
    """The VAPID key pair with which the site identifies itself at push services. There is one row at most, created on
    first use. `private` is encrypted; only the agent worker can decrypt it."""

    id = models.PositiveSmallIntegerField(primary_key=True, default=1)
    public = models.CharField(max_length=100)
    private = SealedField()
    created_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return self.public


class PushBrowserQuerySet(VisibleQuerySet["PushBrowser"]):
    def visible_to(self, user: User) -> Self:
        return self.filter(user=user)


class PushBrowser(Row):
    """A browser in which a person has turned push notices on.

    `address` is the address of the browser at its push service, and `keys` are the public key and the secret with which
    notices are encrypted. Both are stored encrypted, because anybody who has them can send notices to the browser.
    `place` is a hash of the address. `session_key` is the browser session that turned push notices on; the row is
    deleted when that session ends. `problem` says why the last notice was not accepted; it is empty if it was.
    """

    PREFIX: ClassVar[str] = "psh"

    user = models.ForeignKey(USER, on_delete=models.CASCADE, related_name="push_browsers")
    session_key = models.CharField(max_length=40, db_index=True)
    place = models.CharField(max_length=64, unique=True)
    address = SealedField()
    keys = SealedField()
    service = models.CharField(max_length=255)
    user_agent = models.CharField(max_length=300, blank=True, default="")
    used_at = models.DateTimeField(null=True)
    problem = models.CharField(max_length=300, blank=True, default="")

    objects = PushBrowserQuerySet.as_manager()

    class Meta:
        ordering = ("id",)

    def __str__(self) -> str:
        return self.service


class PushNotice(Row):
    """A notice that a push service has not accepted yet. It is deleted when the service has accepted it, and given up
    after a day.

    `topic` identifies the notice's subject: a newer notice of the same topic replaces an older one, at the push service
    and on the screen. `path` is the page that a click opens. A worker has the notice until `lease_until`.
    """

    PREFIX: ClassVar[str] = "pno"

    browser = models.ForeignKey(PushBrowser, on_delete=models.CASCADE, related_name="notices")
    topic = models.CharField(max_length=128)
    title = models.CharField(max_length=200)
    text = models.CharField(max_length=500, blank=True, default="")
    path = models.CharField(max_length=300, blank=True, default="")
    is_urgent = models.BooleanField(default=False)
    due_at = models.DateTimeField(default=timezone.now, db_index=True)
    attempts = models.PositiveSmallIntegerField(default=0)
    lease_until = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return self.topic
