"""Read a configuration document into settings: one for each value, with the reason if the value does not apply. Pure.

Documents of repositories may contain anything, so reading takes linear time, is limited, and reports what it did not
understand.
"""

import difflib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, Literal

from sessions_app.configuration.document import BY_NAME, NAMES, NESTED, field_problem, value_problem
from sessions_app.configuration.keys import Path, Status, Verdict, file_verdict, stored_verdict, verdict
from sessions_app.configuration.names import first_generation
from tools_app.policies import jsonc
from tools_app.text import clean, clean_value

Origin = Literal["default", "remote", "site", "team", "person", "file", "project", "session", "policy"]
ORIGINS: Final[tuple[Origin, ...]] = (
    "default", "remote", "site", "team", "person", "file", "project", "session", "policy",
)  # fmt: skip
"""The levels, from the weakest to the strongest."""

MAX_DEPTH: Final = 16  # levels of objects and lists in one document
MAX_SETTINGS: Final = 2_000  # values of one document
MAX_KEY_CHARACTERS: Final = 300
_NO_KEY: Final = "There is no such key."


class BadDocument(ValueError):
    """The text is not a configuration document; the message of the error is a sentence."""


@dataclass(frozen=True, slots=True)
class Source:
    """The source of a value: the level, and the path of a file, the public id of a row, or an address."""

    origin: Origin
    name: str = ""


@dataclass(frozen=True, slots=True)
class Setting:
    """One value of a configuration document. `written` is its top-level name in the document if that is a name of
    OpenCode's second generation."""

    path: Path
    value: Any
    source: Source
    status: Status = "applied"
    reason: str = ""
    written: str = ""

    @property
    def key(self) -> str:
        return ".".join(self.path)


def parse(text: str) -> dict[str, Any]:
    """Parse a document: JSON with comments and trailing commas. Raises BadDocument."""
    try:
        values = jsonc.loads(text.removeprefix("\ufeff"))
    except (ValueError, RecursionError) as error:
        reason = "it is nested too deeply" if isinstance(error, RecursionError) else str(error)[:200]
        raise BadDocument(f"It is not JSON: {clean(reason)}.") from error
    if not isinstance(values, dict):
        raise BadDocument("It must contain a JSON object.")
    if _is_deeper(values, MAX_DEPTH):
        raise BadDocument(f"It is nested more than {MAX_DEPTH} levels deep.")
    found: dict[str, Any] = clean_value(values)
    return found


def dump(values: Mapping[str, Any]) -> str:
    """Return the values as JSON text, because not every database keeps the order of keys in a JSON column."""
    return json.dumps(values, ensure_ascii=False, separators=(",", ":"))


def read(values: Mapping[str, Any], source: Source) -> list[Setting]:
    """Return the settings of a document in the order of its keys. Settings that do not apply have a reason."""
    named, renamed = first_generation(values)
    found: list[Setting] = []
    for setting in _settings(named, source, renamed):
        if len(found) == MAX_SETTINGS:
            found.append(
                _unusable(("$",), None, source, "invalid", f"Only the first {MAX_SETTINGS:,} values are read.")
            )
            break
        found.append(setting)
    return found


def as_stored(setting: Setting) -> Setting:
    """Return the setting of a stored document (not a file of the workspace), with a reason if the setting does not
    apply in such a document."""
    said = stored_verdict(setting.path, setting.source.origin)
    if setting.status != "applied" or said.status == "applied":
        return setting
    return replace(setting, status=said.status, reason=said.reason)


def _stricter(one: Verdict, other: Verdict) -> Verdict:
    return one if other.status == "applied" else other


def _settings(values: Mapping[str, Any], source: Source, renamed: Mapping[str, str]) -> Iterator[Setting]:
    for name, value in values.items():
        written = renamed.get(name, "")
        if name not in NAMES:
            yield _unusable((name,), value, source, "unknown", _unknown(name, NAMES))
        elif value is not None:
            for path, each, problem in _checked(name, value):
                if problem:
                    status: Status = "unknown" if problem.startswith(_NO_KEY) else "invalid"
                    yield _unusable(path, each, source, status, problem)
                    continue
                said = verdict(path, each)
                if source.origin == "file" and said.status == "applied":
                    said = _stricter(said, file_verdict(path))
                yield Setting(path, each, source, said.status, said.reason, written)


def _checked(name: str, value: Any) -> Iterator[tuple[Path, Any, str]]:
    """Yield (path, value, reason) for each setting in the value of the configuration key `name`. The reason says why
    the setting cannot be used, or is ""."""
    if name in NESTED and isinstance(value, dict):
        fields = NESTED[name].model_fields
        for field, each in value.items():
            problem = field_problem(name, field, each) if field in fields else _unknown(field, tuple(fields))
            yield (name, field), each, problem
        return
    if name in BY_NAME and isinstance(value, dict):
        for entry, fields_of_entry in value.items():
            if problem := value_problem(name, {entry: fields_of_entry}):
                yield (name, entry), fields_of_entry, problem
            else:
                yield from ((path, each, "") for path, each in _leaves((name, entry), fields_of_entry))
        return
    if problem := value_problem(name, value):
        yield (name,), value, problem
    elif name == "permission" and isinstance(value, str):
        yield (name, "*"), value, ""
    else:
        yield from ((path, each, "") for path, each in _leaves((name,), value))


def _leaves(path: Path, value: Any) -> Iterator[tuple[Path, Any]]:
    if not isinstance(value, dict):
        yield path, value
        return
    for name, each in value.items():
        yield from _leaves((*path, str(name)[:MAX_KEY_CHARACTERS]), each)


def _unusable(path: Path, value: Any, source: Source, status: Status, reason: str) -> Setting:
    return Setting(tuple(step[:MAX_KEY_CHARACTERS] for step in path), value, source, status, reason)


def _unknown(name: str, known: tuple[str, ...]) -> str:
    near = difflib.get_close_matches(name[:60], known, 3)
    near.sort(key=lambda each: sorted(each) != sorted(name))  # swapped letters before others
    return f"{_NO_KEY}{f' Did you mean `{near[0]}`?' if near else ''}"


def _is_deeper(value: Any, limit: int) -> bool:
    if not isinstance(value, dict | list):
        return False
    return limit == 0 or any(
        _is_deeper(each, limit - 1) for each in (value.values() if isinstance(value, dict) else value)
    )
