"""Formatters after edits in a real container, and actions that are denied to them."""

import pytest

from tests.integration.tools_app.languages.conftest import Project
from tools_app.languages.server_pool import running_in

pytestmark = [pytest.mark.docker, pytest.mark.languages, pytest.mark.asyncio(loop_scope="module")]

UGLY = "x = { 'a':1 }\n"
EVIL = "require('fs').writeFileSync('/workspace/ran', 'yes'); module.exports = {};\n"


async def test_a_project_that_uses_ruff_has_its_files_formatted(project: Project) -> None:
    await project.put("ruffed/pyproject.toml", "[tool.ruff]\nline-length = 100\n")

    written = await project.call("write", filePath="ruffed/a.py", content=UGLY)

    assert await project.content("ruffed/a.py") == 'x = {"a": 1}\n'
    assert written.metadata["formatter"] == "ruff"
    assert '+x = {"a": 1}' in written.metadata["diff"]
    assert "ruff has formatted ruffed/a.py" in written.output
    edited = await project.call("edit", filePath="ruffed/a.py", oldString='"a": 1', newString='"b": 2')
    assert edited.metadata["formatter"] == ""


async def test_a_project_that_uses_none_keeps_what_was_written(project: Project) -> None:
    written = await project.call("write", filePath="plain/a.py", content=UGLY)

    assert await project.content("plain/a.py") == UGLY
    assert written.metadata["formatter"] == ""


@pytest.mark.parametrize(
    ("folder", "settings", "file", "before", "after"),
    [
        ("blacked", ("pyproject.toml", "[tool.black]\n"), "a.py", UGLY, 'x = {"a": 1}\n'),
        ("pretty", (".prettierrc", "semi: false\n"), "a.ts", "const x = {a:1};\n", "const x = { a: 1 }\n"),
        (
            "shell",
            (".editorconfig", "root = true\n"),
            "a.sh",
            "if true;then\necho a\nfi\n",
            "if true; then\n\techo a\nfi\n",
        ),
    ],
)
async def test_others_of_the_image_do_so_too(
    project: Project, folder: str, settings: tuple[str, str], file: str, before: str, after: str
) -> None:
    await project.put(f"{folder}/{settings[0]}", settings[1])
    await project.call("write", filePath=f"{folder}/{file}", content=before)
    assert await project.content(f"{folder}/{file}") == after


async def test_what_cannot_be_parsed_stays_as_it_was_written(project: Project) -> None:
    await project.put("broken/ruff.toml", "")
    written = await project.call("write", filePath="broken/a.py", content="def f(:\n")
    assert await project.content("broken/a.py") == "def f(:\n"
    assert written.metadata["formatter"] == ""
    assert written.metadata["diagnostics"]


async def test_settings_that_are_programs_run_only_where_the_command_may(project: Project) -> None:
    await project.put("code/prettier.config.cjs", EVIL)

    await project.call("write", filePath="code/a.ts", content="const x = {a:1};\n")
    assert "ran" not in await project.shell("ls")

    project.allowed.add("prettier --log-level=silent --stdin-filepath code/a.ts")
    written = await project.call("write", filePath="code/a.ts", content="const y = {a:1};\n")
    assert written.metadata["formatter"] == "prettier"
    assert "ran" in await project.shell("ls")


async def test_programs_of_the_workspace_and_the_home_run_only_where_the_command_may(project: Project) -> None:
    fake = "#!/bin/sh\necho yes > /workspace/ran-too\necho formatted = 1\n"
    await project.put("own/ruff.toml", "")
    await project.put("own/.venv/bin/ruff", fake)
    for name in ("ruff", "node", "python3", "pyright-langserver"):
        await project.shell(f"mkdir -p ~/.local/bin; printf '{fake}' > ~/.local/bin/{name}")
    await project.shell("chmod +x own/.venv/bin/ruff ~/.local/bin/*")

    written = await project.call("write", filePath="own/a.py", content=UGLY)
    assert await project.content("own/a.py") == 'x = {"a": 1}\n'
    assert "ran-too" not in await project.shell("ls")

    project.allowed.add("own/.venv/bin/ruff format --quiet --stdin-filename own/a.py -")
    written = await project.call("write", filePath="own/a.py", content=UGLY)
    assert await project.content("own/a.py") == "formatted = 1\n"
    assert written.metadata["formatter"] == "ruff"
    await project.shell("rm -rf ~/.local")


async def test_servers_run_nothing_of_the_workspace(project: Project) -> None:
    leaves_a_mark = "import pathlib; pathlib.Path('/workspace/py-ran').touch()\n"
    for name in ("json.py", "os.py", "sitecustomize.py", ".venv/bin/python"):
        await project.put(f"trap/{name}", leaves_a_mark)
        await project.put(name, leaves_a_mark)
    plugin = "module.exports = () => ({ create: (info) => info.languageService });\n"
    mark = f"require('fs').writeFileSync('/workspace/js-ran', 'yes'); {plugin}"
    await project.put("trap/node_modules/evil/index.js", mark)
    for name in ("tsserver.js", "typescript.js", "_tsserver.js"):
        await project.put(f"trap/node_modules/typescript/lib/{name}", mark)
    await project.put("trap/node_modules/typescript/package.json", '{"name": "typescript", "version": "5.9.9"}')
    await project.put("trap/tsconfig.json", '{"compilerOptions": {"plugins": [{"name": "evil"}], "strict": true}}')
    running_in(project.runtime).stop()

    python = await project.call("write", filePath="trap/a.py", content="x: int = 'a'\n")
    script = await project.call("write", filePath="trap/a.ts", content="const x: number = 'a';\n")

    assert python.metadata["diagnostics"]
    assert script.metadata["diagnostics"]
    assert "-ran" not in await project.shell("ls")
    await project.shell("rm -rf trap json.py os.py sitecustomize.py .venv")
