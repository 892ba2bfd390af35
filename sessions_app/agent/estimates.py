"""Estimate tokens of texts that no provider has counted yet. Pure."""

from typing import Final

CHARACTERS_PER_TOKEN: Final = 4


def estimate_text(text: str) -> int:
    return -(-len(text) // CHARACTERS_PER_TOKEN)
