"""Measure how smoothly long files scroll in the review: the time between frames of Chromium, while syntax colours
arrive."""

from typing import Final

from playwright.sync_api import Page, sync_playwright

from tests.bench.bench_site import BenchSite
from tests.bench.figures import Figure
from tests.bench.measuring import percentile
from tests.bench.review_bench import run_command
from tests.e2e.workbench import sign_in
from tests.support.browser import CHROMIUM, OFFLINE

LINES: Final = 2_000
FRAMES: Final = 600
STEP: Final = 60  # pixels a frame
FRAME: Final = 1 / 60  # seconds
SMOOTH_MS: Final = 18.0  # a frame at 60 Hz, and the resolution of the clock
TABLE: Final = f"seq -f 'total_%.0f = price(2) * 2 if 2 else round(1.5)  # the line of a table' {LINES} > {{}}"
MAKE: Final = TABLE.format("changed.py")
CHANGE: Final = f"sed -i '1~4s/price/cost/' changed.py; {TABLE.format('added.py')}"
SCROLL: Final = """
([frames, step]) => new Promise((resolve) => {
  const box = document.querySelector("[data-testid=review-grid]");
  const times = [];
  const next = (now) => {
    times.push(now);
    if (times.length > frames) return resolve(times.slice(1).map((time, index) => time - times[index]));
    box.scrollTop += step;
    requestAnimationFrame(next);
  };
  requestAnimationFrame(next);
})
"""


def measure_scrolling(bench: BenchSite) -> list[Figure]:
    """Measure an added file, which is shown in one column, and a file with 500 changed lines, which is shown side by
    side."""
    session_id = bench.client.open_session()
    run_command(bench.client, bench.server, session_id, MAKE)
    workspace_id = bench.client.get(f"/api/v1/sessions/{session_id}")["workspace_id"]
    reviewed = bench.client.site.start_session(bench.client.project().id, workspace_id=workspace_id).id
    run_command(bench.client, bench.server, reviewed, CHANGE)
    figures = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=OFFLINE)
        page = browser.new_page(base_url=bench.site.address, viewport={"width": 1440, "height": 900})
        sign_in(page)
        for path in ("added.py", "changed.py"):
            figures += _figures(path.removesuffix(".py"), _frames(page, reviewed, path))
        browser.close()
    return figures


def _frames(page: Page, session_id: str, path: str) -> list[float]:
    """Return the seconds between frames while the file is scrolled from its first line on."""
    page.goto(f"/sessions/{session_id}/review")
    page.get_by_role("navigation", name="Changed files").get_by_role("button", name=path).click()
    page.get_by_test_id("review-grid").get_by_text("total_1 = ").first.wait_for()
    frames: list[float] = page.evaluate(SCROLL, [FRAMES, STEP])
    shown = page.locator("[role=row]").count()
    if shown > 200:
        raise AssertionError(f"{shown} rows are in the page: those out of view must not be")
    return [frame / 1000 for frame in frames]


def _figures(kind: str, frames: list[float]) -> list[Figure]:
    name = f"{LINES:,} lines, {kind}"
    late = sum(frame > 1.5 * FRAME for frame in frames)
    return [
        Figure(f"{name}: between frames, p50", percentile(frames, 50), "ms", "wall", target=SMOOTH_MS),
        Figure(f"{name}: between frames, p95", percentile(frames, 95), "ms", "wall", target=SMOOTH_MS),
        Figure(f"{name}: the longest", max(frames) * 1000, "ms", "wall"),
        Figure(f"{name}: late ones of {FRAMES}", late, "times"),
    ]
