"""The `memory` tool: keep notes for later sessions of the project."""

from typing import Final, Self

from pydantic import Field, model_validator

from tools_app.arguments import ToolArguments
from tools_app.description import description_beside
from tools_app.memory_notes import MemoryNotes, NoteAction, NoteChange
from tools_app.spec import PermissionNeed, Tool, ToolContext, ToolError, ToolResult
from tools_app.text import first_line

PERMISSION: Final = "memory"
MAX_TEXT_CHARACTERS: Final = 2_048
_VERBS: Final = {"add": "Remember", "replace": "Change a note", "delete": "Delete a note"}
_DONE: Final = {"add": "Remembered", "replace": "Changed a note", "delete": "Deleted a note"}


class MemoryArguments(ToolArguments):
    action: NoteAction = Field(description="What to do: add a note, replace the text of one, or delete one.")
    text: str = Field(
        default="", max_length=MAX_TEXT_CHARACTERS, description="The whole text of the note, to add or replace it."
    )
    note: str = Field(
        default="", max_length=40, description="The name of the note, as in the list, to replace or delete it."
    )

    @model_validator(mode="after")
    def _has_what_the_action_needs(self) -> Self:
        if self.action != "delete" and not self.text.strip():
            raise ValueError(f"'text' is needed to {self.action} a note")
        if self.action == "add" and self.note:
            raise ValueError("'note' is not used to add a note; use 'replace' to change an existing one")
        if self.action != "add" and not self.note:
            raise ValueError(f"'note' is needed to {self.action} a note")
        return self

    def change(self) -> NoteChange:
        return NoteChange(self.action, self.note, self.text.strip() if self.action != "delete" else "")


class MemoryTool(Tool[MemoryArguments]):
    """A tool that adds, replaces or deletes a note of the project's memory. Reading needs no call: the system prompt
    has all notes."""

    id = PERMISSION
    permission = PERMISSION
    parameters = MemoryArguments
    description = description_beside(__file__)

    async def needs(self, args: MemoryArguments, ctx: ToolContext) -> list[PermissionNeed]:
        """Return the permission needed for the change, with the change's action as its pattern. A change that cannot be
        made is refused here, before a person is asked."""
        change = _without_secrets(args.change(), ctx)
        before = await _notes(ctx).text_before(change)
        metadata = {
            "title": f"{_VERBS[change.action]}: {first_line(change.text or before)}",
            "memory_note": {"action": change.action, "before": before, "text": change.text},
        }
        return [PermissionNeed(PERMISSION, (change.action,), (change.action,), metadata)]

    async def run(self, args: MemoryArguments, ctx: ToolContext) -> ToolResult:
        change = _without_secrets(args.change(), ctx)
        before = await _notes(ctx).text_before(change)
        name = await _notes(ctx).make(change)
        shown = first_line(change.text or before)
        metadata = {"action": change.action, "note": name, "before": before, "text": change.text}
        done = "is deleted" if change.action == "delete" else "is kept; later sessions are told it"
        return ToolResult(f"{_DONE[change.action]}: {shown}", f"The note {name} {done}.", metadata)


def _without_secrets(change: NoteChange, ctx: ToolContext) -> NoteChange:
    """Return `change`. Raises ToolError if its text contains a secret of the project or the team."""
    if ctx.masks.mask(change.text) != change.text:
        raise ToolError("The text contains a secret of this project. Leave it out: every session is told the notes.")
    return change


def _notes(ctx: ToolContext) -> MemoryNotes:
    if ctx.notes is None:
        raise ToolError("There is no session whose project has a memory here.")
    return ctx.notes()
