"""The tool `browser` with a real Chromium: in a container whose image has one, and beside a local runner."""

import asyncio
import json
import shutil
import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from sandbox.docker import DockerDeployment
from sandbox.local import LocalDeployment
from sandbox.ports import Deployment, RunRequest, Runtime, SandboxSpec
from tests.support import browsed_app
from tests.support.engine import CACHE, TestEngine, docker_engine
from tests.support.tool_context import InMemoryFiles, call, make_context
from tools_app.browser import browsers, devtools
from tools_app.browser.browsers import PROGRAMS, browser_of, close_browser
from tools_app.media import recognise
from tools_app.spec import ModelTraits, ToolError, ToolResult

__all__ = ["docker_engine"]

pytestmark = pytest.mark.full
IN_BOTH = [
    pytest.param("docker", marks=pytest.mark.docker),
    pytest.param("local", marks=pytest.mark.skipif(not any(map(shutil.which, PROGRAMS)), reason="no Chromium here")),
]
LOCALLY = IN_BOTH[1:]
APP = Path(browsed_app.__file__).read_bytes()


@dataclass
class Workshop:
    """A workspace with a small web app running in it, and a session whose agent opens the app with the tool
    `browser`."""

    runtime: Runtime
    files: InMemoryFiles = field(default_factory=InMemoryFiles)
    session: str = field(default_factory=lambda: f"ses_{uuid.uuid4().hex}")
    address: str = ""
    sees_images: bool = True

    async def use(self, action: str, **arguments: Any) -> ToolResult:
        ctx = make_context(self.runtime, call_id=f"call_{uuid.uuid4().hex}", files=self.files)
        ctx = replace(ctx, session_id=self.session, model=ModelTraits(sees_images=self.sees_images))
        return await call("browser", json.dumps({"action": action, **arguments}), ctx)

    async def open(self, path: str = "/") -> ToolResult:
        return await self.use("open", url=f"{self.address}{path}")

    async def run(self, command: str) -> str:
        result = await self.runtime.run(RunRequest(f"call_{uuid.uuid4().hex}", command))
        return result.output.decode("utf-8", "replace")

    async def start_app(self) -> None:
        await self.runtime.write("app.py", APP)
        await self.runtime.start(RunRequest(f"call_{uuid.uuid4().hex}", "exec python3 app.py", timeout=600))
        async with asyncio.timeout(30):
            while not (await self.runtime.stat("port")).exists:
                await asyncio.sleep(0.02)
        self.address = f"http://localhost:{(await self.runtime.read('port')).content.decode()}"


@asynccontextmanager
async def made(kind: str, folder: Path, request: pytest.FixtureRequest) -> AsyncIterator[tuple[Deployment, str]]:
    """Create a deployment; yield it and the name of an image with a browser."""
    if kind == "local":
        deployment: Deployment = LocalDeployment(folder, for_tests=True)
        image = "none"
    else:
        engine: TestEngine = request.getfixturevalue("docker_engine")
        image = request.getfixturevalue("browser_image")
        deployment = DockerDeployment(folder, site=f"test-{uuid.uuid4().hex[:8]}", docker_host=engine.host)
    try:
        yield deployment, image
    finally:
        await deployment.remove("wsp_browser", files=True)
        await deployment.close()


@pytest.fixture(scope="session")
def browser_image(docker_engine: TestEngine) -> str:
    from sandbox.image import recipe
    from sandbox.image.build import ensure_image

    return ensure_image(CACHE, docker_host=docker_engine.host, further=recipe.browser_packages())


@pytest.fixture
async def workshop(kind: str, tmp_path: Path, request: pytest.FixtureRequest) -> AsyncIterator[Workshop]:
    async with made(kind, tmp_path, request) as (deployment, image):
        found = Workshop(await deployment.ensure(SandboxSpec("wsp_browser", image)))
        await found.start_app()
        yield found
        close_browser(found.session)


def names_in(outline: str) -> dict[str, str]:
    """Return the references of elements by their descriptions, such as `button "Save"`."""
    lines = [line.strip().removeprefix("- ") for line in outline.splitlines() if line.endswith("]")]
    return {line.partition(" [e")[0]: line.rpartition("[")[2].removesuffix("]") for line in lines}


async def ended(workshop: Workshop) -> None:
    """Wait until the session's browser has ended."""
    async with asyncio.timeout(60):
        while browser_of(workshop.session):
            await asyncio.sleep(0.02)


@pytest.mark.parametrize("kind", IN_BOTH)
async def test_an_app_is_opened_used_and_looked_at(workshop: Workshop) -> None:
    opened = await workshop.open()
    assert opened.output.startswith(f"The page is {workshop.address}/ (Tea shop).")
    assert opened.metadata["errors"] == 0
    await workshop.run("ls /dev/shm")  # what is cleaned up after a command does not concern the browser

    outline = (await workshop.use("text")).output
    assert '- heading "Tea shop" (level 1)' in outline
    names = names_in(outline)
    typed = await workshop.use("type", target=names["textbox \"Name\" = 'old'"], text="Ada")
    assert typed.title.startswith("Typed into e")
    await workshop.use("type", target='combobox "Kind"', text="Black")
    clicked = await workshop.use("click", target="#save")
    assert "2 errors in the console" in clicked.output

    outline = (await workshop.use("text")).output
    assert "- Saved Ada, b" in outline
    assert "textbox \"Name\" = 'Ada'" in outline
    console = (await workshop.use("console")).output.splitlines()
    assert console[0].startswith("[log] loaded {cups: 2}")
    assert console[1] == f"[error] GET {workshop.address}/missing was answered with 404 Not Found"
    assert console[2].startswith("[error] Uncaught ReferenceError: undefinedFunction is not defined")

    picture = await workshop.use("screenshot", width=800, height=600)
    (attachment,) = picture.attachments
    media = recognise(workshop.files.contents[attachment["id"]])
    assert media is not None
    assert (media.media_type, media.width, media.height) == ("image/png", 800, 600)
    assert picture.output.startswith("The picture is attached (800 x 600 pixels).")

    await workshop.use("click", target='textbox "Name"')
    await workshop.use("press", keys=["Ctrl-a", "x", "Enter"])
    assert "- Entered" in (await workshop.use("text")).output
    followed = await workshop.use("click", target='link "Next page"')
    assert followed.output.startswith(f"The page is {workshop.address}/second (Second).")

    assert (await workshop.use("close")).output == "The browser was closed."
    with pytest.raises(ToolError, match="No page is open"):
        await workshop.use("text")
    async with asyncio.timeout(30):
        while "chrom" in await workshop.run(f"ps -eo args | grep -v grep | grep {workshop.session} || true"):
            await asyncio.sleep(0.05)


@pytest.mark.parametrize("kind", IN_BOTH)
async def test_no_way_leads_to_files_downloads_uploads_or_other_tabs(workshop: Workshop) -> None:
    secret = "root:x:0:0"
    await workshop.open()
    for target in ('button "Open a file"', 'button "Be sent to a file"'):
        try:
            answer = (await workshop.use("click", target=target)).output
        except ToolError as error:
            answer = error.message
        assert secret not in answer
        assert secret not in (await workshop.open()).output
    with pytest.raises(ToolError, match=r"could not be opened: the browser says net::ERR_UNSAFE_REDIRECT"):
        await workshop.open("/to-file")
    await workshop.open("/frame")
    assert secret not in (await workshop.use("text")).output
    assert "Not allowed to load local resource" in (await workshop.use("console")).output

    with pytest.raises(ToolError, match="answered with a file to download"):
        await workshop.open("/file")
    await workshop.open()
    assert "Downloads are off" in (await workshop.use("click", target='link "A file"')).output
    assert "x.bin" not in await workshop.run("find / -name 'x.bin*' -not -path '/proc/*' 2>/dev/null")
    tab = await workshop.use("click", target='link "New tab"')
    assert "another tab" in tab.output
    assert tab.output.startswith(f"The page is {workshop.address}/ ")
    with pytest.raises(ToolError, match="Files cannot be uploaded"):
        await workshop.use("type", target="#photo", text="/etc/passwd")
    assert "Files cannot be uploaded" in (await workshop.use("click", target="#photo")).output


@pytest.mark.parametrize("kind", LOCALLY)
async def test_dialogs_are_answered_and_told(workshop: Workshop) -> None:
    await workshop.open()
    clicked = await workshop.use("click", target='button "Remove"')
    assert "the dialog confirm 'Sure?'. It was answered with Cancel" in clicked.output
    assert "the dialog alert 'Kept'. It was answered with OK" in clicked.output


@pytest.mark.parametrize("kind", LOCALLY)
async def test_a_wrong_target_says_what_to_do(workshop: Workshop) -> None:
    await workshop.open()
    for target, words in {
        "e1": "no element e1 in the page as it is now",
        "#none": "no element #none",
        "[[": "is no valid CSS selector",
        'button "Twin"': 'has 2 elements button "Twin"',
        "title": "title is not visible",
    }.items():
        with pytest.raises(ToolError) as refused:
            await workshop.use("click", target=target)
        assert words in refused.value.message
    with pytest.raises(ToolError, match="no field that takes text"):
        await workshop.use("type", target="h1", text="x")
    with pytest.raises(ToolError, match=r"no option 'White'. Its options are: 'Green', 'Black'"):
        await workshop.use("type", target="#kind", text="White")
    await workshop.use("text")
    await workshop.use("click", target='link "Next page"')
    with pytest.raises(ToolError, match="no element e1"):
        await workshop.use("click", target="e1")


@pytest.mark.parametrize("kind", LOCALLY)
async def test_pictures_are_bounded_and_shown_to_people_where_models_take_none(workshop: Workshop) -> None:
    await workshop.open("/tall")
    workshop.sees_images = False
    whole = await workshop.use("screenshot", whole=True)
    media = recognise(workshop.files.contents[whole.attachments[0]["id"]])
    assert media is not None
    assert (media.width, media.height) == (1280, 4000)
    assert "is shown to the user. This model takes no pictures" in whole.output


@pytest.mark.parametrize("kind", LOCALLY)
async def test_an_app_that_does_not_run_is_named_and_a_page_elsewhere_is_not_shown(workshop: Workshop) -> None:
    with pytest.raises(ToolError, match="nothing listens there"):
        await workshop.use("open", url="http://localhost:1025/")
    assert (await workshop.use("text")).output.startswith("(It is empty.)")
    with pytest.raises(ToolError, match="could not be opened"):
        await workshop.open("/elsewhere")


@pytest.mark.parametrize("kind", LOCALLY)
async def test_pages_that_hang_or_flood_end_with_a_reason_and_the_next_one_opens(
    workshop: Workshop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(devtools, "MAX_BYTES_OF_ACTION", 2 << 20)
    with suppress(ToolError):  # it may have ended before it is looked for
        await workshop.open("/flood")
    await ended(workshop)
    with pytest.raises(ToolError, match=r"more than 2 MiB of messages\. No page is open"):
        await workshop.use("text")
    assert (await workshop.open("/second")).metadata["page_title"] == "Second"

    monkeypatch.setattr(devtools, "CALL_SECONDS", 5.0)
    await workshop.open("/hang")
    with pytest.raises(ToolError, match=r"did not answer within 5 s\. It may be in an endless loop"):
        await workshop.use("click", target="button")
    assert (await workshop.open("/second")).metadata["page_title"] == "Second"


@pytest.mark.parametrize("kind", LOCALLY)
async def test_a_killed_or_idle_browser_is_said_and_others_are_bounded(
    workshop: Workshop, monkeypatch: pytest.MonkeyPatch
) -> None:
    await workshop.open()
    await workshop.run(f"pkill -KILL -f -- --user-data-dir=/tmp/.browser-{workshop.session}")
    await ended(workshop)
    with pytest.raises(ToolError, match=r"The browser has ended with exit code \d+.*\. No page is open"):
        await workshop.use("text")

    monkeypatch.setattr(browsers, "MAX_IN_WORKSPACE", 1)
    await workshop.open()
    with pytest.raises(ToolError, match="1 browsers of other sessions run"):
        await replace(workshop, session="ses_other").open()

    monkeypatch.setattr(browsers, "IDLE_SECONDS", 0.05)
    await workshop.use("console")
    await ended(workshop)


@pytest.mark.parametrize("kind", LOCALLY)
async def test_an_image_without_a_browser_says_what_an_operator_does(
    workshop: Workshop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(browsers, "PROGRAMS", ("/usr/bin/no-browser",))
    with pytest.raises(ToolError, match="an operator sets SANDBOX_BROWSER=true"):
        await workshop.open()
