"""Logs: structured, on standard error, one line per event, with the request's or task's id, and never a secret."""

import logging
import logging.config
from collections.abc import Iterable, Sequence

import structlog
from structlog.typing import EventDict, Processor, WrappedLogger

from agentsite.base.redaction import redact_names, redactor


def secret_hider(secrets: Iterable[str] = ()) -> Processor:
    """A processor that hides secrets by name (`password=…`), by look (our tokens, providers' keys, cookies, addresses)
    and by value: those that this process knows."""
    redact = redactor(secrets)

    def hide(_logger: WrappedLogger, _method: str, event: EventDict) -> EventDict:
        return redact_names(event, redact)

    return hide


class WithCause(logging.Filter):
    """Django logs every answer of 500 and above; only those with an exception are news, the rest were meant."""

    def filter(self, record: logging.LogRecord) -> bool:
        return record.exc_info is not None


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
    """Tracebacks become text before secrets are looked for."""
    last: Processor = structlog.processors.JSONRenderer()
    if style == "console":
        last = structlog.dev.ConsoleRenderer(colors=False, exception_formatter=structlog.dev.plain_traceback)
    yield structlog.stdlib.ProcessorFormatter.remove_processors_meta
    yield structlog.processors.format_exc_info
    yield secret_hider(secrets)
    yield last


def configure_logging(*, level: str, style: str, role: str, secrets: Iterable[str] = ()) -> None:
    """Route structlog and the standard library through one formatter. `style` is "console" or "json"; `secrets` are
    values that no line may hold."""
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
            "filters": {"with_cause": {"()": WithCause}},
            "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "structured"}},
            "root": {"handlers": ["stderr"], "level": level},
            "loggers": {
                "django.request": {"level": "ERROR", "filters": ["with_cause"]},
                "django.channels.server": {"level": "WARNING"},
                "daphne": {"level": "WARNING"},
                "httpx": {"level": "WARNING"},
                "httpcore": {"level": "WARNING"},
                "asyncio": {"level": "WARNING"},
            },
        }
    )
