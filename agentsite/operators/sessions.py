"""Admin page of sessions. It shows the facts by which an operator finds a session, but no titles and messages."""

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.html import format_html

from agentsite.base.errors import Missing
from agentsite.base.ids import from_public
from agentsite.operators.base import ReadOnlyAdmin
from agentsite.operators.site import operators
from sessions_app.models import Session


@admin.register(Session, site=operators)
class Sessions(ReadOnlyAdmin):
    list_display = ("public_id", "team", "project", "created_by", "status", "updated_at", "read_it")
    list_filter = ("status",)
    list_select_related = ("project__team", "created_by")
    search_fields = ("project__slug", "project__team__slug", "created_by__email")
    fields = ("public_id", "team", "project", "created_by", "status", "updated_at", "read_it")
    ordering = ("-updated_at",)

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """Show the search help as a subtitle, because Django's search_help_text replaces the field's label."""
        words = "Search by id (ses_…), short name of the team or project, or e-mail address of the owner"
        return super().changelist_view(request, {"subtitle": words, **(extra_context or {})})

    @admin.display(description="Team")
    def team(self, obj: Session) -> str:
        return str(obj.project.team)

    @admin.display(description="Read")
    def read_it(self, obj: Session) -> str:
        form = reverse("admin:sessions_app_operatoraccess_add", query={"session_id": obj.public_id})
        words = "Open with a reason"
        return format_html('<a href="{}" aria-label="{}: {}">{}</a>', form, words, obj.public_id, words)

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Session], search_term: str
    ) -> tuple[QuerySet[Session], bool]:
        try:
            return queryset.filter(pk=from_public(Session.PREFIX, search_term.strip())), False
        except Missing:
            return super().get_search_results(request, queryset, search_term)
