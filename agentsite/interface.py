"""Serve the single-page interface: all paths that belong to no other route get the same HTML document."""

from django.conf import settings
from django.http import HttpRequest, HttpResponse

_NOT_BUILT = "The interface has not been built yet. Run 'make install' and reload this page.\n"
_WORKER_POLICY = "default-src 'none'; img-src 'self'; frame-ancestors 'none'"


def show_interface(_request: HttpRequest, path: str = "") -> HttpResponse:
    try:
        document = (settings.FRONTEND_DIST / "index.html").read_bytes()
    except OSError:
        return HttpResponse(_NOT_BUILT, status=503, content_type="text/plain; charset=utf-8")
    return HttpResponse(document, headers={"Cache-Control": "no-cache"})


def show_shared(request: HttpRequest, path: str = "") -> HttpResponse:
    """Serve the page of a share link. It must not be indexed or cached, and must not send its address to other
    sites."""
    response = show_interface(request, path)
    response.headers["X-Robots-Tag"] = "noindex, nofollow, noarchive"
    response.headers["Referrer-Policy"] = "no-referrer"
    response.headers["Cache-Control"] = "no-store"
    return response


def show_push_worker(_request: HttpRequest) -> HttpResponse:
    """Serve the service worker that shows push notices. Its path is at the root, because a service worker controls only
    pages below its own path. Browsers revalidate it each time, and it may load nothing but images of the site."""
    try:
        script = (settings.FRONTEND_DIST / "push-worker.js").read_bytes()
    except OSError:
        return HttpResponse(_NOT_BUILT, status=503, content_type="text/plain; charset=utf-8")
    headers = {"Cache-Control": "no-cache", "Content-Security-Policy": _WORKER_POLICY}
    return HttpResponse(script, content_type="text/javascript; charset=utf-8", headers=headers)
