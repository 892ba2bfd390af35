"""The way to a provider of identities.

A page's `form-action` holds for redirects that answer its forms too, and chains of them at the provider, whose hosts
nobody here knows. So the form is answered by a page of ours, and from there the browser goes by itself.
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
"""Not that of data: in a sandbox no page goes on by itself."""
_PAGE: Final = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Signing in</title>
<meta name="viewport" content="width=device-width"><meta http-equiv="refresh" content="0; url={}"></head>
<body><p><a href="{}">Go on to sign in</a></p></body></html>
"""


@require_POST
def leave_for_provider(request: HttpRequest, **named: Any) -> HttpResponse:
    answer: HttpResponse = _REDIRECT(request, **named)
    address = answer.headers.get("Location", "")
    if not urlsplit(address).netloc:
        return answer
    page = HttpResponse(format_html(_PAGE, address, address))
    page.headers["Content-Security-Policy"] = _POLICY
    page.cookies = answer.cookies
    return page
