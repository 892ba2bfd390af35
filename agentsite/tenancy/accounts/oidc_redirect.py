"""Redirect to an OpenID Connect provider through a page of this site.

Browsers apply a page's `form-action` policy also to the redirects that follow a form, including those at the provider,
whose hosts are unknown. So the form is answered by a page of this site that redirects with a meta refresh.
"""

from typing import Any, Final
from urllib.parse import urlsplit

from allauth.headless.constants import Client
from allauth.headless.socialaccount.views import RedirectToProviderView
from django.http import HttpRequest, HttpResponse
from django.utils.html import format_html
from django.views.decorators.http import require_POST

_REDIRECT: Final = RedirectToProviderView.as_api_view(client=Client.BROWSER)
_POLICY: Final = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
"""The content security policy of the redirecting page: without the directive `sandbox`, which would block the
redirect."""
_PAGE: Final = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Signing in</title>
<meta name="viewport" content="width=device-width"><meta http-equiv="refresh" content="0; url={}"></head>
<body><p><a href="{}">Continue to sign in</a></p></body></html>
"""


@require_POST
def redirect_to_provider(request: HttpRequest, **named: Any) -> HttpResponse:
    """Start the sign-in at an identity provider: return the page that redirects there.

    Responses of allauth that do not lead to another host, such as errors, are returned unchanged.
    """
    answer: HttpResponse = _REDIRECT(request, **named)
    address = answer.headers.get("Location", "")
    if not urlsplit(address).netloc:
        return answer
    page = HttpResponse(format_html(_PAGE, address, address))
    page.headers["Content-Security-Policy"] = _POLICY
    page.cookies = answer.cookies
    return page
