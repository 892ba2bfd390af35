"""reports_elsewhere(): whether options or words let a test runner or a build tool use an account or a server: for its
browsers (`pytest --driver SauceLabs`), its results (`cucumber --publish`) or its cache (`bazel --bes_backend`)."""

import re
from collections.abc import Mapping, Sequence
from typing import Final

from tools_app.permission.shell.words import Field

_MAX_CHARS: Final = 2_000
_FARMS: Final = r"sauce-?(?:labs)?|browser-?stack|bstack|cross-?browser-?testing|testing-?bot|lambda-?test"
"""Companies that lend browsers."""
_SERVERS: Final = r"report-?portal|test-?rail|testomat(?:io)?|qase|zephyr|testmo|testit|currents|replayio|argos(?:-ci)?"
"""Servers that keep results of tests."""
_NAMED: Final = rf"(?<![a-z0-9])(?:{_FARMS}|{_SERVERS})(?![a-z0-9])"
_OF_PYTEST: Final = (
    rf" --driver[ =](?:{_FARMS}|remote|appium)\b| --(?:{_FARMS}|{_SERVERS}|rp|tr|jira|xray|slack|splunk|influxdb|percy"
    r"|applitools|mergify|github-report|prometheus-pushgateway|es-address|export-traces|otel|teams|discord|telegram)"
    r"(?:[ =_-]|$)"
)
_OF_BAZEL: Final = r" --(?:bes_|remote_(?:cache|executor|proxy|downloader)|experimental_remote_downloader)"
_OF_CUCUMBER: Final = r" --publish(?:[ =]|$)"
_OF_MAVEN: Final = r" -D(?:scan(?:=true)?(?: |$)|develocity\.scan|cucumber\.publish\.(?:enabled=t|token=))"
_RUNNERS: Final = dict.fromkeys(
    ("testcafe", "nightwatch", "wdio", "karma", "playwright", "mocha", "jest", "vitest", "robot", "rspec", "behave"),
    rf" (?:--?[\w-]+[ =]\S*{_NAMED}|(?:{_FARMS}):|\S*{_NAMED}\S*\.conf)",
)
_OPTIONS: Final[Mapping[str, str]] = {
    **_RUNNERS,
    "pytest": _OF_PYTEST,
    **dict.fromkeys(("cucumber", "cucumber-js"), _OF_CUCUMBER),
    **dict.fromkeys(("mvn", "gradle"), _OF_MAVEN),
    **dict.fromkeys(("bazel", "bazelisk"), _OF_BAZEL),
    "turbo": r" --(?:token|api|team|remote-only)(?:[ =]|$)",
    "nx": r" (?:--cloud|connect)(?:[ =]|$)",
    "newman": r" (?:-r|--reporters)[ =]?\S*cloud| --postman-api-key",
    "artillery": r" run[-:](?:fargate|lambda|aci)| --record",
    "pants": r" --remote-(?:execution|cache-write|store-address)",
    **dict.fromkeys(("buck", "buck2"), r" --(?:remote-only|prefer-remote)"),
    "cargo": r" tarpaulin .*--(?:coveralls|report-uri)| coverage .*--coveralls",
    "sitespeed.io": r" --(?:s3|gcs|slack|graphite|influxdb|matrix)\.",
    "bzt": r" -(?:report|cloud)\b",
    "pronto": r" (?:-f|--formatters)[ =]?\S*(?:github|gitlab|bitbucket)",
    "reviewdog": r" -{1,2}reporter[ =](?:github|gitlab|bitbucket|gerrit)",
    "danger": r" (?:ci|pr|staging)\b",
    **dict.fromkeys(("safety", "bearer"), r" --(?:key|api-key)[ =]| auth\b"),
}
"""Programs, and what in their words, each behind a blank, says so. Sources: the manuals of them and their plugins."""
_COMPILED: Final = {name: re.compile(pattern, re.IGNORECASE) for name, pattern in _OPTIONS.items()}
USUAL: Final = ("pytest", "--pastebin")
"""The usual command that publishes results, by which rules know all others."""


def reports_elsewhere(name: str, args: Sequence[Field]) -> bool:
    """Return whether the arguments of the tool `name` let it use an account or a server."""
    pattern = _COMPILED.get(name.rpartition("/")[2])
    return pattern is not None and pattern.search(_joined(args)) is not None


def _joined(args: Sequence[Field]) -> str:
    return f" {' '.join(each.text for each in args)}"[:_MAX_CHARS]
