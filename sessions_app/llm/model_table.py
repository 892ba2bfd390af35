"""The table of models: the file in the litellm package, or a newer file that was downloaded from litellm's address.

Both are JSON files with an entry for each model, and are read without importing litellm. Of a downloaded table, only
the fields that this site uses are stored. A table that is incomplete or not plausible is refused as a whole.
"""

import json
import re
from collections.abc import Mapping
from decimal import Decimal
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final, NoReturn

Entries = Mapping[str, Mapping[str, Any]]

BUNDLED_FILE: Final = "model_prices_and_context_window_backup.json"
CHAT_MODES: Final = frozenset({"chat", "responses", "completion"})
LEAST_SHARE: Final = 0.5  # of the models of the bundled table, which a whole table certainly has
MOST_DAMAGED: Final = 0.02  # share of models with values that make no sense
MAX_TOKENS: Final = 1_000_000_000
MAX_PRICE: Final = Decimal(1)  # US dollars for one token
MAX_NAME: Final = 250  # characters
_TEXTS: Final = ("litellm_provider", "mode")
_COUNTS: Final = ("max_input_tokens", "max_output_tokens")
_FLAG: Final = re.compile(
    r"supports_(vision|pdf_input|function_calling|reasoning|prompt_caching|[a-z]{3,7}_reasoning_effort)"
)
_PRICE: Final = re.compile(
    r"(input_cost_per_token|output_cost_per_token|output_cost_per_reasoning_token|cache_read_input_token_cost"
    r"|cache_creation_input_token_cost)(_above_\d{1,6}k_tokens)?"
)


class BadTable(ValueError):
    """The text is not a complete table of models; the message of the error is a sentence."""


def entries(path: str) -> Entries:
    """Return the entries of the table of models in the file at `path`, by model name. If `path` is "" or the file
    cannot be read, return the entries of the bundled table."""
    for file in [found for found in (Path(path) if path else None, _bundled_path()) if found]:
        try:
            return _models(json.loads(file.read_bytes(), parse_float=Decimal))
        except (OSError, ValueError):
            continue
    return {}


def bundled_version() -> str:
    """Return the version of the litellm package; "" if it is not installed."""
    from importlib.metadata import PackageNotFoundError, version  # slow to import, and only a page asks for it

    try:
        return version("litellm")
    except PackageNotFoundError:
        return ""


def read_table(content: bytes) -> bytes:
    """Check a table in litellm's format, and return the content of the file in which this site stores it. Raises
    BadTable."""
    try:
        table = json.loads(content, parse_float=Decimal, parse_constant=_refuse_constant)
    except (ValueError, RecursionError):
        raise BadTable("It is not a JSON document, or only a part of one.") from None
    if not isinstance(table, dict):
        raise BadTable("It is not a JSON object with an entry for each model.")
    models = {name: entry for name, entry in table.items() if _is_chat(entry)}
    least = int(len(entries("")) * LEAST_SHARE)
    if len(models) < least:
        raise BadTable(f"It has {len(models)} models for conversations. A whole table has at least {least}.")
    sound = {name: _kept_fields(entry) for name, entry in models.items() if _is_sound(name, entry)}
    if len(models) - len(sound) > len(models) * MOST_DAMAGED:
        example = next(name for name in models if name not in sound)
        raise BadTable(
            f"{len(models) - len(sound)} of its models have values that make no sense, such as '{example[:60]}'."
        )
    return json.dumps(sound, default=str, separators=(",", ":")).encode()


def _models(table: Mapping[str, Any]) -> Entries:
    return {name: entry for name, entry in table.items() if _is_chat(entry)}


def _is_chat(entry: Any) -> bool:
    return isinstance(entry, dict) and isinstance(entry.get("mode"), str) and entry["mode"] in CHAT_MODES


def _is_sound(name: str, entry: Mapping[str, Any]) -> bool:
    return (
        0 < len(name) <= MAX_NAME
        and name.isprintable()
        and all(isinstance(entry.get(key, ""), str) and len(entry.get(key, "")) <= MAX_NAME for key in _TEXTS)
        and all(_is_count(entry.get(key)) for key in _COUNTS)
        and all(_is_price(value) for key, value in entry.items() if _PRICE.fullmatch(key))
    )


def _is_count(value: Any) -> bool:
    return value is None or (isinstance(value, int | Decimal) and 0 <= value <= MAX_TOKENS)


def _is_price(value: Any) -> bool:
    return value is None or (
        isinstance(value, int | Decimal) and not isinstance(value, bool) and 0 <= value <= MAX_PRICE
    )


def _kept_fields(entry: Mapping[str, Any]) -> dict[str, Any]:
    kept = {key: entry[key] for key in (*_TEXTS, *_COUNTS) if key in entry}
    kept |= {key: bool(value) for key, value in entry.items() if value is not None and _FLAG.fullmatch(key)}
    kept |= {key: value for key, value in entry.items() if value is not None and _PRICE.fullmatch(key)}
    levels = entry.get("reasoning_effort_levels")
    if isinstance(levels, list):
        kept["reasoning_effort_levels"] = [level for level in levels if isinstance(level, str)][:20]
    return kept


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a number")


def _bundled_path() -> Path | None:
    package = find_spec("litellm")
    for folder in (package and package.submodule_search_locations) or ():
        path = Path(folder) / BUNDLED_FILE
        if path.is_file():
            return path
    return None
