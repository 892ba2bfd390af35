"""Use a page with the keyboard alone: Tab and arrows reach every element, and the focus is always visible."""

from typing import Final

from playwright.sync_api import Locator, Page, expect
from playwright.sync_api import TimeoutError as PlaywrightTimeout

MOST: Final = 150  # presses of Tab from one thing to another
WATCH: Final = "addEventListener('pointerdown', (event) => event.isTrusted && window.pressed(), true)"
LOST_AFTER: Final = 5_000  # milliseconds
SOMEWHERE: Final = "() => document.activeElement && document.activeElement !== document.body"
FOCUSED: Final = (
    "let at = document.activeElement; while (at?.shadowRoot?.activeElement) at = at.shadowRoot.activeElement;"
)
"""JavaScript that finds the focused element `at`, also in the shadow root of the editor."""
WHERE: Final = """() => {
  FOCUSED
  if (!at || at === document.body) return "nothing";
  const name = at.getAttribute("aria-label") ?? at.textContent ?? "";
  return `${at.tagName} ${at.id || at.className} ${name.slice(0, 40)}`;
}""".replace("FOCUSED", FOCUSED)
MARKED: Final = """() => {
  FOCUSED
  if (!at || at === document.body || at.matches("textarea, [contenteditable=true], iframe")) return true;
  const box = at.getBoundingClientRect();
  const around = [at, at.parentElement, at.closest("label"), at.nextElementSibling, at.closest(".focus-within")];
  const isMarked = (element) => {
    const style = getComputedStyle(element);
    const outline = style.outlineStyle !== "none" && parseFloat(style.outlineWidth) > 0;
    return outline || style.boxShadow !== "none";
  };
  const bar = getComputedStyle(at, "::after");
  if (at.matches("[role=separator]")) return bar.backgroundColor !== "rgba(0, 0, 0, 0)";
  return box.width > 0 && box.height > 0 && around.some((element) => element && isMarked(element));
}""".replace("FOCUSED", FOCUSED)
"""JavaScript that returns whether the focused element is drawn with a visible mark.

A mark is an outline or a shadow around it. A text area, a terminal and an editor show a caret instead, a frame marks
its own content, and the bar between two columns changes its colour.
"""


class Keyboard:
    """The keyboard of a test. `faults` collects mouse presses, loss of the focus, and focused elements without a
    visible mark."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.faults: list[str] = []
        page.expose_function("pressed", lambda: self.faults.append("a mouse was used"))
        page.add_init_script(WATCH)

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    def type(self, words: str) -> None:
        self.page.keyboard.type(words)

    def where(self) -> str:
        place: str = self.page.evaluate(WHERE)
        return place

    def holds(self, what: str) -> None:
        """Add a fault unless the focus is on a visibly marked element; `what` names the action before this check."""
        try:
            self.page.wait_for_function(SOMEWHERE, timeout=LOST_AFTER)
        except PlaywrightTimeout:
            self.faults.append(f"{what}: the focus is lost")
        self._note(what)

    def to(self, thing: Locator, *, key: str = "Tab") -> None:
        """Press the key until the element has the focus. Fails after `MOST` presses."""
        expect(thing.first).to_be_visible()
        for _ in range(MOST):
            if thing.first.evaluate("(thing) => thing === thing.getRootNode().activeElement"):
                self._note("on the way")
                return
            self.press(key)
            self._note("on the way")
        raise AssertionError(f"{thing} is not reached with {key}; the focus is at {self.where()}")

    def choose(self, thing: Locator, *, key: str = "Tab") -> None:
        self.to(thing, key=key)
        self.press("Enter")

    def write(self, field: Locator, words: str) -> None:
        self.to(field)
        self.type(words)

    def _note(self, what: str) -> None:
        if not self.page.evaluate(MARKED):
            self.faults.append(f"{what}: no mark at {self.where()}")
