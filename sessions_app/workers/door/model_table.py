"""Download the table of models from the address of the litellm project. The request is sent by a guarded process."""

from typing import Final

from django.conf import settings

from agentsite.base.background import background
from sessions_app.actions.model_table import keep_table, note_failed_table
from sessions_app.llm.model_table import BadTable, read_table
from sessions_app.queueing import is_first
from tools_app.text import clean
from tools_app.web.documents import fetch_document
from tools_app.web.fetching import FetchError

SECONDS: Final = 60.0  # for the network
ONCE_IN_SECONDS: Final = 2.0  # a task that is delivered twice reads once


def refresh_table() -> None:
    """Read the table of models, and store it if it is complete and plausible. Otherwise the stored table stays, and the
    reason is stored."""
    address = settings.MODEL_TABLE_URL
    if not address or not is_first("model-table", ONCE_IN_SECONDS):
        return
    try:
        content = read_table(background.run(_published(address)))
    except (FetchError, BadTable) as error:
        note_failed_table(clean(str(error)))
    else:
        keep_table(content, address)


async def _published(address: str) -> bytes:
    return await fetch_document(
        address, seconds=SECONDS, allowed=settings.WEB_ALLOW, certificates=settings.WEB_CERTIFICATES
    )
