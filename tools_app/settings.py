"""What the site's settings say to tools: `OfferContext.settings` and `ToolContext.settings`."""

from typing import Any

from django.conf import settings


def site_settings() -> dict[str, Any]:
    """In a process that must not know a secret, that one is empty."""
    return {
        "web_allow": tuple(settings.WEB_ALLOW),
        "web_certificates": settings.WEB_CERTIFICATES,
        "search_server": settings.SEARCH_SERVER,
        "search_key": settings.SEARCH_KEY,
        "languages": settings.SANDBOX_LANGUAGES,
    }
