"""Find the rules of Cursor in a workspace. Called by `project_files` if the workspace has any."""

from dataclasses import dataclass, field
from typing import Any, Final

from sandbox.ports import FileReader
from sessions_app.workers.sandbox.markdown_files import MarkdownSearch
from tools_app.cursor_rules import ENDING, FOLDER, OLD_FILE, CursorRule, read_rule
from tools_app.front_matter import BadFrontMatter

MAX_RULES: Final = 100
LIMIT: Final = 32_768  # bytes of one file


@dataclass(slots=True)
class CursorFiles:
    """The rules of Cursor in a workspace. `instructions` are rules that always apply, `rules` apply when a file that
    matches their patterns is read, and `problems` describe rule files that cannot be used. All are in the form in which
    the workspace's row stores them."""

    search: MarkdownSearch
    instructions: list[dict[str, str]] = field(default_factory=list)
    rules: list[dict[str, Any]] = field(default_factory=list)
    problems: list[dict[str, Any]] = field(default_factory=list)

    def add_problem(self, path: str, problem: str) -> None:
        self.problems.append({"pattern": path, "paths": [], "problem": problem})


async def find_cursor_files(runtime: FileReader, *, room: int) -> CursorFiles:
    """Read the rules files of Cursor. `room` is the maximum size of all these files together, in bytes."""
    made = CursorFiles(MarkdownSearch(runtime, room=room))
    on_request: list[CursorRule] = []
    for path in await _paths(made):
        text = await made.search.text(path, limit=LIMIT)
        if text is None:
            made.add_problem(path, f"It is a link, it is larger than {LIMIT:,} bytes, or all rules are too large.")
            continue
        try:
            rule = CursorRule(path, text.strip(), always=True) if path == OLD_FILE else read_rule(path, text)
        except BadFrontMatter as error:
            made.add_problem(path, f"Its front matter was not understood: {error}.")
            continue
        if rule.always and rule.text:
            made.instructions.append({"path": path, "text": rule.text.replace("\0", "")})
        elif rule.globs and not rule.always:
            made.rules.append({"path": path, "globs": list(rule.globs)})
        elif rule.is_on_request:
            on_request.append(rule)
    if on_request:
        made.instructions.append({"path": FOLDER, "text": _listing(on_request)})
    return made


async def _paths(made: CursorFiles) -> list[str]:
    below = await made.search.paths_below(FOLDER, ending=ENDING)
    if len(below) > MAX_RULES:
        made.add_problem(FOLDER, f"Only the first {MAX_RULES} rules are read.")
    (old,) = await made.search.runtime.stats([OLD_FILE])
    return [*([OLD_FILE] if old.exists else []), *below[:MAX_RULES]]


def _listing(rules: list[CursorRule]) -> str:
    lines = [f"- {rule.path}: {rule.description}" for rule in rules]
    return "\n".join(["Read the file of a rule before you do what its description says:", *lines])
