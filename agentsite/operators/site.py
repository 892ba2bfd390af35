"""The admin site for operators, who sign in through the web interface."""

from typing import Any

from django.contrib.admin import AdminSite
from django.contrib.auth import REDIRECT_FIELD_NAME
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import get_script_prefix, reverse
from django.utils.http import url_has_allowed_host_and_scheme, urlencode

from agentsite.tenancy.models import User


def operator_of(request: HttpRequest) -> User:
    """Return the operator who sent the request. The admin site has already checked that the user is an operator."""
    if not isinstance(request.user, User):
        raise PermissionDenied
    return request.user


class OperatorSite(AdminSite):
    """The admin site without password forms of its own.

    Operators sign in and change their password in the web interface, where MFA applies.
    """

    site_header = site_title = "agentsite operators"
    index_title = "The site"
    index_template = "operators/index.html"
    enable_nav_sidebar = False

    def has_permission(self, request: HttpRequest) -> bool:
        user = request.user
        return bool(user.is_authenticated and user.is_active and user.is_staff)

    def login(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """Redirect to the sign-in form of the web interface, which returns to the requested admin page.

        The return address is dropped if it is not an admin page, or if the person is signed in but not an operator.
        """
        home = get_script_prefix()
        wanted = request.GET.get(REDIRECT_FIELD_NAME, "")
        if request.user.is_authenticated or not _is_own(wanted):
            return HttpResponseRedirect(home)
        return HttpResponseRedirect(f"{home}?{urlencode({REDIRECT_FIELD_NAME: wanted})}")

    def password_change(  # type: ignore[override]  # not a TemplateResponse
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        return HttpResponseRedirect("/account/security")


def _is_own(address: str) -> bool:
    own = address.startswith(reverse("admin:index"))
    return own and url_has_allowed_host_and_scheme(address, allowed_hosts=None)


operators = OperatorSite(name="admin")
