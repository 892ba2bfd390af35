"""Notifications: the settings of people, and a record of the notices that people have received."""

from typing import Final

from django.db import models

from sessions_app.models.base import USER

NEWS: Final = ("turn_ended", "turn_failed", "comment", "checks_failed", "budget")
"""The kinds of notices that a person can choose, besides those about requests and questions."""

PAGE_NEWS: Final = ("turn_ended", "budget")
"""The kinds among `NEWS` that open pages of the site can show."""


def default_news() -> list[str]:
    return ["budget"]


def default_push_news() -> list[str]:
    """Return the kinds of push notices that people get unless they choose: all kinds, because nobody gets push notices
    before turning them on in a browser."""
    return list(NEWS)


class MailChoice(models.Model):
    """A person's settings for notices. The row is created when the person changes a setting or gets the first notice.
    `sent_at` is the time of the last e-mail.

    `what` is about e-mails for requests and questions that wait. `news` lists other kinds of `NEWS`, about events since
    `news_since`. `push_what`, `push_news` and `push_since` are the same settings for push notices, `page_what` and
    `page_news` for notices in open pages. Quiet hours, which apply to e-mails and push notices, begin and end at
    minutes of the day in `time_zone`; without them both are None.
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
    push_what = models.CharField(max_length=8, choices=What, default=What.OWN)
    push_news = models.JSONField(default=default_push_news)
    push_since = models.DateTimeField(null=True)
    page_what = models.CharField(max_length=8, choices=What, default=What.ALL)
    page_news = models.JSONField(default=list)
    quiet_from = models.PositiveSmallIntegerField(null=True)
    quiet_until = models.PositiveSmallIntegerField(null=True)
    time_zone = models.CharField(max_length=64, default="UTC")
    sent_at = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return self.what


class MailedItem(models.Model):
    """A record that prevents a second notice: a person was notified about an item by e-mail or push notice (`way`), or
    the notice became unnecessary. `item` is the public id of a request, question, turn or comment, or of a pull request
    with its commit."""

    class Way(models.TextChoices):
        MAIL = "mail"
        PUSH = "push"

    user = models.ForeignKey(USER, on_delete=models.CASCADE, related_name="+")
    item = models.CharField(max_length=128)
    way = models.CharField(max_length=8, choices=Way, default=Way.MAIL, db_default=Way.MAIL)
    at = models.DateTimeField(db_index=True)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("user", "item", "way"), name="one_notice_per_user_item_and_way"),
        )

    def __str__(self) -> str:
        return self.item
