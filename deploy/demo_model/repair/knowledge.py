"""What the calls of this turn have taught: which files there are, what is in them, what was changed and run."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from deploy.demo_model import outputs
from deploy.demo_model.conversation import Conversation, Done
from deploy.demo_model.repair.diagnosis import is_test_file
from deploy.demo_model.repair.source import parse

README: Final = "README.md"


@dataclass(frozen=True, slots=True)
class Edit:
    path: str
    old: str
    new: str

    def reverts(self, other: "Edit") -> bool:
        return (self.path, self.old, self.new) == (other.path, other.new, other.old)


@dataclass(slots=True)
class Knowledge:
    """`files` are texts as they are now, `originals` as they were read first. `events` keeps the order of edits and
    test runs; `tried` are the paths that were read, successfully or not."""

    paths: list[str] = field(default_factory=list)
    files: dict[str, str] = field(default_factory=dict)
    originals: dict[str, str] = field(default_factory=dict)
    tried: set[str] = field(default_factory=set)
    events: list[Edit | outputs.TestRun] = field(default_factory=list)
    has_readme: bool = False
    failed_edit: str = ""

    @property
    def runs(self) -> list[outputs.TestRun]:
        return [event for event in self.events if isinstance(event, outputs.TestRun)]

    @property
    def attempts(self) -> list[Edit]:
        """The edits that tried something; those that took one back do not count."""
        kept: list[Edit] = []
        edits = [event for event in self.events if isinstance(event, Edit)]
        for number, edit in enumerate(edits):
            if not (number and edit.reverts(edits[number - 1])):
                kept.append(edit)
        return kept

    @property
    def standing(self) -> Edit | None:
        """The attempt that is in the files now."""
        edits = [event for event in self.events if isinstance(event, Edit)]
        if not edits or (len(edits) > 1 and edits[-1].reverts(edits[-2])):
            return None
        return edits[-1]

    @property
    def has_tests(self) -> bool:
        return any("def test" in text for path, text in self.files.items() if is_test_file(path))

    def unread_tests(self) -> list[str]:
        return [path for path in self.paths if is_test_file(path) and path not in self.tried]

    def unread_imports(self) -> list[str]:
        """Files of the project that the files read so far import."""
        wanted = {path for text in self.files.values() for path in self._imports(text)}
        return sorted(wanted - self.tried)

    def _imports(self, text: str) -> Iterator[str]:
        for name in imported_modules(text):
            stem = name.replace(".", "/")
            places = (f"{root}{stem}{end}" for root in ("", "src/") for end in (".py", "/__init__.py"))
            yield from (place for place in places if place in self.paths)


def learn(conversation: Conversation) -> Knowledge:
    known = Knowledge()
    for done in conversation.done:
        _learn_one(known, done)
    return known


def _learn_one(known: Knowledge, done: Done) -> None:
    path = outputs.relative(str(done.arguments.get("filePath", "")))
    match done.tool:
        case "glob":
            known.paths += [path for path in outputs.paths(done.output) if path not in known.paths]
        case "list":
            known.has_readme = README in outputs.names_in_tree(done.output)
        case "read":
            known.tried.add(path)
            if path.endswith(".py") and (text := outputs.file_text(done.output)) is not None:
                known.files[path] = text
                known.originals.setdefault(path, text)
        case "edit":
            _learn_edit(known, path, done)
        case "bash":
            known.events.append(outputs.read_test_run(done.output))


def _learn_edit(known: Knowledge, path: str, done: Done) -> None:
    edit = Edit(path, str(done.arguments.get("oldString", "")), str(done.arguments.get("newString", "")))
    if not outputs.is_edit_done(done.output):
        known.failed_edit = done.output
        return
    known.failed_edit = ""
    known.events.append(edit)
    known.files[path] = known.files.get(path, "").replace(edit.old, edit.new, 1)


def imported_modules(text: str) -> Iterator[str]:
    """Absolute names that a source imports: `from a.b import c` may mean a.b or a.b.c."""
    tree = parse(text)
    for node in ast.walk(tree) if tree else ():
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
