"""Which family a model belongs to, by its name, and what a family prefers. Pure.

Names are as providers and gateways write them, with or without a provider before a slash ("openai/gpt-5.2",
"anthropic.claude-sonnet-4-5-v1:0"). A new model of a known family needs no change here.
"""

from collections.abc import Mapping
from typing import Final, Literal

# The first piece of a name that is found decides; more special names stand before those that they contain.
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
# Families trained on patches get `apply_patch`; all others `edit`, `multiedit` and `write`.
PATCHING: Final = frozenset({"gpt"})
TOOLS_OF_STYLE: Final[Mapping[EditStyle, frozenset[str]]] = {
    "replace": frozenset({"edit", "multiedit", "write"}),
    "patch": frozenset({"apply_patch"}),
}


def family_of(model: str) -> str:
    """The family's name; "" when the name tells of none."""
    name = model.lower()
    return next((family for piece, family in FAMILIES if piece in name), "")


def is_tool_for(tool_id: str, family: str) -> bool:
    """Whether models of this family are given the tool, when there are two ways to do the same."""
    other: EditStyle = "replace" if family in PATCHING else "patch"
    return tool_id not in TOOLS_OF_STYLE[other]
