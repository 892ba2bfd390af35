"""The table of models that the site has read from litellm's address."""

from django.db import models

from sessions_app.models.base import Row


class ModelTable(Row):
    """The last downloaded table of models. There is at most one row.

    `content` is the file of the table (`sessions_app.llm.model_table`), compressed; b"" if the bundled table is in use.
    `model_count` is the number of models in it. It was downloaded from `address` at `read_at`. `problem` says why the
    download at `tried_at` failed, and is "" if it succeeded.
    """

    PREFIX = "mtb"

    place = models.CharField(max_length=64, unique=True)
    content = models.BinaryField(default=b"")
    model_count = models.PositiveIntegerField(default=0)
    address = models.TextField(blank=True, default="")
    read_at = models.DateTimeField(null=True)
    tried_at = models.DateTimeField(null=True)
    problem = models.TextField(blank=True, default="")

    class Meta:
        ordering = ("place",)
