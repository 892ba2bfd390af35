"""WebSocket of one person: notices about everything that waits for them, in all projects of their teams."""

import uuid
from typing import Any

from channels.db import database_sync_to_async

from agentsite.tenancy.models import Project, Team
from sessions_app.audience import readable_ids
from sessions_app.events.publish import notices_group, project_group
from sessions_app.models.base import public_id_of
from sessions_app.transport.ws.base import SocketConsumer
from sessions_app.transport.ws.frames import ME_CLIENT, MeHello, Ping, parse_frame


class MeConsumer(SocketConsumer):
    """Sends notices, which are hints to load something again. They are not stored, so nothing has to be replayed."""

    async def opened(self) -> bool:
        self._joined: set[uuid.UUID] = set()
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
        if not self.user.token_restriction.is_unrestricted and not await database_sync_to_async(
            self._is_within_restriction
        )(message):
            return
        for item in message["items"]:
            await self.send_frame({"type": "notice", "session_id": message["session_id"], **item})

    def _is_within_restriction(self, message: dict[str, Any]) -> bool:
        """Return whether the notice is within the token's restriction. Personal notices come from all teams, but a
        token may be limited to one."""
        if message["session_id"]:
            return bool(readable_ids(self.user, [message["session_id"]]))
        restriction = self.user.token_restriction
        own = public_id_of(Team.PREFIX, restriction.team_id) if restriction.project_id is None else None
        return all(item["data"].get("team_id") == own for item in message["items"])

    async def check_log(self) -> None:
        await self._follow_projects()  # a new project is not published to the people who may see it

    async def _follow_projects(self) -> None:
        """Join the groups of new projects, and leave those that the person cannot see any more."""
        current = await database_sync_to_async(self._projects)()
        for project_id in current - self._joined:
            await self.inbox.follow(project_group(project_id))
        for project_id in self._joined - current:
            await self.inbox.unfollow(project_group(project_id))
        self._joined = current

    def _projects(self) -> set[uuid.UUID]:
        return set(Project.objects.visible_to(self.user).values_list("id", flat=True))
