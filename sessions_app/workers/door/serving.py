"""Find the workspaces of this node, and keep a link to each of them."""

import asyncio
import ssl
import time
from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Final

import structlog
from django.conf import settings

from sessions_app.models import Workspace
from sessions_app.workers.door.links import WorkspaceLink
from sessions_app.workers.door.secrets import LOOK_INTERVAL as SECRETS_INTERVAL
from sessions_app.workers.door.secrets import SecretsWatch, note_uses
from sessions_app.workers.door.traffic import SAVE_INTERVAL, save_traffic
from tools_app.network.git.spool import remove_leftovers
from tools_app.network.upstream import Upstream
from tools_app.web.guarded.connect import tls_context
from tools_app.web.rules import WebRules

LOOK_INTERVAL: Final = 0.1  # seconds between two checks for new workspaces; their containers start later
SCAN_INTERVAL: Final = 2.0  # seconds after which all are checked again in any case

logger = structlog.get_logger(__name__)


async def serve(root: Path) -> None:
    """Serve all workspaces below `root` until cancelled."""
    await asyncio.to_thread(remove_leftovers)
    upstream = Upstream(WebRules.exempting(settings.NETWORK_ALLOW))
    links: dict[str, WorkspaceLink] = {}
    watch = FolderWatch(root)
    added = asyncio.Event()
    saving = asyncio.create_task(_keep_traffic(links), name="door-traffic")
    secrets = asyncio.create_task(_keep_secrets(links, added), name="door-secrets")
    try:
        while True:
            if (found := await asyncio.to_thread(watch.changed)) is not None:
                if found.keys() - links.keys():
                    added.set()
                _follow(found, links, upstream)
            for link in links.values():
                link.keep_in_place()
            await asyncio.sleep(LOOK_INTERVAL)
    finally:
        saving.cancel()
        secrets.cancel()
        for link in links.values():
            link.close()


async def _keep_traffic(links: Mapping[str, WorkspaceLink]) -> None:
    while True:
        await asyncio.sleep(SAVE_INTERVAL)
        await save_traffic([link.traffic for link in links.values()])
        await note_uses([link.secrets for link in links.values()])


async def _keep_secrets(links: Mapping[str, WorkspaceLink], added: asyncio.Event) -> None:
    """Keep the secrets of all `links` up to date: pass changed secrets on to the link of their workspace, until
    cancelled."""
    watch = SecretsWatch()
    while True:
        if added.is_set():
            watch.forget()
        added.clear()
        for name, secrets in (await watch.changed(links)).items():
            if link := links.get(name):
                await link.use_secrets(secrets)
        with suppress(TimeoutError):
            async with asyncio.timeout(SECRETS_INTERVAL):
                await added.wait()


def _follow(found: Mapping[str, Path], links: dict[str, WorkspaceLink], upstream: Upstream) -> None:
    for name in links.keys() - found.keys():
        links.pop(name).close()
    for name in found.keys() - links.keys():
        try:
            links[name] = WorkspaceLink(found[name], upstream, _tls)
        except OSError as error:  # removed in the meantime, or its disk is full: the next scan tries again
            logger.warning("door_not_opened", workspace=name, error=str(error))


@cache
def _tls() -> ssl.SSLContext:
    """Return the TLS context for the door's own connections: to git servers, and to hosts whose requests get
    secrets."""
    return tls_context(settings.NETWORK_CERTIFICATES)


class FolderWatch:
    """A poller for the directories of workspaces below `root`. It lists them when `root` has changed, and at least
    every `SCAN_INTERVAL`."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._seen = 0
        self._scan_at = 0.0

    def changed(self) -> Mapping[str, Path] | None:
        """Return the directories of the workspaces that have a runner, by id; None if `root` has not changed since the
        last call and no scan is due."""
        try:
            modified = self._root.stat().st_mtime_ns
        except FileNotFoundError:  # before the first workspace
            return None
        if modified == self._seen and time.monotonic() < self._scan_at:
            return None
        folders = list(self._root.glob(f"{Workspace.PREFIX}_*"))
        found = {folder.name: folder for folder in folders if (folder / "runner").is_dir()}
        self._seen = 0 if any(map(_is_new, set(folders) - set(found.values()))) else modified
        self._scan_at = time.monotonic() + SCAN_INTERVAL
        return found


def _is_new(folder: Path) -> bool:
    """Return whether a workspace's directory changed so recently that its runner's directory may still be created in
    it."""
    try:
        return time.time() - folder.stat().st_mtime < SCAN_INTERVAL
    except FileNotFoundError:
        return False
