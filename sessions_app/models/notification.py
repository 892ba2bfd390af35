"""E-mail notifications: the settings of people, and which e-mails were already sent."""

from typing import Final

from django.db import models

from sessions_app.models.base import USER

NEWS: Final = ("turn_ended", "turn_failed", "comment", "checks_failed", "budget")
"""The kinds of e-mails that a person can choose, besides those about requests and questions."""


def default_news() -> list[str]:
    return ["budget"]


class MailChoice(models.Model):
    """A person's settings for e-mails. The row is created when the person chooses, or gets the first e-mail. `sent_at`
    is the time of the last e-mail.

    `what` is about requests and questions that wait. `news` lists other kinds of `NEWS`, about what happened since
    `news_since`. Quiet hours begin and end at minutes of the day in `time_zone`; without them both are None.
    """

    class What(models.TextChoices):
        OFF = "off"
        OWN = "own"
        ALL = "all"

    user = models.OneToOneField(USER, primary_key=True, on_delete=models.CASCADE, related_name="mail_choice")
    what = models.CharField(max_length=8, choices=What, default=What.OWN)
    delay_minutes = models.PositiveSmallIntegerField(default=5)
    news = models.JSONField(default=default_news)
    news_since = models.DateTimeField(null=True)
    quiet_from = models.PositiveSmallIntegerField(null=True)
    quiet_until = models.PositiveSmallIntegerField(null=True)
    time_zone = models.CharField(max_length=64, default="UTC")
    sent_at = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return self.what


class MailedItem(models.Model):
    """An item that a person got an e-mail about, or needs none about any more. Prevents a second e-mail. `item` is the
    public id of a request, question, turn or comment, or of a pull request with its commit."""

    user = models.ForeignKey(USER, on_delete=models.CASCADE, related_name="+")
    item = models.CharField(max_length=128)
    at = models.DateTimeField(db_index=True)

    class Meta:
        constraints = (models.UniqueConstraint(fields=("user", "item"), name="one_letter_per_user_and_item"),)

    def __str__(self) -> str:
        return self.item
