"""Decide who may see a preview: find the grant for the secret in a browser's cookie, and check whether the grant is
still valid."""

import asyncio
import time
from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from asgiref.sync import sync_to_async
from django.db import close_old_connections
from django.utils import timezone

from agentsite.base.preview_address import PreviewPlace
from agentsite.tenancy.models import User
from sessions_app.actions.previews import find_grant, redeem_preview_ticket, session_of_grant
from sessions_app.models import Workspace

CHECK_EVERY: Final = 1.0  # seconds for which the answer of the database holds
MAX_KNOWN: Final = 2_000
USE_NOTED_EVERY: Final = 30.0  # seconds between two notes that a workspace is used


@dataclass(frozen=True, slots=True)
class Admitted:
    """A person who may see a preview now."""

    user: User
    workspace: Workspace

    @property
    def is_running(self) -> bool:
        return self.workspace.state == Workspace.State.RUNNING and bool(self.workspace.node)


class Admission:
    """A cache of the people for whom cookies open previews. A result is reused for CHECK_EVERY, so a page with many
    files costs one check."""

    def __init__(self) -> None:
        self._known: OrderedDict[tuple[str, PreviewPlace], tuple[float, Admitted | None]] = OrderedDict()
        self._noted: dict[object, float] = {}
        self._reading = asyncio.Lock()

    async def admit(self, secrets: Iterable[str], place: PreviewPlace) -> tuple[str, Admitted] | None:
        """Return the first valid cookie of at most four, and the person for whom it opens the preview; None if no
        cookie is valid."""
        for secret in list(secrets)[:4]:
            if admitted := await self.check(secret, place):
                return secret, admitted
        return None

    async def check(self, secret: str, place: PreviewPlace) -> Admitted | None:
        """Return the person to whom the cookie's grant belongs, or None if the cookie is not valid. The result is
        cached for about a second."""
        key = (secret, place)
        if (known := self._fresh(key)) is not None:
            return known[1]
        async with self._reading:
            if (known := self._fresh(key)) is not None:
                return known[1]
            began = time.monotonic()
            found = await sync_to_async(_read, thread_sensitive=False)(secret, place)
            self._known[key] = began, found
            self._known.move_to_end(key)
            while len(self._known) > MAX_KNOWN:
                self._known.popitem(last=False)
            return found

    async def note_use(self, workspace: Workspace) -> None:
        """Record that a person uses the workspace, so that housekeeping does not stop it as idle."""
        now = time.monotonic()
        if now - self._noted.get(workspace.pk, -USE_NOTED_EVERY) >= USE_NOTED_EVERY:
            self._noted[workspace.pk] = now
            await sync_to_async(_note_use, thread_sensitive=False)(workspace)

    def _fresh(self, key: tuple[str, PreviewPlace]) -> tuple[float, Admitted | None] | None:
        known = self._known.get(key)
        return known if known is not None and time.monotonic() - known[0] < CHECK_EVERY else None


def _read(secret: str, place: PreviewPlace) -> Admitted | None:
    close_old_connections()
    try:
        grant = find_grant(secret, place)
        found = session_of_grant(grant) if grant else None
        return Admitted(found[0], found[1].workspace) if found else None
    finally:
        close_old_connections()


def _note_use(workspace: Workspace) -> None:
    close_old_connections()
    try:
        now = timezone.now()
        rows = Workspace.objects.filter(pk=workspace.pk, last_used_at__lt=now - timedelta(seconds=USE_NOTED_EVERY / 2))
        rows.update(last_used_at=now)
    finally:
        close_old_connections()


async def redeem(ticket: str, place: PreviewPlace) -> tuple[str, str] | None:
    """Use up a ticket. Return the secret for a cookie and the path to show, None if the ticket is not valid for this
    preview."""
    return await sync_to_async(redeem_preview_ticket, thread_sensitive=False)(ticket, place)
