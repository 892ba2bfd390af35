"""Restriction of an API token to one team or project. Pure."""

import uuid
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Reach:
    """A token restriction. A project is always given with its team; both None means no restriction."""

    team_id: uuid.UUID | None = None
    project_id: uuid.UUID | None = None

    @property
    def is_everywhere(self) -> bool:
        return self.team_id is None

    def holds(self, other: "Reach") -> bool:
        """Return whether `other` is at least as narrow as this restriction."""
        if self.is_everywhere:
            return True
        return self.team_id == other.team_id and self.project_id in (None, other.project_id)


EVERYWHERE: Final = Reach()
