"""The account at an MCP server that a call uses. The account belongs to the person who started the turn. If somebody
else has also written a prompt in the turn, the person who started it must have approved this very call."""

import uuid
from typing import Final

from django.conf import settings
from django.db.models import Q

from agentsite.base.ids import from_public, to_public
from agentsite.tenancy.models import Membership, User
from sessions_app.actions.calls import call_hash
from sessions_app.models import McpServer, Message, PermissionRequest, ToolCall, Workspace
from tools_app.mcp.calling import AccountOwner
from tools_app.mcp.tool import ACCOUNT
from tools_app.spec import ToolError

NEEDS: Final = (
    "The MCP server {name} {problem}. The call was not made. {who} can sign in at {address} ; tell the user this"
    " address, and continue without the server until then."
)
LEFT: Final = "is used with the account of the person who started the turn, who is not in the team any more"
NO_YES: Final = "was not asked: the person whose account would be used has not agreed to this call"
_YES: Final = (PermissionRequest.State.ONCE, PermissionRequest.State.ALWAYS)


class AccountRefused(Exception):
    """No account may be used for a call. The message is a predicate; the name of the server is its subject."""


class SignInNeeded(ToolError):
    """Raised when nobody is signed in at the MCP server of a call. The message has a link to the sign-in, and the
    metadata of the call has the server's id, so that the interface can show the link."""

    def __init__(self, server: McpServer, call: ToolCall, problem: str) -> None:
        is_of_team = server.sign_in == McpServer.SignIn.TEAM
        starter = call.turn.started_by
        who = "An admin of the team" if is_of_team or starter is None else (starter.name or starter.email)
        super().__init__(
            NEEDS.format(name=server.name, problem=problem, who=who, address=sign_in_address(server)),
            metadata={"mcp": {"server": server.name, "sign_in": server.public_id}},
        )


def sign_in_address(server: McpServer) -> str:
    """Return the address of the page on which people sign in at a server."""
    return f"{settings.SITE_URL}/mcp-servers/{server.public_id}"


def person_for(call: ToolCall, workspace: Workspace, server: McpServer) -> uuid.UUID | None:
    """Return the person whose account is used for a call; None if the server needs no person's account.

    Raises AccountRefused if that person has left the team, or if others have prompted and that person has not approved
    the call.
    """
    if not server.asks_sign_in or server.sign_in == McpServer.SignIn.TEAM or call.turn.started_by_id is None:
        return None
    person: uuid.UUID = call.turn.started_by_id
    if not Membership.objects.filter(user=person, team=workspace.project.team_id).exists():
        raise AccountRefused(LEFT)
    if _others_have_prompted(call) and not _has_agreed(call, workspace, person):
        raise AccountRefused(NO_YES)
    return person


def owner_to_ask(call: ToolCall, server_id: str) -> AccountOwner | None:
    """Return the person who must agree to a call to this server; None if nobody has to. For a server without personal
    accounts, the function reads only one row."""
    key = from_public(McpServer.PREFIX, server_id)
    person = call.turn.started_by_id and call.turn.started_by
    wants = McpServer.objects.filter(pk=key, asks_sign_in=True, sign_in=McpServer.SignIn.PERSON)
    if not person or not wants.exists() or not _others_have_prompted(call):
        return None
    return AccountOwner(person.public_id, person.name or person.email)


def _others_have_prompted(call: ToolCall) -> bool:
    """Return whether anybody but the person who started the turn has sent a prompt in this turn or, for a sub-agent, in
    the root turn."""
    turns = Q(turn=call.turn_id) | Q(turn=call.turn.root_id) if call.turn.root_id else Q(turn=call.turn_id)
    prompts = Message.objects.filter(turns, role=Message.Role.USER, author__isnull=False)
    return prompts.exclude(author=call.turn.started_by_id).exists()


def _has_agreed(call: ToolCall, workspace: Workspace, person: uuid.UUID) -> bool:
    rows = PermissionRequest.objects.filter(call=call, call_hash=call_hash(call, workspace.pk), state__in=_YES)
    agreed = [row for row in rows if person == row.answered_by_id or _approved(row, person)]
    return any(need["permission"] == ACCOUNT for row in agreed for need in row.needs)


def _approved(row: PermissionRequest, person: uuid.UUID) -> bool:
    """Return whether an approval of the request by this person is recorded."""
    return to_public(User.PREFIX, person) in {given["person"]["id"] for given in row.approvals}
