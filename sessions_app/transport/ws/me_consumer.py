"""WebSocket of one person: notices about everything that waits for them, in all projects of their teams."""

import time
import uuid
from typing import Any, Final

from channels.db import database_sync_to_async

from agentsite.tenancy.models import Project, Team
from sessions_app.audience import readable_ids
from sessions_app.events.publish import notices_group, project_group
from sessions_app.models.base import public_id_of
from sessions_app.transport.ws.base import SocketConsumer
from sessions_app.transport.ws.frames import ME_CLIENT, MeHello, Ping, parse_frame

UNSURE_SECONDS: Final = 5.0  # seconds after a change of rights in which each notice is checked


class MeConsumer(SocketConsumer):
    """The socket on which a person gets notices. Each notice is a hint that the client should load an object again.
    Notices are not stored, so they are not sent again after a reconnect."""

    async def opened(self) -> bool:
        self._joined: set[uuid.UUID] = set()
        self._unsure_until = 0.0
        await self.inbox.follow(notices_group(self.user.pk))
        await self._follow_projects()
        return True

    async def handle(self, frame: dict[str, Any]) -> None:
        match parse_frame(ME_CLIENT, frame):
            case MeHello() as hello:
                await self.acknowledge(hello)
            case Ping() as ping:
                await self.ping(ping)

    async def project_notices(self, message: dict[str, Any]) -> None:
        is_permitted = await self._is_permitted(message)
        while self.must_check_rights():
            if not await self.check_rights():
                return
            await self.follow_rights()
            is_permitted = await self._is_permitted(message)
        if not is_permitted:
            return
        for item in message["items"]:
            await self.send_frame({"type": "notice", "session_id": message["session_id"], **item})

    async def follow_rights(self) -> None:
        """Follow the person's current projects after a change of rights. For some seconds, each notice is also checked
        against the rights, because notices that were sent before the change may still arrive."""
        self._unsure_until = time.monotonic() + UNSURE_SECONDS
        await self.check_log()

    async def _is_permitted(self, message: dict[str, Any]) -> bool:
        if self.user.token_restriction.is_unrestricted and time.monotonic() >= self._unsure_until:
            return True
        permitted: bool = await database_sync_to_async(self._may_hear)(message)
        return permitted

    def _may_hear(self, message: dict[str, Any]) -> bool:
        """Return whether the person may get a notice: they must be able to see its session or team, and their API token
        must not be restricted to another team or project."""
        restriction = self.user.token_restriction
        if restriction.is_unrestricted and message["items"][0]["kind"] == "session.audience":
            return True  # it tells nothing but that the lists changed
        if message["session_id"]:
            return bool(readable_ids(self.user, [message["session_id"]]))
        if restriction.is_unrestricted:
            return {item["data"].get("team_id") for item in message["items"]} <= self._teams()
        own = public_id_of(Team.PREFIX, restriction.team_id) if restriction.project_id is None else None
        return all(item["data"].get("team_id") == own for item in message["items"])

    def _teams(self) -> set[str]:
        return {team.public_id for team in Team.objects.visible_to(self.user)}

    async def check_log(self) -> None:
        await self._follow_projects()  # a new project is not published to the people who may see it

    async def _follow_projects(self) -> None:
        """Join the groups of new projects, and leave the groups of projects that the person can no longer see."""
        current = await database_sync_to_async(self._projects)()
        for project_id in current - self._joined:
            await self.inbox.follow(project_group(project_id))
        for project_id in self._joined - current:
            await self.inbox.unfollow(project_group(project_id))
        self._joined = current

    def _projects(self) -> set[uuid.UUID]:
        return set(Project.objects.visible_to(self.user).values_list("id", flat=True))
