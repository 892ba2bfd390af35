"""E-mail reminders: the settings of people, and which e-mails were already sent."""

from django.db import models

from sessions_app.models.base import USER


class MailChoice(models.Model):
    """A person's settings for e-mails. The row is created when the person chooses, or gets the first e-mail. `sent_at`
    is the time of the last e-mail."""

    class What(models.TextChoices):
        OFF = "off"
        OWN = "own"
        ALL = "all"

    user = models.OneToOneField(USER, primary_key=True, on_delete=models.CASCADE, related_name="mail_choice")
    what = models.CharField(max_length=8, choices=What, default=What.OWN)
    delay_minutes = models.PositiveSmallIntegerField(default=5)
    sent_at = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return self.what


class MailedItem(models.Model):
    """A request or question (its public id) that a person got an e-mail about. Prevents a second e-mail."""

    user = models.ForeignKey(USER, on_delete=models.CASCADE, related_name="+")
    item = models.CharField(max_length=64)
    at = models.DateTimeField(db_index=True)

    class Meta:
        constraints = (models.UniqueConstraint(fields=("user", "item"), name="one_letter_per_user_and_item"),)

    def __str__(self) -> str:
        return self.item
