"""Container images that operators registered, and the projects that chose one."""

from django.db import models

from sessions_app.models.base import USER, Row


class SandboxImage(Row):
    """An image that projects may choose. `source` is a tag or digest that the engines have, or a Dockerfile.

    `trials` has the result of the last trial on each node, by its name: {at, tag, digest, checks, programs, problem}.
    """

    class Kind(models.TextChoices):
        TAG = "tag"
        DOCKERFILE = "dockerfile"

    PREFIX = "img"

    name = models.SlugField(max_length=40, unique=True)
    description = models.CharField(max_length=200, blank=True, default="")
    kind = models.CharField(max_length=16, choices=Kind.choices)
    source = models.TextField()
    trials = models.JSONField(default=dict)

    class Meta:
        ordering = ("name",)

    def __str__(self) -> str:
        return self.name


class ProjectImage(models.Model):
    """The image that a project chose. A project without a row has the site's own image."""

    project = models.OneToOneField(
        "tenancy.Project", on_delete=models.CASCADE, primary_key=True, related_name="chosen_image"
    )
    image = models.ForeignKey(SandboxImage, on_delete=models.PROTECT, related_name="projects")
    changed_by = models.ForeignKey(USER, null=True, on_delete=models.SET_NULL, related_name="+")
    changed_at = models.DateTimeField(auto_now=True)

    def __str__(self) -> str:
        return str(self.project_id)
