"""Share one chain of middleware among all test clients of a process, because its set-up takes longer than most
requests."""

from typing import Any, Final

from django.core.handlers.base import BaseHandler
from django.core.signals import setting_changed
from django.test.client import AsyncClientHandler, ClientHandler

READ_AT_START: Final = ("CSRF_", "DEBUG", "FRONTEND_", "MIDDLEWARE", "SECURE_", "SESSION_", "STATIC", "WHITENOISE_")
"""Prefixes of settings that middleware reads once when it is set up."""


def share_middleware() -> None:
    """Let each kind of test client set up its middleware once, and again after a change of `READ_AT_START` settings."""
    for kind in (ClientHandler, AsyncClientHandler):
        setattr(kind, "load_middleware", _set_up_once)  # noqa: B010
    setting_changed.connect(_set_up_anew)


_set_up: dict[type[Any], Any] = {}


def _set_up_once(handler: Any, *, is_async: bool = False) -> None:
    first = _set_up.get(type(handler))
    if first is None:
        BaseHandler.load_middleware(handler, is_async=is_async)
        first = _set_up[type(handler)] = handler
    handler._middleware_chain = first._middleware_chain


def _set_up_anew(*, setting: str, **_: Any) -> None:
    if setting.startswith(READ_AT_START):
        _set_up.clear()
