"""Fetch the default configurations that organisations publish at a URL. Requests are sent by a guarded process."""

import uuid
from typing import Any, Final

from django.conf import settings
from django.utils import timezone

from agentsite.base.background import background
from sessions_app.configuration.defaults import document_address, read_defaults
from sessions_app.configuration.reading import BadDocument
from sessions_app.models import Configuration
from sessions_app.queueing import enqueue_skill_addresses, is_first
from tools_app.text import clean
from tools_app.web.documents import fetch_document
from tools_app.web.fetching import FetchError

SECONDS: Final = 10.0  # for the network
ONCE_IN_SECONDS: Final = 2.0  # a task that is delivered twice reads once


def refresh_defaults(configuration_id: uuid.UUID) -> None:
    """Download the default settings from the address in a row of `Configuration`, and store them. If the download
    fails, keep the stored defaults and store the reason."""
    row = Configuration.objects.filter(pk=configuration_id).exclude(defaults_address="").first()
    if row is None or not is_first(f"defaults:{row.pk}:{row.defaults_address}", ONCE_IN_SECONDS):
        return
    news: dict[str, Any] = {"defaults_tried_at": timezone.now()}
    try:
        text = read_defaults(background.run(_published(row.defaults_address)))
        news |= {"defaults_text": text, "defaults_read_at": timezone.now(), "defaults_problem": ""}
    except (FetchError, BadDocument) as error:
        news |= {"defaults_problem": clean(str(error))[:500]}
    Configuration.objects.filter(pk=row.pk, defaults_address=row.defaults_address).update(**news)
    if row.skill_sources or '"skills"' in news.get("defaults_text", ""):
        enqueue_skill_addresses(row.pk)


async def _published(origin: str) -> bytes:
    """Read the document with the defaults of an organisation from its address. Raises FetchError."""
    return await fetch_document(
        document_address(origin),
        seconds=SECONDS,
        allowed=settings.WEB_ALLOW,
        certificates=settings.WEB_CERTIFICATES,
    )
