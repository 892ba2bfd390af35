"""Logs: structured, on standard error, one line per event, with the request's or task's id, and never a secret."""

import logging
import logging.config
import re
from collections.abc import Iterable, Sequence
from typing import Any, Final

import structlog
from structlog.typing import EventDict, Processor, WrappedLogger

_SECRET_NAME: Final = re.compile(r"(?i)(api_?key|authorization|cookie|password|secret|ticket|token$)")
_SECRET_VALUE: Final = re.compile(r"\b(ags_|sk-)[A-Za-z0-9_-]{8,}|(?i:bearer) [^\s'\"]+")
_HIDDEN: Final = "[hidden]"


def _scrub(value: Any) -> Any:
    if isinstance(value, str):
        return _SECRET_VALUE.sub(_HIDDEN, value)
    if isinstance(value, dict):
        return {key: _HIDDEN if _SECRET_NAME.search(str(key)) else _scrub(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_scrub(item) for item in value]
    return value


def hide_secrets(_logger: WrappedLogger, _method: str, event: EventDict) -> EventDict:
    """By name (`password=…`) and by look (our tokens, provider keys, bearer headers)."""
    return {key: _HIDDEN if _SECRET_NAME.search(key) else _scrub(value) for key, value in event.items()}


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


def _render(style: str) -> Iterable[Processor]:
    last: Processor = structlog.processors.JSONRenderer()
    if style == "console":
        last = structlog.dev.ConsoleRenderer(colors=False, exception_formatter=structlog.dev.plain_traceback)
    else:
        yield structlog.processors.format_exc_info
    yield hide_secrets
    yield structlog.stdlib.ProcessorFormatter.remove_processors_meta
    yield last


def configure_logging(*, level: str, style: str, role: str) -> None:
    """Route structlog and the standard library through one formatter. `style` is "console" or "json"."""
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
        "processors": [add_role, *_render(style)],
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
