"""The site's OAuth clients at the authorization servers of MCP servers, and the effect of changed settings on
sign-ins."""

import json

from agentsite.base.errors import BadInput
from agentsite.tenancy.door_encryption import DOOR
from sessions_app.mcp.places import ServerPlace
from sessions_app.mcp.rules import ServerSettings
from sessions_app.models import McpAccount, McpClient, McpServer, McpSignIn


def check_sign_in(place: ServerPlace, wanted: ServerSettings) -> None:
    """Raise BadInput for sign-in settings that a server of this scope cannot have."""
    if wanted.sign_in == "team" and place.team_id is None:
        raise BadInput(
            "Only a server of a team or a project has one account for all.",
            hint="Add a server with the same name to the team.",
            fields={"sign_in": "only for a server of a team or a project"},
        )
    if wanted.client_secret and not wanted.client_id:
        problem = "a secret needs the client id that it belongs to"
        raise BadInput("The client secret has no client id.", fields={"client_secret": problem})


def store_client(row: McpServer, wanted: ServerSettings) -> None:
    """Store the OAuth client that an admin has entered for an MCP server, or delete the stored client if the entered id
    is empty."""
    if wanted.client_id is None:
        return
    McpClient.objects.filter(server=row).delete()
    if wanted.client_id:
        known = {"client_id": wanted.client_id}
        if wanted.client_secret:
            known["client_secret"] = wanted.client_secret
        McpClient.objects.create(server=row, is_given=True, sealed=DOOR.seal(json.dumps(known)))


def forget_sign_ins(row: McpServer) -> None:
    """Remove the accounts, sign-ins and clients that belong to the former address of a server, and revoke the tokens.
    The caller saves the server's row afterwards."""
    forget_accounts(row)
    McpClient.objects.filter(server=row).delete()
    row.client_id, row.asks_sign_in, row.challenge = "", False, ""


def forget_accounts(row: McpServer) -> None:
    """Remove the accounts at an MCP server and the unfinished sign-ins there, and revoke the accounts' tokens."""
    McpAccount.objects.filter(server=row).delete()
    McpSignIn.objects.filter(server=row).delete()
