import json
import logging

import pytest
import structlog

from agentsite.base.logs import configure_logging, secret_hider


@pytest.mark.parametrize(
    "event",
    [
        {"event": "x", "password": "hunter2-hunter2"},
        {"event": "x", "api_key": "hunter2-hunter2"},
        {"event": "x", "headers": {"Authorization": "Bearer hunter2-hunter2"}},
        {"event": "sent Bearer hunter2-hunter2 along"},
        {"event": "x", "detail": ["token ags_hunter2-hunter2"]},
        {"event": "x", "exception": "key sk-hunter2-hunter2 was refused"},
    ],
)
def test_secrets_never_reach_the_log(event: dict[str, object]) -> None:
    assert "hunter2" not in str(secret_hider()(None, "info", dict(event)))


def test_token_counts_are_no_secrets() -> None:
    event = {"event": "step", "tokens": {"input": 3}}
    assert secret_hider()(None, "info", dict(event)) == event


def test_a_json_line_carries_role_logger_and_fields(capsys: pytest.CaptureFixture[str]) -> None:
    before = logging.root.handlers[:], logging.root.level
    try:
        configure_logging(level="INFO", style="json", role="agent")
        structlog.get_logger("sessions").info("turn_started", turn_id="trn_1", token="ags_abcdefghijk")
        logging.getLogger("elsewhere").warning("plain %s", "text")
    finally:
        logging.root.handlers[:], logging.root.level = before

    first, second = (json.loads(line) for line in capsys.readouterr().err.splitlines())
    assert (first["event"], first["turn_id"], first["role"]) == ("turn_started", "trn_1", "agent")
    assert first["token"] == "[hidden]"
    assert (second["event"], second["logger"], second["level"]) == ("plain text", "elsewhere", "warning")


@pytest.mark.parametrize("style", ["json", "console"])
def test_a_traceback_loses_its_secrets_in_every_style(style: str, capsys: pytest.CaptureFixture[str]) -> None:
    before = logging.root.handlers[:], logging.root.level
    try:
        configure_logging(level="INFO", style=style, role="web", secrets=["the-key-of-this-process"])
        try:
            int("Bearer hunter2-hunter2 and the-key-of-this-process")
        except ValueError as error:
            structlog.get_logger("x").error("failed", exc_info=error, url="/ws/me?ticket=hunter2")
            logging.getLogger("y").exception("GET /share/hunter2-hunter2-hunter2", extra={"cookie": "hunter2"})
    finally:
        logging.root.handlers[:], logging.root.level = before

    told = capsys.readouterr().err
    assert "ValueError" in told
    assert "hunter2" not in told
    assert "the-key-of-this-process" not in told


def test_a_request_that_is_refused_is_one_line_at_warning(capsys: pytest.CaptureFixture[str]) -> None:
    before = logging.root.handlers[:], logging.root.level
    try:
        configure_logging(level="INFO", style="console", role="web")
        try:
            int("no number")
        except ValueError as error:
            refused = logging.getLogger("django.security.DisallowedHost")
            refused.error("Invalid HTTP_HOST header: %r.", "evil.example" + "x" * 10_000, exc_info=error)
    finally:
        logging.root.handlers[:], logging.root.level = before
        logging.getLogger("django.security").handlers.clear()
        logging.getLogger("django.security").propagate = True

    (line,) = capsys.readouterr().err.splitlines()
    assert "warning" in line
    assert "evil.example" in line
    assert len(line) < 500
