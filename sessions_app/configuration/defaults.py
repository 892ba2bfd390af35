"""Read the document with defaults that an organisation publishes at `/.well-known/opencode` of its address. Pure.

OpenCode wraps the configuration in `config`; beside it, `auth` names a command that signs people in. OpenCode's manual
also shows the configuration without that wrapper, so both forms are read.
"""

from collections.abc import Mapping
from typing import Any, Final

from sessions_app.configuration.keys import HIDDEN, Path, is_secret
from sessions_app.configuration.names import PLURALS
from sessions_app.configuration.reading import BadDocument, dump, parse

WELL_KNOWN: Final = "/.well-known/opencode"
MAX_BYTES: Final = 65_536  # as much as one configuration file may have
_NOT_SETTINGS: Final = frozenset({"auth", "remote_config"})


def document_address(origin: str) -> str:
    """Return the address of the document: https://company.example -> https://company.example/.well-known/opencode."""
    return f"{origin}{WELL_KNOWN}"


def read_defaults(content: bytes) -> str:
    """Return the configuration of a published document as JSON text, in which API keys and passwords are replaced.
    Raises BadDocument."""
    if len(content) > MAX_BYTES:
        raise BadDocument(f"It is larger than {MAX_BYTES >> 10} KiB.")
    try:
        values = parse(content.decode("utf-8-sig"))
    except UnicodeDecodeError:
        raise BadDocument("It is not UTF-8 text.") from None
    config = values.get("config")
    if "config" in values and not isinstance(config, dict):
        raise BadDocument("Its key `config` must contain a JSON object.")
    plain = config if isinstance(config, dict) else {k: v for k, v in values.items() if k not in _NOT_SETTINGS}
    return dump(_without_secrets(plain, ()))


def _without_secrets(values: Mapping[str, Any], path: Path) -> dict[str, Any]:
    """Replace the values of API keys and passwords in a document. Their names are kept, but no secret is stored."""
    found: dict[str, Any] = {}
    for name, value in values.items():
        steps = (*path, name)
        if is_secret((PLURALS.get(steps[0], steps[0]), *steps[1:])):
            found[name] = HIDDEN if value not in ("", None) else value
        else:
            found[name] = _without_secrets(value, steps) if isinstance(value, dict) else value
    return found
