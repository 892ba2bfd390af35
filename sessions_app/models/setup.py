"""Set-up of workspaces: the script in a project's settings, and the results of its runs."""

from django.db import models

from sessions_app.models.base import USER, Row, TenantQuerySet


class SetupResultQuerySet(TenantQuerySet["SetupResult"]):
    team_path = "project__team"
    project_path = "project"


class ProjectSetup(models.Model):
    """The set-up script and the services (TOML) in the settings of a project. They take precedence over the script and
    the services in the project's files."""

    project = models.OneToOneField("tenancy.Project", on_delete=models.CASCADE, primary_key=True, related_name="setup")
    script = models.TextField(blank=True, default="")
    services = models.TextField(blank=True, default="")
    changed_by = models.ForeignKey(USER, null=True, on_delete=models.SET_NULL, related_name="+")
    changed_at = models.DateTimeField(auto_now=True)

    def __str__(self) -> str:
        return str(self.project_id)


class SetupResult(Row):
    """The result of a successful set-up: an archive of new files in the archive storage, of `size` bytes.

    `key` is the hash of everything that the result depends on (`tools_app.setup_scripts.Setup.key`). `after` is the
    same hash computed after the set-up, which differs if the set-up itself has changed files on which its result
    depends.
    """

    PREFIX = "set"

    project = models.ForeignKey("tenancy.Project", on_delete=models.CASCADE, related_name="setup_results")
    key = models.CharField(max_length=64)
    after = models.CharField(max_length=64)
    archive = models.CharField(max_length=300)
    size = models.BigIntegerField(default=0)

    objects = SetupResultQuerySet.as_manager()

    class Meta:
        ordering = ("id",)
        constraints = (models.UniqueConstraint(fields=("project", "key"), name="one_setup_result_per_key"),)
