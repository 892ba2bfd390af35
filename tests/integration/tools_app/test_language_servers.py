"""The client of language servers with a scripted server that behaves unusually.

Real servers are tested in tests/integration/tools_app/languages.
"""

import asyncio
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from sandbox.ports import ProcessRequest
from tests.integration.tools_app.conftest import Bench
from tools_app.languages import client, edit_diagnostics, server_pool, servers
from tools_app.languages.server_pool import running_in
from tools_app.languages.servers import ServerSpec
from tools_app.spec import ToolError

SCRIPT = Path(__file__).parents[2] / "support" / "scripted_language_server.py"


@pytest.fixture
async def use(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Callable[[str], None]]:
    """Return a function that registers the scripted server in a mode for .txt files. The timeouts suit a busy
    machine."""
    monkeypatch.setattr(edit_diagnostics, "TIMEOUT_SECONDS", 30.0)
    monkeypatch.setattr(edit_diagnostics, "OTHERS_TIMEOUT_SECONDS", 30.0)

    def use(mode: str) -> None:
        spec = ServerSpec("scripted", ("python3", "-I", str(SCRIPT), mode), {".txt": "plaintext"})
        monkeypatch.setattr(servers, "SERVERS", (spec,))

    yield use
    running_in(bench.runtime).stop()
    last = await bench.runtime.open_process(
        ProcessRequest("lsp-scripted", ("true",))
    )  # in its place, when it has ended
    while await last.receive():
        pass


async def hover(bench: Bench) -> str:
    bench.write("a.txt", "one\n")
    return (await bench.call("lsp", operation="hover", filePath="a.txt", line=1, character=1)).output


async def test_what_is_published_after_an_edit_goes_back_to_the_model(bench: Bench, use: Callable[[str], None]) -> None:
    use("honest")
    written = await bench.call("write", filePath="a.txt", content="fine\nall wrong\n")

    assert written.output.endswith("1 error in a.txt (scripted):\n  2:1 all wrong is wrong")
    assert written.metadata["diagnostics"] == [
        {
            "path": "a.txt",
            "line": 2,
            "column": 1,
            "severity": "error",
            "message": "all wrong is wrong",
            "source": "scripted",
        }
    ]
    edited = await bench.call("edit", filePath="a.txt", oldString="all wrong", newString="right")
    assert edited.metadata["diagnostics"] == []


async def test_what_a_server_takes_back_while_it_thinks_is_waited_for(bench: Bench, use: Callable[[str], None]) -> None:
    use("thoughtful")
    written = await bench.call("write", filePath="a.txt", content="wrong\n")
    assert len(written.metadata["diagnostics"]) == 1


async def test_a_file_changed_by_a_command_is_shown_as_it_is_now(bench: Bench, use: Callable[[str], None]) -> None:
    use("honest")
    await bench.call("write", filePath="a.txt", content="fine\n")
    await bench.call("write", filePath="b.txt", content="fine\n")
    bench.write("a.txt", "now wrong\n")

    written = await bench.call("write", filePath="b.txt", content="fine too\n")

    assert [problem["path"] for problem in written.metadata["diagnostics"]] == ["a.txt"]


async def test_a_file_that_is_gone_is_forgotten(bench: Bench, use: Callable[[str], None]) -> None:
    use("honest")
    await bench.call("write", filePath="a.txt", content="wrong\n")
    (bench.files / "a.txt").unlink()

    written = await bench.call("write", filePath="b.txt", content="fine\n")

    assert written.metadata["diagnostics"] == []


@pytest.mark.parametrize("mode", ["mute", "asleep", "stillborn", "babbler"])
async def test_an_edit_is_done_and_told_whatever_the_server_does(
    bench: Bench, use: Callable[[str], None], mode: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(edit_diagnostics, "TIMEOUT_SECONDS", 0.5)
    use(mode)
    written = await bench.call("write", filePath="a.txt", content="wrong\n")

    assert written.output == "Created a.txt (+1 -0 lines)."
    assert written.metadata["diagnostics"] == []
    assert bench.read("a.txt") == b"wrong\n"


@pytest.mark.parametrize(
    ("mode", "reason"),
    [
        ("stillborn", "scripted ended unexpectedly: no such module"),
        ("babbler", "scripted does not speak the Language Server Protocol"),
        ("asleep", "scripted did not start within 0 s"),
    ],
)
async def test_a_question_to_a_server_that_does_not_start_is_answered_with_the_reason(
    bench: Bench, use: Callable[[str], None], mode: str, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if mode == "asleep":
        monkeypatch.setattr(client, "START_TIMEOUT_SECONDS", 0.3)
    use(mode)
    for _ in range(2):  # the second time it is not even tried
        with pytest.raises(ToolError, match=reason):
            await hover(bench)


async def test_a_server_that_dies_over_a_question_is_started_for_the_next_one(
    bench: Bench, use: Callable[[str], None]
) -> None:
    use("mortal")
    with pytest.raises(ToolError, match="scripted ended unexpectedly: I had enough"):
        await hover(bench)
    use("honest")
    assert await hover(bench) == "process honest"


async def test_nonsense_and_what_a_server_cannot_do_are_told_as_such(bench: Bench, use: Callable[[str], None]) -> None:
    use("honest")
    bench.write("a.txt", "one\ntwo\n")
    with pytest.raises(ToolError, match="scripted sent a response that does not follow the protocol"):
        await bench.call("lsp", operation="goToDefinition", filePath="a.txt", line=2, character=1)
    with pytest.raises(ToolError, match="scripted does not support incomingCalls"):
        await bench.call("lsp", operation="incomingCalls", filePath="a.txt", line=1, character=1)
    assert await hover(bench) == "process honest"


async def test_what_a_file_defines_that_may_not_be_read_is_not_described(
    bench: Bench, use: Callable[[str], None]
) -> None:
    bench.write("internal/plan.txt", "secret\n")
    use("elsewhere")
    assert "process" not in await hover(bench)


async def test_a_server_that_nobody_uses_is_stopped(
    bench: Bench, use: Callable[[str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server_pool, "IDLE_SECONDS", 3.0)
    use("honest")
    assert await hover(bench) == "process honest"
    runs = f"pgrep -f '{SCRIPT.name} hones[t]' > /dev/null && echo runs || echo stopped"
    async with asyncio.timeout(20):
        while (await bench.call("bash", command=runs)).output != "stopped":
            await asyncio.sleep(0.05)


async def test_a_question_about_a_file_without_a_server_says_what_to_do(bench: Bench) -> None:
    bench.write("notes.xyz", "one\n")
    with pytest.raises(ToolError, match=r"No language server is known for \.xyz files"):
        await bench.call("lsp", operation="hover", filePath="notes.xyz", line=1, character=1)
    with pytest.raises(ToolError, match="does not exist"):
        await bench.call("lsp", operation="hover", filePath="gone.py", line=1, character=1)


async def test_asking_needs_what_reading_needs(bench: Bench) -> None:
    bench.write("a.py", "one\n")
    needs = await bench.needs("lsp", operation="hover", filePath="a.py", line=1, character=1)
    assert [(need.permission, need.patterns) for need in needs] == [("read", ("a.py",)), ("lsp", ("*",))]
    outside = await bench.needs("lsp", operation="hover", filePath="/usr/lib/a.py", line=1, character=1)
    assert outside[0].permission == "external_directory"
