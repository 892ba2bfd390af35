"""State that tools keep between the calls of one session."""

from django.db import models


class FileVersion(models.Model):
    """The content hash of a file as the agent last read or wrote it."""

    session = models.ForeignKey("sessions_app.Session", on_delete=models.CASCADE, related_name="file_versions")
    path = models.TextField()
    sha256 = models.CharField(max_length=64)

    class Meta:
        constraints = (models.UniqueConstraint(fields=("session", "path"), name="file_version_place"),)


class OnceKey(models.Model):
    """A record that the session's model has already received a text that is not sent again. `key` identifies the
    text."""

    session = models.ForeignKey("sessions_app.Session", on_delete=models.CASCADE, related_name="once_keys")
    key = models.TextField()

    class Meta:
        constraints = (models.UniqueConstraint(fields=("session", "key"), name="once_key_place"),)
