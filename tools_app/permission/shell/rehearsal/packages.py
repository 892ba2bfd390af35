"""The scripts of a `package.json` with the variables that npm sets for them, and aliases of cargo."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import islice
from typing import Any, Final

_MAX_SCRIPTS: Final = 40
_MAX_VALUES: Final = 60
"""Variables of fields of the package. Those of scripts come last."""
_MAX_DEPTH: Final = 6  # keys in keys
_CARGO_ALIAS: Final = r"(?m)^[ \t]*\"?{0}\"?\s*=\s*(?:\"([^\"\n]*)\"|\[([^\]]*)\])"
_NOT_IN_NAME: Final = re.compile(r"\W")


def with_settings(package: str, words: Sequence[str]) -> str:
    """Return a `package.json` after `npm pkg set a.b=c`, as a text."""
    root = _package(package)
    for each in words:
        key, _, value = each.partition("=")
        *above, last = key.split(".")[:_MAX_DEPTH]
        place = root
        for name in above:
            inner = place.setdefault(name, {})
            place = inner if isinstance(inner, dict) else {}
        place[last] = value
    return json.dumps(root)


def scripts_of(package: str, words: Sequence[str]) -> Iterator[tuple[str, Mapping[str, str]]]:
    """Yield the text of each script in a `package.json`, with the environment variables that npm sets for it. `words`
    is the npm command, whose options and arguments are passed on."""
    root = _package(package)
    options = (re.fullmatch(r"--([\w-]+)=(.*)", each) for each in words)
    values = {f"npm_config_{_name(each[1])}": each[2] for each in options if each}
    scripts = root.get("scripts")
    fields = {name: value for name, value in root.items() if name != "scripts"} | {"scripts": scripts or {}}
    values |= dict(islice(_flat("npm_package", fields), _MAX_VALUES))
    for name, text in islice(scripts.items(), _MAX_SCRIPTS) if isinstance(scripts, dict) else ():
        given = {"npm_lifecycle_event": str(name), "npm_lifecycle_script": str(text)}
        yield " ".join((str(text), *_given_to(str(name), words))), {**values, **given}


def _given_to(script: str, words: Sequence[str]) -> list[str]:
    """Return the words that npm passes to a script: words without a dash after its name, and all words after `--`."""
    if script not in words:
        return []
    rest = list(words[list(words).index(script) + 1 :])
    end = rest.index("--") if "--" in rest else len(rest)
    return [*(each for each in rest[:end] if each[:1] != "-"), *rest[end + 1 :]]


def _package(text: str) -> dict[str, Any]:
    with suppress(ValueError, RecursionError):
        found = json.loads(text)
        return found if isinstance(found, dict) else {}
    return {}


def _flat(name: str, value: Any, depth: int = 0) -> Iterator[tuple[str, str]]:
    if isinstance(value, dict) and depth < _MAX_DEPTH:
        for key, inner in value.items():
            yield from _flat(f"{name}_{_name(str(key))}", inner, depth + 1)
    else:
        yield name, str(value)


def _name(key: str) -> str:
    return _NOT_IN_NAME.sub("_", key)


def cargo_alias(words: Sequence[str], environment: Mapping[str, str], settings: Sequence[str]) -> list[str]:
    """Return the command that an alias of cargo stands for; nothing if there is no such alias.

    Aliases come from the environment, from `--config`, and from files of settings.
    """
    plain = [each for each in words[1:] if each[:1] not in {"-", "+"} and "=" not in each]
    if not plain:
        return []
    alias = plain[0]
    rest = list(words[list(words).index(alias) + 1 :])
    value = environment.get(f"CARGO_ALIAS_{_name(alias).upper()}", "")
    options = "\n".join(re.sub(r"^(?:--config=)?\s*alias\.", "", each) for each in words)
    for text in (options, *settings):
        if found := re.search(_CARGO_ALIAS.format(re.escape(alias)), text):
            value = value or found[1] or " ".join(re.findall(r"\"([^\"]*)\"", found[2] or ""))
    return ["cargo", *value.split(), *rest] if value else []
