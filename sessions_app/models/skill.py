"""Skills in versions: of the site, a team, a project or a person; uploaded, or fetched from an address."""

from typing import Self

from django.db import models
from django.db.models import Q

from agentsite.tenancy.base import SITE_PLACE, PlacedQuerySet
from agentsite.tenancy.models import User
from sessions_app.models.base import USER, Row


class SkillPackageQuerySet(PlacedQuerySet["SkillPackage"]):
    def visible_to(self, user: User) -> Self:
        """Return the skills of the site, of the user's teams and their projects, and the user's own. A restricted token
        never sees skills of people."""
        mine = Q(team__memberships__user=user) | Q(project__team__memberships__user=user) | Q(person=user)
        return self.filter(Q(place=SITE_PLACE) | mine).distinct()


class SkillPackage(Row):
    """A skill. `place` is "site", or the public id of the team, project or person. `in_force` is the version that
    agents load; None if the skill is switched off. `address` is the address from which the skill is fetched, "" for an
    uploaded skill."""

    PREFIX = "skl"

    place = models.CharField(max_length=64)
    team = models.ForeignKey("tenancy.Team", null=True, on_delete=models.CASCADE, related_name="skill_packages")
    project = models.ForeignKey("tenancy.Project", null=True, on_delete=models.CASCADE, related_name="skill_packages")
    person = models.ForeignKey(USER, null=True, on_delete=models.CASCADE, related_name="skill_packages")
    name = models.CharField(max_length=64)
    address = models.CharField(max_length=500, blank=True, default="")
    in_force = models.ForeignKey("sessions_app.SkillVersion", null=True, on_delete=models.SET_NULL, related_name="+")
    changed_by = models.ForeignKey(USER, null=True, on_delete=models.SET_NULL, related_name="+")
    changed_at = models.DateTimeField()

    objects = SkillPackageQuerySet.as_manager()

    class Meta:
        ordering = ("name",)
        constraints = (models.UniqueConstraint(fields=("place", "name"), name="one_skill_per_place_and_name"),)

    def __str__(self) -> str:
        return self.name


class SkillVersion(Row):
    """One version of a skill, uploaded or fetched. `content` is a zip file that the site packed itself, `files` are
    {path, size} of its entries. Versions never change."""

    PREFIX = "skv"

    package = models.ForeignKey(SkillPackage, on_delete=models.CASCADE, related_name="versions")
    number = models.PositiveIntegerField()
    description = models.TextField()
    files = models.JSONField(default=list)
    content = models.BinaryField()
    sha256 = models.CharField(max_length=64)
    uploaded_by = models.ForeignKey(USER, null=True, on_delete=models.SET_NULL, related_name="+")

    class Meta:
        ordering = ("-number",)
        constraints = (models.UniqueConstraint(fields=("package", "number"), name="one_skill_version_per_number"),)

    def __str__(self) -> str:
        return f"{self.package_id} version {self.number}"
