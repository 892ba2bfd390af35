"""The single-page interface: every address that is not the API's gets the same document."""

from django.conf import settings
from django.http import HttpRequest, HttpResponse

_NOT_BUILT = "The interface is not built yet. Run 'make install' and reload this page.\n"


def show_interface(_request: HttpRequest, path: str = "") -> HttpResponse:
    try:
        document = (settings.FRONTEND_DIST / "index.html").read_bytes()
    except OSError:
        return HttpResponse(_NOT_BUILT, status=503, content_type="text/plain; charset=utf-8")
    return HttpResponse(document, headers={"Cache-Control": "no-cache"})


def show_shared(request: HttpRequest, path: str = "") -> HttpResponse:
    """The page of a link: for whoever has the link, and for no search engine, cache or other site."""
    response = show_interface(request, path)
    response.headers["X-Robots-Tag"] = "noindex, nofollow, noarchive"
    response.headers["Referrer-Policy"] = "no-referrer"
    response.headers["Cache-Control"] = "no-store"
    return response
