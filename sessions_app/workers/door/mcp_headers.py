"""Fill in the variables in the headers of a remote MCP server that a repository declares.

The file is not trusted: it could send any secret to a host of its choice. A secret is therefore filled in only if
people entered it for requests to the server's host. Only doors can decrypt such secrets.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from django.db.models import Q

from agentsite.tenancy.door_encryption import DOOR
from sessions_app.mcp.rules import VARIABLE
from sessions_app.models import McpServer, Variable
from sessions_app.variables.uses import REQUESTS
from tools_app.network.added_secrets import HTTPS_PORT, place_of


class HeaderMissing(Exception):
    """A variable for a header is missing. The message is a predicate; the name of the server is its subject."""


@dataclass(frozen=True, slots=True)
class FilledHeaders:
    """The headers of a request to an MCP server with all variables filled in, and the secrets in the headers by
    name."""

    headers: Mapping[str, str]
    secrets: Mapping[str, str] = field(default_factory=dict)


def filled_headers(row: McpServer) -> FilledHeaders:
    """Return the headers of a server with its variables filled in. Raises HeaderMissing, CannotUnseal. Reads
    `row.project`."""
    wanted = {name for value in row.headers.values() for name in VARIABLE.findall(value)}
    if row.workspace_id is None or row.project is None or not wanted:
        return FilledHeaders(row.headers)
    owners = Q(team=row.project.team_id) | Q(project=row.project_id)
    rows = Variable.objects.filter(owners, name__in=wanted).order_by("project_id")
    known = {each.name: each for each in sorted(rows, key=lambda each: each.project_id is not None)}
    parts = urlsplit(row.url)
    place = place_of(parts.hostname or "", parts.port or HTTPS_PORT)
    values: dict[str, str] = {}
    secrets: dict[str, str] = {}
    for name in sorted(wanted):
        found = known.get(name)
        if found is not None and not found.secret:
            values[name] = found.value
        elif found is not None and found.used_for == REQUESTS and place in found.hosts:
            values[name] = secrets[name] = DOOR.unseal(found.sealed_for_door)
        else:
            raise HeaderMissing(f"needs the variable {name}: a plain one, or a secret for requests to {place}")
    headers = {name: VARIABLE.sub(lambda match: values[match[1]], value) for name, value in row.headers.items()}
    return FilledHeaders(headers, secrets)
