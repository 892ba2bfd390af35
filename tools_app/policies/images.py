"""The combined rules of the policies about images: which images are allowed, and which policy forbids an image."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

SITE_IMAGE: Final = "default"
"""The name of the site's own image."""


@dataclass(frozen=True, slots=True)
class ImagePolicy:
    """The image names that each policy allows, from the highest policy (site) to the lowest.

    A policy without a list allows all images.
    """

    lists: Mapping[str, Sequence[str]] = field(default_factory=dict)

    def decides(self, name: str) -> str:
        """Return the highest policy that does not allow the image: "site", "team" or "project"; "" if all allow it."""
        return next((place for place, names in self.lists.items() if name not in names), "")

    def refusal(self, name: str) -> str:
        """Return a sentence which says which policy does not allow the image; "" if all allow it."""
        place = self.decides(name)
        if not place:
            return ""
        allowed = ", ".join(self.lists[place]) or "none"
        return f"The policy of the {place} does not allow the image {name}. It allows: {allowed}."
