"""How far a token reaches: everywhere its user does, in one team only, or in one project of it only. Pure."""

import uuid
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Reach:
    """A project comes with its team. Both None: everywhere."""

    team_id: uuid.UUID | None = None
    project_id: uuid.UUID | None = None

    @property
    def is_everywhere(self) -> bool:
        return self.team_id is None

    def holds(self, other: "Reach") -> bool:
        """Whether all that `other` reaches is within this."""
        if self.is_everywhere:
            return True
        return self.team_id == other.team_id and self.project_id in (None, other.project_id)


EVERYWHERE: Final = Reach()
