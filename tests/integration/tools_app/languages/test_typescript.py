"""typescript-language-server in a real container."""

import pytest

from tests.integration.tools_app.languages.conftest import Project

pytestmark = [pytest.mark.docker, pytest.mark.languages, pytest.mark.asyncio(loop_scope="module")]

SHAPES = """\
export interface Shape {
  area(): number;
}

export class Square implements Shape {
  constructor(private side: number) {}
  area(): number {
    return this.side ** 2;
  }
}

export function total(shapes: Shape[]): number {
  return shapes.reduce((sum, shape) => sum + shape.area(), 0);
}
"""
MAIN = """\
import { Square, total } from "./shapes";

export function main(): void {
  console.log(total([new Square(2)]));
}
"""


@pytest.fixture
async def shapes(project: Project) -> Project:
    await project.put("tsconfig.json", '{"compilerOptions": {"strict": true, "module": "esnext", "target": "es2022"}}')
    await project.put("shapes.ts", SHAPES)
    await project.put("main.ts", MAIN)
    return project


async def ask(project: Project, operation: str, path: str, line: int, character: int, query: str = "") -> list[str]:
    answer = await project.call("lsp", operation=operation, filePath=path, line=line, character=character, query=query)
    return answer.output.split("\n")


async def test_an_edit_that_breaks_a_type_says_so(shapes: Project) -> None:
    written = await shapes.call("write", filePath="a.ts", content="export const n: number = 1;\nconst s: string = n;\n")

    assert "1 error in a.ts (typescript):" in written.output
    (problem,) = written.metadata["diagnostics"]
    assert (problem["line"], problem["column"], problem["severity"]) == (2, 7, "error")

    fixed = await shapes.call("edit", filePath="a.ts", oldString="= n;", newString="= `${n}`;")
    assert fixed.metadata["diagnostics"] == []


async def test_a_syntax_error_is_found_too(shapes: Project) -> None:
    written = await shapes.call("write", filePath="b.js", content="function ( {\n")
    assert written.metadata["diagnostics"]


async def test_each_of_the_nine_questions_has_an_answer(shapes: Project) -> None:
    assert await ask(shapes, "goToDefinition", "main.ts", 4, 15) == [
        "shapes.ts:12:17 export function total(shapes: Shape[]): number {"
    ]
    references = await ask(shapes, "findReferences", "shapes.ts", 12, 17)
    assert [line.split(" ")[0] for line in references] == ["shapes.ts:12:17", "main.ts:1:18", "main.ts:4:15"]
    assert "total(shapes: Shape[]): number" in "\n".join(await ask(shapes, "hover", "main.ts", 4, 15))
    assert await ask(shapes, "goToImplementation", "shapes.ts", 1, 18) == [
        "shapes.ts:5:14 export class Square implements Shape {"
    ]
    assert "5:14 class Square" in await ask(shapes, "documentSymbol", "shapes.ts", 1, 1)
    assert any("class Square" in line for line in await ask(shapes, "workspaceSymbol", "main.ts", 1, 1, "Square"))
    assert (await ask(shapes, "prepareCallHierarchy", "shapes.ts", 12, 17))[0].startswith(
        "shapes.ts:12:17 function total"
    )
    assert any(line.startswith("main.ts:3:17") for line in await ask(shapes, "incomingCalls", "shapes.ts", 12, 17))
    assert any(line.startswith("shapes.ts:12:17") for line in await ask(shapes, "outgoingCalls", "main.ts", 3, 17))
