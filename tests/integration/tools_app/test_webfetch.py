import asyncio
import gzip
import json
import os
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, cast

import pytest

from sandbox.ports import Runtime
from tests.support.tool_context import call, make_context
from tests.support.web_server import Handler, WebServer, make_certificate, page, serving
from tools_app import chain
from tools_app.spec import Action, Attachment, NoFileStore, PermissionNeed, ToolContext, ToolError, ToolResult

PNG = b"\x89PNG\r\n\x1a\n" + bytes(20)
NO_SANDBOX = cast(Runtime, None)  # the tool must not need one


@dataclass
class Files(NoFileStore):
    """A file store that records the content of each file."""

    kept: list[bytes] = field(default_factory=list)

    async def put(self, name: str, media_type: str, data: bytes) -> Attachment:
        self.kept.append(data)
        return {"id": "att_1", "name": name, "media_type": media_type, "size": len(data)}


@dataclass
class Surfer:
    """A caller of the tool `webfetch`, which may reach the servers in `allowed`. `rules` decide about redirects."""

    allowed: list[str]
    rules: Mapping[str, Action] = field(default_factory=dict)
    certificates: str = ""
    files: Files = field(default_factory=Files)

    def context(self) -> ToolContext:
        settings = {"web_allow": self.allowed, "web_certificates": self.certificates}
        return replace(make_context(NO_SANDBOX), settings=settings, judge=self._judge, files=lambda: self.files)

    async def _judge(self, needs: Sequence[PermissionNeed]) -> Action:
        return next((action for url, action in self.rules.items() if needs[0].patterns[0].startswith(url)), "ask")

    async def fetch(self, url: str, **arguments: Any) -> ToolResult:
        return await call("webfetch", json.dumps({"url": url, **arguments}), self.context())


@pytest.fixture
async def server() -> AsyncIterator[WebServer]:
    async with serving({**STILL, "/drip": _drip, "/silent": _silent}) as server:
        yield server


async def _drip(writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n")
    while True:
        writer.write(b".")
        await writer.drain()
        await asyncio.sleep(0.05)


async def _silent(writer: asyncio.StreamWriter) -> None:
    await asyncio.sleep(60)


STILL: dict[str, bytes | Handler] = {
    "/": page("<title>Home</title><h1>Hello</h1><p>A <a href='next'>link</a>"),
    "/plain": page("# not <b>changed</b>", "text/markdown"),
    "/picture": page(PNG, "image/png"),
    "/zip": page(b"PK\x03\x04", "application/zip"),
    "/empty": page(""),
    "/here": page("", status="301 Moved", Location="/plain"),
    "/round": page("", status="302 Found", Location="/round"),
    "/inside": page("", status="302 Found", Location="http://169.254.169.254/latest/meta-data/"),
    "/file": page("", status="302 Found", Location="file:///etc/passwd"),
    "/huge": page("x" * (5 * 1024 * 1024 + 1), "text/plain"),
    "/bomb": page(gzip.compress(bytes(50 * 1024 * 1024)), "text/plain", Content_Encoding="gzip"),
    "/japanese": page("日本".encode("shift_jis"), "text/plain; charset=shift_jis"),
}


async def test_a_page_becomes_markdown_with_whole_links(server: WebServer) -> None:
    result = await Surfer([server.place]).fetch(f"http://{server.place}")
    assert result.title == f"Fetched http://{server.place}/"
    assert result.output == f"# Home\n\n# Hello\n\nA [link](http://{server.place}/next)"
    assert result.metadata == {
        "url": f"http://{server.place}/",
        "final_url": f"http://{server.place}/",
        "status": 200,
        "media_type": "text/html",
        "bytes": 61,
        "format": "markdown",
    }


@pytest.mark.parametrize(
    ("path", "wanted", "text"),
    [
        ("/", "text", "Home\n\nHello\n\nA link"),
        ("/", "html", "<title>Home</title><h1>Hello</h1><p>A <a href='next'>link</a>"),
        ("/plain", "text", "# not <b>changed</b>"),
        ("/empty", "markdown", "(The page has no text.)"),
        ("/japanese", "markdown", "日本"),
    ],
)
async def test_each_format_gives_what_it_says(path: str, wanted: str, text: str, server: WebServer) -> None:
    result = await Surfer([server.place]).fetch(f"http://{server.place}{path}", format=wanted)
    assert result.output == text


async def test_a_picture_is_attached(server: WebServer) -> None:
    surfer = Surfer([server.place])
    result = await surfer.fetch(f"http://{server.place}/picture")
    assert result.attachments == ({"id": "att_1", "name": "picture", "media_type": "image/png", "size": len(PNG)},)
    assert surfer.files.kept == [PNG]


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("/nowhere", "answered 404 Not Found."),
        ("/zip", "is application/zip, which cannot be read as text."),
        ("/huge", "larger than 5 MiB"),
        ("/bomb", "larger than 5 MiB"),
        ("/round", "more than 10 redirects"),
        ("/inside", "its address 169.254.169.254 is link-local"),
        ("/file", "must begin with http"),
    ],
)
async def test_what_is_no_page_is_said_in_a_sentence(path: str, words: str, server: WebServer) -> None:
    with pytest.raises(ToolError) as failed:
        await Surfer([server.place]).fetch(f"http://{server.place}{path}")
    assert words in failed.value.message


@pytest.mark.parametrize("path", ["/drip", "/silent"])
async def test_a_server_that_never_ends_does_not_hold_the_call(path: str, server: WebServer) -> None:
    with pytest.raises(ToolError, match="took longer than 1 s"):
        await Surfer([server.place]).fetch(f"http://{server.place}{path}", timeout=1)


async def test_a_redirect_on_the_same_host_is_followed_unless_a_rule_denies_it(server: WebServer) -> None:
    here = f"http://{server.place}"
    result = await Surfer([server.place]).fetch(f"{here}/here")
    assert result.output == f"(Redirected to {here}/plain)\n\n# not <b>changed</b>"
    denied = await Surfer([server.place], {f"{here}/plain": "deny"}).fetch(f"{here}/here")
    assert f"redirects to another place: {here}/plain" in denied.output
    assert server.asked == ["/here", "/plain", "/here"]


@pytest.mark.parametrize(("action", "follows"), [("allow", True), ("ask", False), ("deny", False)])
async def test_a_redirect_to_another_host_is_followed_where_the_rules_allow_it(action: Action, follows: bool) -> None:
    async with serving({"/": page("there", "text/plain")}) as there:
        elsewhere = f"http://localhost:{there.port}/"
        async with serving({"/": page("", status="302 Found", Location=elsewhere)}) as here:
            surfer = Surfer([here.place, f"localhost:{there.port}"], {elsewhere: action})
            result = await surfer.fetch(f"http://{here.place}/")
    assert ("there" in result.output) is follows
    assert (there.asked == ["/"]) is follows
    assert elsewhere in result.output


async def test_a_certificate_must_be_vouched_for(tmp_path: Path) -> None:
    tls, authority = make_certificate(tmp_path)
    async with serving({"/": page("safe", "text/plain")}, tls=tls) as server:
        url = f"https://{server.place}/"
        with pytest.raises(ToolError, match="could not be trusted: its certificate is not valid"):
            await Surfer([server.place]).fetch(url)
        trusting = await Surfer([server.place], certificates=str(authority)).fetch(url)
    assert trusting.output == "safe"


async def test_what_is_not_exempted_is_refused_before_anybody_is_asked(server: WebServer) -> None:
    for url in (f"http://{server.place}/", "http://localhost/", "http://2130706433/", "file:///etc/passwd"):
        with pytest.raises(ToolError):
            await chain.prepare("webfetch", json.dumps({"url": url}), Surfer([]).context())
    assert server.asked == []


async def test_people_are_asked_about_the_canonical_address_and_always_means_that_host() -> None:
    prepared = await chain.prepare(
        "webfetch", json.dumps({"url": "HTTPS://Docs.Python.org:443/3/../3/#x"}), Surfer([]).context()
    )
    need = prepared.needs[0]
    assert (need.permission, need.patterns, need.always) == (
        "webfetch",
        ("https://docs.python.org/3/",),
        ("https://docs.python.org/*",),
    )
    assert prepared.title == "Fetch https://docs.python.org/3/"


async def test_a_call_that_is_stopped_leaves_no_process(server: WebServer) -> None:
    task = asyncio.create_task(Surfer([server.place]).fetch(f"http://{server.place}/silent"))
    await server.was_asked.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert _guarded_children() == []


def _guarded_children() -> list[str]:
    mine = Path(f"/proc/{os.getpid()}/task").glob("*/children")
    pids = [pid for file in mine for pid in file.read_text().split()]
    lines = [Path(f"/proc/{pid}/cmdline").read_bytes().decode() for pid in pids if Path(f"/proc/{pid}").exists()]
    return [line for line in lines if "tools_app.web.guarded" in line]
