"""Derive the family of a model from its name, and the editing tools that the family gets. Pure.

Names are written as by providers and gateways, with or without a provider before a slash ("openai/gpt-5.2",
"anthropic.claude-sonnet-4-5-v1:0"). A new model of a known family needs no change here.
"""

from collections.abc import Mapping
from typing import Final, Literal

# (part of a name, family): the first part that a name contains decides, so longer parts come before their substrings.
FAMILIES: Final[tuple[tuple[str, str], ...]] = (
    ("gpt-oss", "gpt-oss"),
    ("gpt-4", "gpt-4"),
    ("gpt-3", "gpt-4"),
    ("gpt-", "gpt"),
    ("codex", "gpt"),
    ("claude", "claude"),
    ("gemini", "gemini"),
    ("gemma", "gemini"),
    ("grok", "grok"),
    ("mistral", "mistral"),
    ("codestral", "mistral"),
    ("devstral", "mistral"),
    ("magistral", "mistral"),
    ("deepseek", "deepseek"),
    ("qwen", "qwen"),
    ("kimi", "kimi"),
    ("moonshot", "kimi"),
    ("glm", "glm"),
    ("llama", "llama"),
    ("demo", "demo"),
)

EditStyle = Literal["replace", "patch"]
# Families trained on patches get `apply_patch`; all others get `edit`, `multiedit` and `write`.
PATCH_FAMILIES: Final = frozenset({"gpt"})
TOOLS_OF_STYLE: Final[Mapping[EditStyle, frozenset[str]]] = {
    "replace": frozenset({"edit", "multiedit", "write"}),
    "patch": frozenset({"apply_patch"}),
}


def family_of(model: str) -> str:
    """Return the family of a model name; "" if the name belongs to no known family."""
    name = model.lower()
    return next((family for piece, family in FAMILIES if piece in name), "")


def is_tool_for(tool_id: str, family: str) -> bool:
    """Return whether models of this family get the tool. Only the editing tools depend on the family."""
    other: EditStyle = "replace" if family in PATCH_FAMILIES else "patch"
    return tool_id not in TOOLS_OF_STYLE[other]
