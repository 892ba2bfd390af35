from allauth.socialaccount.providers.openid_connect.views import callback as provider_callback
from django.urls import include, path, re_path
from django.views.decorators.csrf import ensure_csrf_cookie
from django.views.decorators.http import require_safe
from django.views.generic import RedirectView

from agentsite.api.root import api, show_documentation
from agentsite.api.url_tree import tree_of
from agentsite.http.error_responses import api_not_found
from agentsite.interface import show_interface, show_push_worker, show_shared
from agentsite.operators import accesses, pages, sessions
from agentsite.operators.site import operators
from agentsite.tenancy.accounts.oidc_redirect import redirect_to_provider
from sessions_app.mcp.sign_in_rest import receive_answer, show_client_document

handler400 = "agentsite.http.error_responses.bad_request"
handler500 = "agentsite.http.error_responses.server_error"

__all__ = ["accesses", "pages", "sessions"]  # imported because that registers their admin pages

_routes, _app, _namespace = api.urls
urlpatterns = [
    path("api/v1/", (tree_of(_routes), _app, _namespace)),
    path("admin/", operators.urls),
    re_path(r"^admin$", RedirectView.as_view(pattern_name="admin:index")),
    path("api/docs", show_documentation),
    re_path(r"^_allauth/[^/]+/v1/.*phone", api_not_found),  # allauth fails on these: we store no phone numbers
    path("_allauth/browser/v1/auth/provider/redirect", redirect_to_provider),
    path("_allauth/", include("allauth.headless.urls")),
    path("_allauth/oidc/<str:provider_id>/login/callback/", provider_callback, name="openid_connect_callback"),
    path("oauth/mcp/callback", receive_answer),
    path("oauth/mcp/client.json", show_client_document),
    path("push-worker.js", require_safe(show_push_worker)),
    re_path(r"^(?:api|_allauth|static|ws|mcp|oauth|\.well-known)(?:/|$)", api_not_found),
    re_path(r"^(?P<path>shared/.*)$", require_safe(show_shared)),
    re_path(r"^(?P<path>.*)$", require_safe(ensure_csrf_cookie(show_interface))),
]
