"""API schemas of accounts at MCP servers."""

from datetime import datetime
from typing import Self

from ninja import Field

from sessions_app.events import schema, views
from sessions_app.models import McpAccount


class McpAccountView(schema.View):
    """The account that is used when you call a tool: yours, or the team's. It contains no tokens. `issuer` is the
    authorization server, `scopes` are the granted scopes, `wanted` the scopes that the MCP server asked for later.
    `problem` says why a new sign-in is needed; it is empty if the account can be used."""

    issuer: str
    scopes: list[str]
    wanted: list[str] = Field(description="Sign in again to give these scopes, too.")
    problem: str
    signed_in_by: schema.PersonView | None
    signed_in_at: datetime
    expires_at: datetime | None = Field(description="When the access token ends; it is renewed, if the server allows.")

    @classmethod
    def of(cls, row: McpAccount) -> Self:
        return cls(
            issuer=row.issuer,
            scopes=row.scopes,
            wanted=row.wanted,
            problem=row.problem,
            signed_in_by=views.person(row.signed_in_by),
            signed_in_at=row.signed_in_at,
            expires_at=row.expires_at,
        )
