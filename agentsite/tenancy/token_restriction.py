"""Restriction of an API token to one team or project."""

import uuid
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class TokenRestriction:
    """Restriction of an API token to a team, or to a project and its team. Both None means no restriction."""

    team_id: uuid.UUID | None = None
    project_id: uuid.UUID | None = None

    @property
    def is_unrestricted(self) -> bool:
        return self.team_id is None

    def contains(self, other: "TokenRestriction") -> bool:
        """Return whether `other` is at least as narrow as this restriction."""
        if self.is_unrestricted:
            return True
        return self.team_id == other.team_id and self.project_id in (None, other.project_id)


UNRESTRICTED: Final = TokenRestriction()
