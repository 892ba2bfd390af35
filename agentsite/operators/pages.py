"""Admin pages of accounts, teams, projects, nodes, images, workspaces and the site's audit log."""

from collections.abc import Mapping
from typing import Any

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.html import format_html, format_html_join
from django.utils.safestring import mark_safe

from agentsite.base.errors import SiteError
from agentsite.operators.base import ReadOnlyAdmin
from agentsite.operators.site import operator_of, operators
from agentsite.tenancy.actions.operators import make_owner, switch_account
from agentsite.tenancy.models import AuditEntry, Membership, Project, Team, User
from sessions_app.models import Node, SandboxImage, Workspace


@admin.register(User, site=operators)
class Accounts(ReadOnlyAdmin):
    list_display = ("email", "name", "is_active", "is_staff", "created_at", "last_login")
    list_filter = ("is_active", "is_staff")
    search_fields = ("email", "name")
    ordering = ("email",)
    fields = ("email", "name", "is_active", "is_staff", "created_at", "last_login")

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        if obj is None or not self.admin_site.has_permission(request):
            return self.admin_site.has_permission(request)
        return obj.pk != request.user.pk and (not obj.is_staff or getattr(request.user, "is_superuser", False))

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        staff = () if getattr(request.user, "is_superuser", False) else ("is_staff",)
        return ("email", "name", "created_at", "last_login", *staff)

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        switch_account(actor=operator_of(request), user=obj, is_active=obj.is_active, is_staff=obj.is_staff)


@admin.register(Team, site=operators)
class Teams(ReadOnlyAdmin):
    list_display = ("name", "slug", "created_at", "remove_at")
    search_fields = ("name", "slug")
    fields = ("name", "slug", "created_at", "remove_at")


@admin.register(Membership, site=operators)
class Memberships(ReadOnlyAdmin):
    list_display = ("user", "team", "role", "may_approve", "created_at")
    list_filter = ("role",)
    list_select_related = ("user", "team")
    search_fields = ("user__email", "team__slug", "team__name")
    fields = ("user", "team", "role", "may_approve", "created_at")
    actions = ("make_owners",)

    @admin.action(description="Make the selected members owners of their teams")
    def make_owners(self, request: HttpRequest, chosen: QuerySet[Membership]) -> None:
        for member in chosen[:100]:
            try:
                make_owner(actor=operator_of(request), member=member)
            except SiteError as error:
                messages.error(request, error.message)


@admin.register(Project, site=operators)
class Projects(ReadOnlyAdmin):
    list_display = ("name", "slug", "team", "created_at", "remove_at")
    list_select_related = ("team",)
    search_fields = ("name", "slug", "team__slug")
    fields = ("name", "slug", "team", "created_at", "remove_at")


@admin.register(Node, site=operators)
class Nodes(ReadOnlyAdmin):
    list_display = ("name", "seen_at", "started_at", "lost_at")
    fields = ("name", "seen_at", "started_at", "lost_at", "facts")


@admin.register(Workspace, site=operators)
class Workspaces(ReadOnlyAdmin):
    """The state of workspaces, without their files."""

    list_display = ("public_id", "project", "node", "state", "last_used_at", "remove_at")
    list_filter = ("state",)
    list_select_related = ("project",)
    search_fields = ("project__slug", "node")
    fields = (
        "project", "name", "node", "state", "runtime", "limits", "usage", "disk_driver", "last_used_at",
        "archived_at", "archive_size", "generation", "remove_at",
    )  # fmt: skip


@admin.register(AuditEntry, site=operators)
class SiteAudit(ReadOnlyAdmin):
    """The audit log of the site. Audit logs of teams are only visible to the teams."""

    list_display = ("seq", "at", "actor_name", "action", "subject")
    search_fields = ("action", "actor_name", "subject")
    fields = ("seq", "at", "actor", "actor_name", "action", "subject", "data", "digest")
    ordering = ("-seq",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[AuditEntry]:
        return AuditEntry.objects.filter(chain__team=None)


@admin.register(SandboxImage, site=operators)
class Images(ReadOnlyAdmin):
    """The registered images, with the result of the last trial on each node. `manage.py sandbox_image` changes them."""

    list_display = ("name", "description", "kind", "trial", "users")
    search_fields = ("name", "description")
    fields = ("name", "description", "kind", "source", "trial_on_each_node", "used_by")
    readonly_fields = ("trial_on_each_node", "used_by")

    @admin.display(description="self-check")
    def trial(self, row: SandboxImage) -> str:
        """Return "passed on N of M nodes", for the nodes on which the image was tried, or "not tried"."""
        passed = sum("checks" in trial for trial in row.trials.values())
        return f"passed on {passed} of {len(row.trials)} nodes" if row.trials else "not tried"

    @admin.display(description="projects")
    def users(self, row: SandboxImage) -> int:
        return row.projects.count()

    @admin.display(description="self-check on each node")
    def trial_on_each_node(self, row: SandboxImage) -> str:
        lines = [format_html("{}: {}", node, _trial_text(trial)) for node, trial in sorted(row.trials.items())]
        return format_html_join(mark_safe("<br>"), "{}", ((line,) for line in lines)) or "not tried"

    @admin.display(description="chosen by")
    def used_by(self, row: SandboxImage) -> str:
        chosen = row.projects.select_related("project__team").order_by("project__team__slug", "project__slug")[:200]
        asked = Workspace.objects.filter(wanted_image__name=row.name).select_related("project__team")[:200]
        names = [f"{each.project.team.slug} / {each.project.slug}" for each in chosen]
        wanted = {f"{each.project.team.slug} / {each.project.slug} (devcontainer.json)" for each in asked}
        return ", ".join([*names, *sorted(wanted)]) or "no project"


def _trial_text(trial: Mapping[str, Any]) -> str:
    if "checks" not in trial:
        return f"refused at {trial['at'][:16]}: {trial.get('problem', '')}"
    programs = ", ".join(trial.get("programs", ()))
    return (
        f"{trial['checks']} checks passed at {trial['at'][:16]}; {trial.get('digest', '')} {trial['tag']}; {programs}"
    )
