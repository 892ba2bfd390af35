"""Publish and save the live output of a running call, renew its lease, and read the changes that it made in the
workspace."""

from collections import deque
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any, Final

import structlog
from django.db.models import Q
from django.utils import timezone

from agentsite.base.background import background
from sandbox.errors import SandboxError
from sandbox.files import CallChanges
from sandbox.limits import LimitHit
from sandbox.ports import Runtime
from sessions_app.actions.calls import LEASE, LEASED, HeldCall, save_live_output, save_progress
from sessions_app.actions.patches import keep_patch
from sessions_app.actions.turns import LeaseLost
from sessions_app.events.publish import publish_delta
from sessions_app.models import ToolCall
from sessions_app.models.base import renew_lease
from sessions_app.workers.sandbox import deployment as this_node
from sessions_app.workers.sandbox.container_start import note_limit
from sessions_app.workers.shared.lease import Keeper
from tools_app.masking import NO_MASKS, MaskedStream, Masks
from tools_app.text import clean, clean_value

MAX_QUEUED_LIMITS: Final = 20  # of one call that wait to be published
LIVE_LIMIT: Final = 200_000  # characters of live output shown while the call runs; the result shows the end of it

logger = structlog.get_logger(__name__)


class CallKeeper(Keeper):
    """Keeper of a call: publishes and saves its live output, publishes the limits that it reaches, and renews its
    lease."""

    def __init__(self, held: HeldCall) -> None:
        self._held = held
        self._limits: deque[LimitHit] = deque(maxlen=MAX_QUEUED_LIMITS)
        self._output = ""
        self._told = 0
        self._saved = 0
        self._news: dict[str, Any] = {}
        self.mask_with(NO_MASKS)

    def mask_with(self, masks: Masks) -> None:
        """Mask these secrets in all output of the call from now on."""
        self._masks, self._stream = masks, MaskedStream(masks)

    def progress(
        self, *, title: str | None = None, output: str | None = None, metadata: Mapping[str, Any] | None = None
    ) -> None:
        if output and len(self._output) < LIVE_LIMIT:
            self._output += self._stream.feed(output)
        news = {
            "title": title and self._masks.mask(clean(title))[:400],
            "metadata": metadata and self._masks.mask_value(clean_value(metadata)),
        }
        self._news = {**self._news, **{name: value for name, value in news.items() if value is not None}}

    def limit(self, hit: LimitHit) -> None:
        self._limits.append(hit)

    def note_limits(self) -> None:
        """Publish each limit that the call has reached, once for each limit."""
        while self._limits:
            hit = self._limits.popleft()
            note_limit(self._held.row, hit)

    async def publish_progress(self) -> None:
        if len(self._output) > self._told:
            added = self._output[self._told :]
            publish_delta(
                self._held.row.session_id,
                target="call",
                public_id=self._held.row.public_id,
                offset=self._told,
                text=added,
            )
            self._told += len(added)

    def save(self) -> None:
        self.note_limits()
        if self._news:
            news, self._news = self._news, {}
            save_progress(self._held, news)
        if len(self._output) > self._saved:
            self._saved = len(self._output)
            save_live_output(self._held.row.pk, token=self._held.token, text=self._output)

    def check_lease(self) -> None:
        if not ToolCall.objects.filter(self._held_by_us(), pk=self._held.row.pk).exists():
            raise LeaseLost

    def _held_by_us(self) -> Q:
        """Return the filter for a call that this worker may still run: leased by this worker, or not leased by anybody
        while its permissions are checked."""
        return Q(state=ToolCall.State.PENDING) | Q(state__in=LEASED, lease_token=self._held.token)

    def renew(self) -> None:
        row = self._held.row
        if row.lease_token != self._held.token:
            self.check_lease()
        elif not renew_lease(ToolCall, row.pk, token=row.lease_token, states=LEASED, until=timezone.now() + LEASE):
            raise LeaseLost


async def changes_of_call(runtime: Runtime, call_id: str) -> CallChanges | None:
    """Return the changes of a call in the workspace; None if it cannot have changed anything. If the runner does not
    answer, the result has the problem "lost"."""
    if not runtime.may_have_changed:
        return None
    try:
        return await runtime.changes_of(call_id)
    except SandboxError as error:
        logger.warning("changes_not_read", call=call_id, error=error.message)
        return CallChanges(problem="lost")


def patch_of(changes: CallChanges | None, masks: Masks) -> dict[str, Any] | None:
    """Return the data of a patch part for the changes of a call; None if nothing changed. Files whose names are not
    text or contain a secret are only counted."""
    if changes is None or not (changes.files or changes.more or changes.problem):
        return None
    files = [asdict(file) for file in changes.files if masks.mask(clean(file.path)) == file.path]
    return {"files": files, "more": changes.more + len(changes.files) - len(files), "problem": changes.problem}


def keep_changes(call: ToolCall, masks: Masks) -> None:
    """Store the file changes of a tool call that was interrupted or stopped."""
    try:
        found = background.run(this_node.runtime_of(call.session.workspace).changes_of(call.public_id))
    except SandboxError as error:
        logger.warning("changes_not_read", call=call.public_id, error=error.message)
        return
    if patch := patch_of(found, masks):
        keep_patch(call, patch)
