"""The admin site itself: who gets in, and how."""

from typing import Any

from django.contrib.admin import AdminSite
from django.contrib.auth import REDIRECT_FIELD_NAME
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import get_script_prefix, reverse
from django.utils.http import url_has_allowed_host_and_scheme, urlencode


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
        """The interface's form, which leads back. Only to pages of this site of ours: an address from elsewhere is
        dropped, and so is any for who is signed in already and must not be here."""
        home = get_script_prefix()
        wanted = request.GET.get(REDIRECT_FIELD_NAME, "")
        if request.user.is_authenticated or not _is_own(wanted):
            return HttpResponseRedirect(home)
        return HttpResponseRedirect(f"{home}?{urlencode({REDIRECT_FIELD_NAME: wanted})}")

    def password_change(  # type: ignore[override]  # a redirect is no template
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        return HttpResponseRedirect("/account/security")


def _is_own(address: str) -> bool:
    own = address.startswith(reverse("admin:index"))
    return own and url_has_allowed_host_and_scheme(address, allowed_hosts=None)


operators = OperatorSite(name="admin")
