"""Test runners and build tools that use an account or a server elsewhere."""

import time

import pytest

from tests.unit.tools_app.permission.shell.support import analyzed
from tools_app.permission.shell.reporting import reports_elsewhere
from tools_app.permission.shell.words import Field


@pytest.mark.parametrize(
    "command",
    [
        "pytest -q --driver SauceLabs --capability browserName firefox tests",
        "python -m pytest --driver=browserstack",
        "pytest --driver Remote --selenium-host a",
        "uv run pytest --reportportal",
        "pytest --rp-endpoint=https://a tests",
        "pytest --qase-mode=testops",
        "pytest --slack_hook=https://a",
        "npx cucumber-js --publish",
        "bundle exec cucumber --publish features",
        "./gradlew test -Dcucumber.publish.enabled=true",
        "mvn verify -Dscan",
        "bazel test --bes_backend=grpcs://a //...",
        "npx testcafe saucelabs:Chrome tests",
        "nightwatch -e saucelabs.chrome",
        "wdio run wdio.sauce.conf.ts",
        "npx playwright test --reporter=@currents/playwright",
        "turbo run build --token x",
        "reviewdog -reporter=github-pr-review",
    ],
)
def test_results_or_browsers_elsewhere_are_published(command: str) -> None:
    found = analyzed(command)
    assert not found.complete
    assert "pytest --pastebin" in found.spellings


@pytest.mark.parametrize(
    "command",
    ["pytest --driver Chrome tests", "pytest -k testrail tests", "pytest --trace-config",
     "npx cucumber-js --publish-quiet",
     "cucumber-js features", "npx jest src/testrail.test.ts", "npx vitest run --reporter=dot", "mvn verify -Dscanner=a",
     "bazel test //...", "turbo run build --filter=a", "npx playwright test --reporter=html", "pytest --report-log=a"],
)  # fmt: skip
def test_tests_in_the_container_are_not(command: str) -> None:
    assert "pytest --pastebin" not in analyzed(command).spellings


@pytest.mark.parametrize("name", ["pytest", "jest", "cargo", "mvn"])
def test_long_commands_take_little_time(name: str) -> None:
    began = time.process_time()
    assert not reports_elsewhere(name, [Field("-" * 99 + " --a=" + "sauce" * 9_000)] * 99)
    assert not reports_elsewhere(name, [Field(" tarpaulin" * 9_000)])
    assert time.process_time() - began < 1


@pytest.mark.parametrize(
    ("command", "emptied"),
    [
        ("pytest --output config", "/workspace/config"),
        ("pytest --outp=config tests", "/workspace/config"),
        ("python -m pytest --output config", "/workspace/config"),
        ("pytest --output .", "/workspace"),
        ("pytest -o a=config", ""),
        ("pytest --output-format config", ""),
    ],
)
def test_a_folder_for_results_is_removed_before(command: str, emptied: str) -> None:
    changed = {each.path.rstrip("/.") for each in analyzed(command).paths if each.mode == "write" and each.recursive}
    assert (emptied in changed) == bool(emptied)
