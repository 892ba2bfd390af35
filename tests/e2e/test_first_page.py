"""A new person gets from sign-up to the first prompt on their own code with few clicks and in little time."""

import json
import random
import re
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Page, expect

from deploy.demo_forge import Forge
from tests.e2e.conftest import Scheme, picture
from tests.e2e.workbench import serious_findings, turn_end
from tests.support.lanes import fewer
from tests.support.mail_server import MailServer
from tests.support.model_server import ModelServer, calls, text, tool_call
from tests.support.running_site import RunningSite

PASSWORD: Final = "kites-in-november"
MAX_CLICKS: Final = 8
MAX_SECONDS: Final = 90.0
MIB: Final = fewer(50, default=2)
"""Size of the uploaded file, whose content cannot be compressed."""
ANSWER: Final = "It is about lanterns."


@pytest.fixture
def site(scripted_site: RunningSite) -> RunningSite:
    return scripted_site


class Stranger:
    """A person who has never seen the site. Mouse presses are counted; fields are reached with Tab."""

    def __init__(self, page: Page, mailbox: MailServer) -> None:
        self.page, self.mailbox = page, mailbox
        self.clicks = 0
        page.expose_function("pressed", self._note)
        page.add_init_script("addEventListener('pointerdown', () => window.pressed(), true)")
        self.began = time.monotonic()

    def _note(self) -> None:
        self.clicks += 1

    @property
    def seconds(self) -> float:
        return time.monotonic() - self.began

    def tab_to(self, label: str) -> None:
        """Press Tab until the field with this label has the focus."""
        field = self.page.get_by_role("textbox", name=label, exact=True)
        for _ in range(30):
            if field.evaluate("field => field === document.activeElement"):
                return
            self.page.keyboard.press("Tab")
        raise AssertionError(f"{label} is not reached")

    def type(self, label: str, words: str) -> None:
        self.tab_to(label)
        self.page.keyboard.insert_text(words)

    def sign_up(self, email: str) -> None:
        page = self.page
        page.goto("/")
        page.get_by_role("link", name="Create an account").click()
        self.type("Name", "Stella Stranger")
        self.type("E-mail", email)
        self.type("Password", PASSWORD)
        page.get_by_role("button", name="Create account").click()
        expect(page.get_by_role("heading", name="Confirm your e-mail address")).to_be_visible()
        letter = self.mailbox.wait_for(email, "Confirm your e-mail address")
        link = re.search(r"https?://\S+/verify-email/\S+", letter)
        assert link
        self.clicks += 1  # on the link in the e-mail
        page.goto(urlsplit(link.group()).path)
        page.get_by_role("button", name="Confirm").click()
        expect(page.get_by_role("heading", name="Home")).to_be_visible()

    def make_team(self, name: str) -> None:
        self.type("Name of a new team", name)
        self.page.get_by_role("button", name="Create team").click()
        expect(self.page.get_by_role("heading", name="Your first project")).to_be_visible()
        expect(self.page.get_by_role("group", name="Start with")).to_be_visible()

    def ask_about_readme(self, model: ModelServer) -> None:
        script = model.script(calls(tool_call("read", filePath="README.md")), text(ANSWER), by="conversation")
        self.type("What should the agent do?", f"What is this about? {script.marker}")
        self.page.keyboard.press("Enter")
        expect(self.page.get_by_test_id("conversation")).to_contain_text(ANSWER, timeout=MAX_SECONDS * 1000)
        turn_end(self.page, "completed")
        assert "# Lanterns" in json.dumps(script.requests(at_least=2)[-1]["body"])


@pytest.fixture
def stranger(page: Page, mailbox: MailServer) -> Iterator[Stranger]:
    stranger = Stranger(page, mailbox)
    yield stranger
    print(f"{stranger.clicks} clicks, {stranger.seconds:.1f} s")
    assert stranger.clicks <= MAX_CLICKS
    assert stranger.seconds < MAX_SECONDS


def files() -> dict[str, bytes]:
    noise = random.Random(5)
    return {"README.md": b"# Lanterns\n"} | {f"data/{number}.bin": noise.randbytes(1 << 20) for number in range(MIB)}


def test_a_stranger_works_on_a_private_repository(
    stranger: Stranger, forge_site: Forge, model: ModelServer, scheme: Scheme
) -> None:
    kim = forge_site.account("kim-of-lanterns")
    forge_site.repository("light/lantern", dict(files()), writers=[kim])
    page = stranger.page
    stranger.sign_up("stella@example.org")
    picture(page, "first-no-team", scheme)
    stranger.make_team("Lantern makers")
    picture(page, "first-project", scheme)
    assert serious_findings(page) == []
    stranger.type("Address of a self-hosted server", forge_site.url)
    stranger.type("Token", kim.token)
    page.get_by_role("button", name="Connect", exact=True).click()
    page.get_by_role("radio", name="light/lantern").check()
    picture(page, "first-repository", scheme)
    page.get_by_role("button", name="Create project").click()
    stranger.ask_about_readme(model)
    picture(page, "first-answer", scheme)


@pytest.mark.full  # test_uploads drops one
def test_a_stranger_works_on_a_dropped_zip(
    stranger: Stranger, model: ModelServer, scheme: Scheme, tmp_path: Path
) -> None:
    packed = tmp_path / "lantern-main.zip"
    with zipfile.ZipFile(packed, "w") as archive:
        for name, content in files().items():
            archive.writestr(f"lantern-main/{name}", content)
    page = stranger.page
    stranger.sign_up("stan@example.org")
    stranger.make_team("Lantern packers")
    drop(page, packed)
    expect(page.get_by_role("status").filter(has_text="Ready")).to_be_visible(timeout=60_000)
    page.get_by_role("button", name="Create project").click()
    stranger.ask_about_readme(model)


def drop(page: Page, path: Path) -> None:
    """Drop a file on the page, as from a file manager."""
    holder = page.evaluate_handle("""() => {
      const input = document.createElement('input');
      input.type = 'file';
      input.id = 'held-by-the-mouse';
      input.hidden = true;
      document.body.append(input);
      return input;
    }""")
    page.locator("#held-by-the-mouse").set_input_files(path)
    page.evaluate(
        """(input) => {
      const moved = new DataTransfer();
      moved.items.add(input.files[0]);
      input.remove();
      for (const kind of ['dragover', 'drop'])
        document.body.dispatchEvent(new DragEvent(kind, {dataTransfer: moved, bubbles: true, cancelable: true}));
    }""",
        holder,
    )
