"""Several answers to one prompt in a real browser: try again, and edit a prompt and send it again."""

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.conftest import Scheme, both_schemes, picture
from tests.e2e.workbench import faults_at, open_fresh_session, press_on, say, sign_in, turn_end
from tests.support.model_server import ModelServer, calls, text, tool_call
from tests.support.running_site import RunningSite


@pytest.fixture
def site(scripted_site: RunningSite) -> RunningSite:
    """Override the fixture `site`, so that the browser also uses the site whose model follows scripts."""
    return scripted_site


def answers(page: Page) -> Locator:
    return page.get_by_role("region", name="Answers to this prompt")


def chosen(page: Page) -> Locator:
    """Return the element of the chosen answer, which the conversation continues from."""
    return page.get_by_test_id("conversation").get_by_test_id("assistant-text").first


@both_schemes
@pytest.mark.full
def test_an_answer_is_tried_again_by_keyboard_in_two_tabs(
    page: Page, other_tab: Page, model: ModelServer, scheme: Scheme
) -> None:
    sign_in(page)
    address = open_fresh_session(page)
    story = model.script(text("Green tea is best."), text("Black tea is best."))
    say(page, f"Which tea is best? {story.marker}")
    turn_end(page, "completed")
    other_tab.goto(address)
    expect(chosen(other_tab)).to_have_text("Green tea is best.")

    press_on(page, page.get_by_role("button", name="Try again"))
    again = page.get_by_role("dialog").get_by_role("button", name="Try again")
    expect(again).to_be_enabled()  # what happens to files is known
    press_on(page, again)
    for tab in (page, other_tab):
        expect(chosen(tab)).to_have_text("Black tea is best.", timeout=60_000)
        expect(answers(tab)).to_contain_text("Answer 2 of 2")
    press_on(page, page.get_by_role("button", name="Show the others"))
    expect(page.get_by_role("region", name="Answer 1")).to_contain_text("Green tea is best.")
    picture(page, "alternatives", scheme)
    assert faults_at(page, 1440, 360) == {}

    page.reload()
    expect(answers(page)).to_contain_text("Answer 2 of 2")
    press_on(page, page.get_by_role("button", name="Choose the answer before"))
    for tab in (page, other_tab):
        expect(chosen(tab)).to_have_text("Green tea is best.")
        expect(answers(tab)).to_contain_text("Answer 1 of 2")
    following = model.script(text("With water of 80 degrees."))
    say(other_tab, f"How hot? {following.marker}")
    expect(page.get_by_text("With water of 80 degrees.")).to_be_visible(timeout=60_000)
    (asked,) = following.requests(at_least=1)
    assert "Green tea is best." in str(asked["body"]["messages"])
    assert "Black tea is best." not in str(asked["body"]["messages"])


@pytest.mark.full
@both_schemes
def test_an_answer_is_chosen_with_its_files_by_keyboard(page: Page, model: ModelServer, scheme: Scheme) -> None:
    sign_in(page)
    open_fresh_session(page)
    teas = [calls(tool_call("write", filePath="tea.md", content=f"{tea}\n")) for tea in ("green", "black")]
    story = model.script(teas[0], text("Green."), teas[1], text("Black."))
    say(page, f"Which tea? {story.marker}")
    turn_end(page, "completed")
    press_on(page, page.get_by_role("button", name="Try again"))
    again = page.get_by_role("dialog").get_by_role("button", name="Try again")
    expect(again).to_be_enabled()
    press_on(page, again)
    expect(chosen(page)).to_have_text("Black.", timeout=60_000)
    expect(page.locator('[data-path="tea.md"]')).to_contain_text("black")

    press_on(page, page.get_by_role("button", name="Choose the answer before"))
    form = page.get_by_role("dialog", name="Continue from this answer")
    press_on(page, form.get_by_role("button", name="tea.md"))
    picture(page, "choose-answer", scheme)
    assert faults_at(page, 1440, 360) == {}
    press_on(page, form.get_by_role("button", name="Continue"))
    expect(chosen(page)).to_have_text("Green.")
    expect(page.locator('[data-path="tea.md"]')).to_contain_text("green")


@pytest.mark.full
@both_schemes
def test_a_prompt_is_edited_by_keyboard_and_the_old_answer_kept(page: Page, model: ModelServer, scheme: Scheme) -> None:
    sign_in(page)
    open_fresh_session(page)
    say(page, f"Which tea? {model.script(text('Green tea.')).marker}")
    turn_end(page, "completed")
    press_on(page, page.get_by_role("button", name="Edit this prompt"))
    form = page.get_by_role("dialog")
    picture(page, "edit-prompt", scheme)
    assert faults_at(page, 1440, 360) == {}
    form.get_by_role("textbox", name="Prompt").fill(
        f"Which tea in the evening? {model.script(text('Rooibos.')).marker}"
    )
    press_on(page, form.get_by_role("button", name="Send"))
    expect(chosen(page)).to_have_text("Rooibos.", timeout=60_000)
    expect(answers(page)).to_contain_text("Answer 2 of 2")
    page.reload()
    press_on(page, page.get_by_role("button", name="Show the others"))
    expect(page.get_by_role("region", name="Answer 1")).to_contain_text("Green tea.")


@pytest.mark.full
def test_an_edited_prompt_is_answered_in_a_session_of_its_own(page: Page, model: ModelServer) -> None:
    sign_in(page)
    address = open_fresh_session(page)
    say(page, f"Which tea? {model.script(text('Green tea.')).marker}")
    turn_end(page, "completed")
    press_on(page, page.get_by_role("button", name="Edit this prompt"))
    form = page.get_by_role("dialog")
    form.get_by_role("textbox", name="Prompt").fill(f"Which coffee? {model.script(text('Arabica.')).marker}")
    press_on(page, form.get_by_role("radio", name="In a new session in the same workspace"), "Space")
    press_on(page, form.get_by_role("button", name="Send"))
    expect(page.get_by_text("Arabica.")).to_be_visible(timeout=60_000)
    assert page.url != address
    expect(page.get_by_text("Green tea.")).to_have_count(0)
    page.goto(address)
    expect(chosen(page)).to_have_text("Green tea.")
