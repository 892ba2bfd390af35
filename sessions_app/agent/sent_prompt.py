"""The parts of a request besides the conversation: the blocks of its system prompt, and its tools. Pure."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from sessions_app.agent.estimates import estimate_text
from sessions_app.llm.port import ToolDefinition

BlockKind = Literal["agent", "environment", "instructions", "skills", "memory", "output"]
SEPARATOR: Final = "\n\n"


@dataclass(frozen=True, slots=True)
class PromptBlock:
    """A block of the system prompt. `name` is the agent, or the path of an instruction file; `names` are the skills
    or notes that the block lists."""

    kind: BlockKind
    name: str
    text: str
    names: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class SentPrompt:
    """A system prompt as it is sent to the model, its blocks in order, and the tools that are offered with it."""

    text: str
    blocks: Sequence[PromptBlock]
    tools: Sequence[ToolDefinition] = ()

    @property
    def digest(self) -> bytes:
        """Return 16 bytes that are equal if the text and the names of the tools are equal."""
        names = "\n".join(tool.name for tool in self.tools)
        return hashlib.blake2b(f"{self.text}\0{names}".encode("utf-8", "replace"), digest_size=16).digest()

    def described_blocks(self) -> list[dict[str, Any]]:
        """Return {kind, name, names, tokens} of each block, the tokens estimated."""
        return [
            {"kind": each.kind, "name": each.name, "names": list(each.names), "tokens": estimate_text(each.text)}
            for each in self.blocks
        ]

    def described_tools(self) -> list[dict[str, Any]]:
        """Return {name, tokens} of each tool, the tokens estimated from its name, description and schema."""
        return [
            {
                "name": tool.name,
                "tokens": estimate_text(f"{tool.name}{tool.description}{json.dumps(dict(tool.schema), default=str)}"),
            }
            for tool in self.tools
        ]


def joined(blocks: Sequence[PromptBlock]) -> str:
    """Return the text of a system prompt made of these blocks."""
    return SEPARATOR.join(block.text for block in blocks)
