"""The views for tool calls, files in a prompt, sub-agents and questions, in a real browser."""

import zlib
from typing import Final

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import Scheme, both_schemes, picture
from tests.e2e.workbench import open_card, open_fresh_session, serious_findings, sign_in, turn_end
from tests.support.model_server import ModelServer, calls, text, tool_call
from tests.support.running_site import RunningSite

WIDTHS: Final = (1440, 1000, 375)
FAILING: Final = "if quantity > BULK_QUANTITY:"
TODOS: Final = [
    {"content": "Find the discount", "status": "completed", "priority": "high"},
    {"content": "Correct the boundary", "status": "in_progress", "priority": "high"},
]
QUESTIONS: Final = [
    {
        "question": "Which currency?",
        "header": "Currency",
        "options": [{"label": "Euro", "description": ""}, {"label": "Pound", "description": "As before"}],
    },
    {
        "question": "Which files?",
        "header": "Files",
        "options": [{"label": "a.py"}, {"label": "b.py"}],
        "multiple": True,
    },
]
HOSTILE_MARKDOWN: Final = (
    "<script>document.title = 'taken'</script>",
    '<p onclick="alert(1)">A paragraph</p>',
    'A line with <b onmouseover="alert(1)">bold</b> text',
    "<p style='position: fixed'>Styled</p>",
    "<style>body { display: none }</style>",
    "[a link](javascript:alert(1)) and <a href='javascript:alert(1)'>another</a>",
    "<iframe src='https://evil.example'></iframe>",
    "![a picture](data:image/png;base64,AAAA) and ![another](https://evil.example/x.png)",
    "<img src=x onerror=alert(1)>",
    "<svg onload=alert(1)></svg>",
    "<form action='https://evil.example'><button formaction='javascript:alert(1)'>Go</button></form>",
    "<object data='https://evil.example'></object><embed src='https://evil.example'>",
    "<link rel=stylesheet href='https://evil.example/x.css'><base href='https://evil.example'>",
    "<meta http-equiv=refresh content='0;url=https://evil.example'>",
    "<video autoplay src='https://evil.example/x.mp4' onplay=alert(1)></video>",
    "<details open ontoggle=alert(1)><summary>More</summary>x</details>",
)
"""Hostile text that a file or a web page could make a model write."""


def png() -> bytes:
    """Return a grey picture of 32 x 20 pixels."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return len(data).to_bytes(4) + kind + data + zlib.crc32(kind + data).to_bytes(4)

    size = (32).to_bytes(4) + (20).to_bytes(4) + bytes([8, 0, 0, 0, 0])
    rows = (b"\0" + bytes([160]) * 32) * 20
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", size) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


@pytest.fixture
def site(scripted_site: RunningSite) -> RunningSite:
    """Use the scripted site, also for the browser, instead of the site with the demo model."""
    return scripted_site


def tell(page: Page, words: str) -> None:
    page.get_by_role("textbox", name="Prompt").fill(words)
    page.keyboard.press("Enter")


def open_rows(page: Page) -> None:
    """Open every row of the conversation, and the rows inside of them."""
    closed = page.locator('.conversation .tool-row[aria-expanded="false"]')
    while closed.count():
        closed.first.click()


def findings_at_every_width(page: Page) -> dict[int, list[str]]:
    found = {}
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        found[width] = serious_findings(page)
        wide = page.evaluate("() => document.documentElement.scrollWidth - document.documentElement.clientWidth")
        found[width] += ["the page is wider than the window"] if wide > 0 else []
    return {width: findings for width, findings in found.items() if findings}


@both_schemes
def test_tools_show_what_they_did(page: Page, model: ModelServer, scheme: Scheme) -> None:
    path = "teashop/pricing.py"
    story = model.script(
        calls(
            tool_call("todowrite", todos=TODOS),
            tool_call("grep", pattern="BULK"),
            tool_call("read", filePath=path),
        ),
        calls(tool_call("edit", filePath=path, oldString=FAILING, newString=FAILING.replace(">", ">="))),
        calls(tool_call("edit", filePath=path, oldString="no such text", newString="")),
        text("Done."),
        by="conversation",
    )
    sign_in(page)
    open_fresh_session(page)
    page.get_by_test_id("attach-input").set_input_files({"name": "tea.png", "mimeType": "image/png", "buffer": png()})
    expect(page.get_by_test_id("draft-file")).to_have_attribute("data-state", "ready")
    tell(page, f"Look at this {story.marker}")
    turn_end(page, "completed")
    message = page.get_by_test_id("user-message")
    expect(message.get_by_role("button", name="Show tea.png larger").locator("img")).to_have_js_property(
        "naturalWidth", 32
    )
    open_rows(page)
    expect(page.get_by_test_id("todo")).to_have_count(2)
    expect(page.get_by_test_id("matches-of-file").first).to_contain_text("pricing.py")
    expect(page.get_by_test_id("file-page")).to_contain_text("BULK_QUANTITY = 10")
    failed = page.locator('[data-testid="tool-row"][data-tool="edit"][data-state="error"]')
    expect(failed.get_by_test_id("tool-output")).to_be_visible()
    picture(page, "tools", scheme)
    assert findings_at_every_width(page) == {}


@pytest.mark.full
def test_a_sub_agent_asks_in_its_parents_conversation(page: Page, model: ModelServer, scheme: Scheme) -> None:
    child = model.script(
        calls(tool_call("bash", command="python3 -c 'print(4711)'", description="Count")),
        text("It said **something**."),
        by="conversation",
    )
    prompt = f"Run it {child.marker}"
    task = tool_call("task", description="Try the shell", prompt=prompt, subagent_type="general")
    story = model.script(calls(task), text("The sub-agent is back."), by="conversation")
    sign_in(page)
    open_fresh_session(page)
    tell(page, f"Ask somebody {story.marker}")
    card = open_card(page)
    expect(page.get_by_text("Sub-agent general asks")).to_be_visible()
    picture(page, "sub-agent", scheme)
    assert findings_at_every_width(page) == {}
    page.set_viewport_size({"width": 1440, "height": 900})
    card.get_by_role("button", name="Allow once").click()
    turn_end(page, "completed")
    open_rows(page)
    expect(page.get_by_test_id("sub-agent-result")).to_have_text("It said something.")
    page.get_by_test_id("child-link").click()
    expect(page.get_by_test_id("parent-link")).to_be_visible()
    expect(page.get_by_test_id("tool-output")).to_contain_text("4711")
    page.get_by_test_id("parent-link").click()
    expect(page.get_by_test_id("assistant-text").last).to_contain_text("The sub-agent is back.")


def test_questions_are_answered_from_the_keyboard(page: Page, model: ModelServer) -> None:
    story = model.script(calls(tool_call("question", questions=QUESTIONS)), text("Thank you."), by="conversation")
    sign_in(page)
    open_fresh_session(page)
    tell(page, f"Ask me {story.marker}")
    expect(page.get_by_test_id("question-card")).to_be_visible(timeout=60_000)
    page.get_by_test_id("conversation").click(position={"x": 5, "y": 5})
    assert findings_at_every_width(page) == {}
    page.keyboard.type("Not 1 but 2")
    expect(page.get_by_label("Prompt", exact=True)).to_have_value("Not 1 but 2")
    expect(page.get_by_text("0 of 2 answered")).to_be_visible()
    page.keyboard.press("Alt+w")
    page.keyboard.press("2")
    expect(page.get_by_text("1 of 2 answered")).to_be_visible()
    page.get_by_role("checkbox", name="b.py").press("Space")
    page.get_by_role("checkbox", name="b.py").press("Enter")
    turn_end(page, "completed")
    open_rows(page)
    expect(page.locator(".given")).to_have_text(["Pound", "b.py"])


def test_a_hostile_answer_leaves_no_error_in_the_console(page: Page, model: ModelServer) -> None:
    said: list[str] = []
    page.on("console", lambda line: said.append(line.text) if line.type == "error" else None)
    page.on("pageerror", lambda error: said.append(str(error)))
    story = model.script(text("\n\n".join([*HOSTILE_MARKDOWN, "The end."])), by="conversation")
    sign_in(page)
    open_fresh_session(page)
    said.clear()
    tell(page, f"Write something evil {story.marker}")
    turn_end(page, "completed")
    answer = page.get_by_test_id("assistant-text").last
    expect(answer).to_contain_text("The end.")
    assert answer.locator("script, style, iframe, img, svg, form, [onclick], [style], [href^=javascript]").count() == 0
    page.reload()
    expect(answer).to_contain_text("The end.")
    assert said == []


@pytest.mark.full
def test_an_agent_is_made_for_the_project_and_switched_to(page: Page) -> None:
    sign_in(page)
    address = open_fresh_session(page)
    page.get_by_test_id("agent-menu").click()
    page.get_by_role("menuitem", name="All agents of the project").click()
    expect(page.get_by_test_id("agent-line").first).to_contain_text("build")
    found = {"list": findings_at_every_width(page)}
    page.get_by_role("link", name="New agent").click()
    page.get_by_label("Name", exact=True).fill("reviewer")
    page.get_by_role("textbox", name="Description").fill("Reads changes and says what is wrong with them.")
    page.get_by_role("textbox", name="Instructions").fill("You review changes.")
    found["form"] = findings_at_every_width(page)
    page.get_by_role("button", name="Create agent").click()
    expect(page.get_by_role("heading", name="reviewer")).to_be_visible()
    expect(page.get_by_text("No changes.")).to_be_visible()
    page.goto(address)
    page.get_by_test_id("agent-menu").click()
    page.get_by_role("menuitemradio", name="reviewer").click()
    expect(page.get_by_test_id("agent-menu")).to_contain_text("reviewer")
    page.get_by_role("textbox", name="Prompt").press_sequentially("@re")
    page.keyboard.press("Enter")
    expect(page.get_by_role("textbox", name="Prompt")).to_have_value("@reviewer ")
    assert found == {"list": {}, "form": {}}
