"""The admin site itself: who gets in, and how."""

from typing import Any

from django.contrib.admin import AdminSite
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect


class OperatorSite(AdminSite):
    """People sign in where everybody does, so that a second factor is asked for there: this site has no form of its own
    for passwords, neither for signing in nor for changing them."""

    site_header = site_title = "agentsite operators"
    index_title = "The site"
    index_template = "operators/index.html"
    enable_nav_sidebar = False

    def has_permission(self, request: HttpRequest) -> bool:
        user: Any = request.user
        return bool(user.is_authenticated and user.is_active and user.is_staff)

    def login(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        return HttpResponseRedirect("/")

    def password_change(  # type: ignore[override]  # a redirect is no template
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        return HttpResponseRedirect("/account/security")


operators = OperatorSite(name="admin")
