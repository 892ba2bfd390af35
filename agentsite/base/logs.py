"""Logging setup: structured lines on standard error, one per event, with the id of the request or task, and without
secrets."""

import logging
import logging.config
from collections.abc import Iterable, Sequence
from typing import Final

import structlog
from structlog.typing import EventDict, Processor, WrappedLogger

from agentsite.base.redaction import redact_names, redactor

MAX_REFUSAL_CHARACTERS: Final = 300  # of a line, which quotes what a client sent


def secret_hider(secrets: Iterable[str] = ()) -> Processor:
    """Return a structlog processor that hides secrets by name (`password=…`), by pattern (our tokens, provider keys,
    cookies, URLs) and by value (each of `secrets`)."""
    redact = redactor(secrets)

    def hide(_logger: WrappedLogger, _method: str, event: EventDict) -> EventDict:
        return redact_names(event, redact)

    return hide


class WithCause(logging.Filter):
    """Log filter that keeps only the records with an exception. Django logs every response with a status of 500 or
    above, even responses that a view has sent on purpose."""

    def filter(self, record: logging.LogRecord) -> bool:
        return record.exc_info is not None


class OneLine(logging.Filter):
    """A logging filter that makes each record one short line at level WARNING. Django logs a request that it refuses,
    such as one with a wrong Host header, as an error with a traceback, although the site works and anybody can send
    such a request."""

    def filter(self, record: logging.LogRecord) -> bool:
        record.msg, record.args = record.getMessage()[:MAX_REFUSAL_CHARACTERS], None
        record.exc_info = record.exc_text = None
        record.levelno, record.levelname = logging.WARNING, "WARNING"
        return True


def _shared_processors() -> Sequence[Processor]:
    return (
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_logger_name,
        structlog.stdlib.add_log_level,
        structlog.stdlib.PositionalArgumentsFormatter(),
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.StackInfoRenderer(),
    )


def _render(style: str, secrets: Iterable[str]) -> Iterable[Processor]:
    """Yield the processors that render a log entry as text, in order.

    Tracebacks become text before secrets are hidden, so that secrets in them are hidden, too.
    """
    last: Processor = structlog.processors.JSONRenderer()
    if style == "console":
        last = structlog.dev.ConsoleRenderer(colors=False, exception_formatter=structlog.dev.plain_traceback)
    yield structlog.stdlib.ProcessorFormatter.remove_processors_meta
    yield structlog.processors.format_exc_info
    yield secret_hider(secrets)
    yield last


def configure_logging(*, level: str, style: str, role: str, secrets: Iterable[str] = ()) -> None:
    """Format the log entries of structlog and of the standard library in the same way.

    `style` is "console" or "json". `secrets` are values that must not appear in any line.
    """
    shared = list(_shared_processors())

    def add_role(_logger: WrappedLogger, _method: str, event: EventDict) -> EventDict:
        event.setdefault("role", role)
        return event

    structlog.configure(
        processors=[*shared, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=True,
    )
    formatter = {
        "()": structlog.stdlib.ProcessorFormatter,
        "foreign_pre_chain": shared,
        "processors": [add_role, *_render(style, secrets)],
    }
    logging.config.dictConfig(
        {
            "version": 1,
            "disable_existing_loggers": False,
            "formatters": {"structured": formatter},
            "filters": {"with_cause": {"()": WithCause}, "one_line": {"()": OneLine}},
            "handlers": {
                "stderr": {"class": "logging.StreamHandler", "formatter": "structured"},
                "refusals": {"class": "logging.StreamHandler", "formatter": "structured", "filters": ["one_line"]},
            },
            "root": {"handlers": ["stderr"], "level": level},
            "loggers": {
                "django.request": {"level": "ERROR", "filters": ["with_cause"]},
                "django.security": {"handlers": ["refusals"], "propagate": False},
                "django.channels.server": {"level": "WARNING"},
                "daphne": {"level": "WARNING"},
                "httpx": {"level": "WARNING"},
                "httpcore": {"level": "WARNING"},
                "asyncio": {"level": "WARNING"},
            },
        }
    )
