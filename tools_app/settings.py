"""The site's settings for tools, passed to them as `OfferContext.settings` and `ToolContext.settings`."""

from typing import Any

from django.conf import settings


def site_settings() -> dict[str, Any]:
    """Return the settings for tools. A secret is empty in a process whose role must not have it."""
    return {
        "web_allow": tuple(settings.WEB_ALLOW),
        "web_certificates": settings.WEB_CERTIFICATES,
        "search_server": settings.SEARCH_SERVER,
        "search_key": settings.SEARCH_KEY,
        "languages": settings.SANDBOX_LANGUAGES,
    }
