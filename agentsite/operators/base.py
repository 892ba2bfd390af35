"""Base class of all admin pages: read-only unless a subclass permits changes."""

from typing import Any

from django.contrib import admin, messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect

from agentsite.base.errors import SiteError


class ReadOnlyAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    """A model admin that lets operators list and view rows, but not add, change or delete them."""

    list_per_page = 50
    show_full_result_count = False
    actions: Any = ()

    def lookup_allowed(self, lookup: str, value: str, request: HttpRequest | None = None) -> bool:
        """Permit only the filters that the page offers: a filter by a hidden column would reveal its values."""
        return lookup.partition("__")[0] in self.list_filter

    def changeform_view(
        self,
        request: HttpRequest,
        object_id: str | None = None,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        """Show a `SiteError` as a message in the admin, and do not save the change that caused it."""
        try:
            return super().changeform_view(request, object_id, form_url, extra_context)
        except SiteError as error:
            messages.error(request, error.message)
            return HttpResponseRedirect(request.get_full_path())

    def has_module_permission(self, request: HttpRequest) -> bool:
        return self.admin_site.has_permission(request)

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return self.admin_site.has_permission(request)

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False
