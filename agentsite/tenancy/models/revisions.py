"""Counters of changes, which show whether values that were derived from rows are out of date."""

from django.db import models


class Revision(models.Model):
    """The number of changes to the configuration of the site, a team, a workspace or a session.

    Database triggers increment `number` in the transaction of each change (`tenancy.revisions`). `key` is "site" or
    the id of the team, workspace or session as 32 hexadecimal digits.
    """

    key = models.CharField(max_length=32, primary_key=True)
    number = models.PositiveBigIntegerField(default=1)
