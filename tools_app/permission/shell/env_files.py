"""touch_env_files(): record `.env` for tools that load it by themselves and print it or pass its values to a
command."""

import re
from collections.abc import Mapping, Sequence
from typing import Final

from tools_app.permission.names import names
from tools_app.permission.shell.usage import CommandUsage
from tools_app.permission.shell.words import Field

ENV_FILES: Final = (".env",)
_ANY: Final[frozenset[str]] = frozenset()
_SHOWS: Final[Mapping[str, frozenset[str]]] = {
    **dict.fromkeys(
        names(
            "dotenv dotenvx env-cmd godotenv dotenvy shdotenv dotenv-cli dotenvr dotenv-vault sh-dotenv envrun with-env"
        ),
        _ANY,
    ),
    **dict.fromkeys(("honcho", "foreman", "overmind", "heroku", "forego", "goreman", "nf"), names("run local:run")),
    **dict.fromkeys(("docker", "podman"), _ANY),
    **dict.fromkeys(("docker-compose", "podman-compose"), names("config convert run")),
    "direnv": names("export dotenv exec"), "flask": names("shell"), "artisan": names("tinker env config:show about"),
    "console": names("debug:dotenv debug:container secrets:list"), "symfony": names("run console var:export"),
    "composer": names("dump-env"), "bun": names("env printenv -e --eval -p --print repl exec x"),
    "bunx": names("env printenv"),
}  # fmt: skip
"""Programs, and their actions that show what `.env` contains; none: all of them."""
_FOLDERS: Final = names("envdir s6-envdir")
"""Programs that give the contents of the files of a folder to a command as its environment."""
_COMPOSE: Final = names("config convert run")
_LOADS: Final = names("--env-file --env --env-file-if-exists --dotenv --load-env")
"""Options that load `.env` if they have no value."""
_OF_CODE: Final = re.compile(
    r"dotenv|\bload_?env(?:_?file|config|ironment\w{0,20})?\b|read_env\b|decouple|\benviron\.Env\b|@next/env|\benv-cmd\b"
    r"|dynaconf|EnvLoader",
    re.IGNORECASE,
)
"""Names of libraries and functions that load `.env` into the environment of code."""


def touch_env_files(name: str, args: Sequence[Field], usage: CommandUsage) -> None:
    """Record that a command may show `.env` although its words do not name the file."""
    words = [each.text for each in args]
    if name in _FOLDERS:
        usage.touch([each for each in args if each.text[:1] != "-"][:1], "tree")
    if not _LOADS.isdisjoint(words) or (name in _SHOWS and _is_shown(name, words)):
        usage.possible += map(Field, ENV_FILES)


def loads_env_files(code: str) -> bool:
    """Return whether code uses a library that loads `.env`."""
    return _OF_CODE.search(code) is not None


def _is_shown(name: str, words: Sequence[str]) -> bool:
    if name in {"docker", "podman"}:
        return "compose" in words and not _COMPOSE.isdisjoint(words)
    actions = _SHOWS[name]
    return not actions or not actions.isdisjoint(words)
