"""pyright in a real container: errors after edits, and the nine operations of the tool `lsp`."""

import pytest

from tests.integration.tools_app.languages.conftest import Project

pytestmark = [pytest.mark.docker, pytest.mark.languages, pytest.mark.asyncio(loop_scope="module")]

SHAPES = '''\
from abc import ABC, abstractmethod


class Shape(ABC):
    """Anything with an area."""

    @abstractmethod
    def area(self) -> float: ...


class Square(Shape):
    def __init__(self, side: float) -> None:
        self.side = side

    def area(self) -> float:
        return self.side**2


def total(shapes: list[Shape]) -> float:
    """The sum of all areas."""
    return sum(shape.area() for shape in shapes)
'''
MAIN = """\
from shapes import Square, total


def main() -> None:
    name = "𝒳"; print(name, total([Square(2.0)]))


main()
"""


@pytest.fixture
async def shapes(project: Project) -> Project:
    await project.put("shapes.py", SHAPES)
    await project.put("main.py", MAIN)
    return project


async def ask(project: Project, operation: str, path: str, line: int, character: int, query: str = "") -> list[str]:
    answer = await project.call("lsp", operation=operation, filePath=path, line=line, character=character, query=query)
    return answer.output.split("\n")


async def test_an_edit_that_breaks_a_type_says_so(project: Project) -> None:
    written = await project.call("write", filePath="broken/a.py", content='def half(n: int) -> int:\n    return "n"\n')

    assert "1 error in broken/a.py (Pyright):" in written.output
    (problem,) = written.metadata["diagnostics"]
    assert (problem["path"], problem["line"], problem["column"], problem["severity"]) == ("broken/a.py", 2, 12, "error")
    assert "int" in problem["message"]

    fixed = await project.call("edit", filePath="broken/a.py", oldString='"n"', newString="n // 2")
    assert fixed.metadata["diagnostics"] == []
    assert "error" not in fixed.output


async def test_an_edit_that_breaks_another_file_names_it(project: Project) -> None:
    await project.call("write", filePath="lib/tools.py", content="def greet(name: str) -> str:\n    return name\n")
    await project.call("write", filePath="lib/use.py", content='from lib.tools import greet\n\ngreet("a")\n')

    edited = await project.call("edit", filePath="lib/tools.py", oldString="name: str", newString="name: int")

    assert {problem["path"] for problem in edited.metadata["diagnostics"]} == {"lib/tools.py", "lib/use.py"}


async def test_a_module_that_a_command_changed_is_seen_as_it_is_now(project: Project) -> None:
    await project.put("changed/helper.py", "def number() -> int:\n    return 1\n")
    first = await project.call(
        "write", filePath="changed/use.py", content="from changed.helper import number\n\nn: int = number()\n"
    )
    assert first.metadata["diagnostics"] == []

    await project.shell("printf 'def number() -> str:\n    return str(1)\n' > changed/helper.py")
    second = await project.call("edit", filePath="changed/use.py", oldString="n: int", newString="m: int")

    assert [problem["path"] for problem in second.metadata["diagnostics"]] == ["changed/use.py"]


async def test_definition_references_and_hover(shapes: Project) -> None:
    assert await ask(shapes, "goToDefinition", "main.py", 5, 29) == [
        "shapes.py:19:5 def total(shapes: list[Shape]) -> float:"
    ]
    references = await ask(shapes, "findReferences", "shapes.py", 19, 5)
    assert [line.split(" ")[0] for line in references] == ["shapes.py:19:5", "main.py:1:28", "main.py:5:29"]
    hover = "\n".join(await ask(shapes, "hover", "main.py", 5, 29))
    assert "-> float" in hover
    assert "The sum of all areas." in hover


async def test_symbols_of_a_file_and_of_the_project(shapes: Project) -> None:
    symbols = await ask(shapes, "documentSymbol", "shapes.py", 1, 1)
    assert "4:7 class Shape" in symbols
    assert "  8:9 method area" in symbols
    found = await ask(shapes, "workspaceSymbol", "main.py", 1, 1, "Squar")
    assert any(line.startswith("shapes.py:11:7 class Square") for line in found)


async def test_who_calls_what(shapes: Project) -> None:
    assert (await ask(shapes, "prepareCallHierarchy", "shapes.py", 19, 5))[0].startswith(
        "shapes.py:19:5 function total"
    )
    assert (await ask(shapes, "incomingCalls", "shapes.py", 19, 5))[0].startswith("main.py:4:5 function main")
    called = await ask(shapes, "outgoingCalls", "main.py", 4, 5)
    assert any(line.startswith("shapes.py:19:5 function total") for line in called)
