"""Realistic configuration files of teams: each can be read, and each key is applied or reported with a reason."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from sessions_app.configuration.commands import commands_of
from sessions_app.configuration.export import exported
from sessions_app.configuration.keys import HIDDEN, shown
from sessions_app.configuration.merging import merge
from sessions_app.configuration.names import first_generation
from sessions_app.configuration.reading import Source, parse, read

FOLDER: Final = Path(__file__).parents[3] / "corpora" / "opencode"
FILES: Final = sorted(FOLDER.iterdir(), key=lambda path: path.name)


def leaves(value: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    if not isinstance(value, dict):
        yield path
        return
    for name, each in value.items():
        yield from leaves(each, (*path, name))


@pytest.mark.parametrize("file", FILES, ids=lambda path: path.name)
def test_every_key_applies_or_has_a_reason(file: Path) -> None:
    document = parse(file.read_text())
    found = read(document, Source("file", file.name))
    accounted = {setting.path for setting in found}
    named, _ = first_generation(document)
    for path in leaves(named):
        assert any(path[: len(each)] == each for each in accounted) or (*path, "*") in accounted, path
    for setting in found:
        assert setting.status == "applied" or setting.reason.endswith("."), setting


@pytest.mark.parametrize("file", FILES, ids=lambda path: path.name)
def test_nothing_secret_is_shown_or_exported(file: Path) -> None:
    found = read(parse(file.read_text()), Source("file", file.name))
    text = exported(merge([found]), agents={}, rules=(), defaults={})
    assert "planted" not in text
    assert "planted" not in json.dumps([shown(setting.path, setting.value) for setting in found])
    assert json.loads(text)["$schema"]


def test_there_are_the_sample_and_five_others() -> None:
    assert len(FILES) == 6


def test_commands_of_a_set_up() -> None:
    found = read(parse((FOLDER / "monorepo.jsonc").read_text()), Source("file", "opencode.jsonc"))
    commands = commands_of(merge([found]))
    assert [(each.name, each.agent, each.subtask) for each in commands.values()] == [
        ("test", "build", None),
        ("component", "", True),
    ]


def test_keys_and_addresses_are_refused() -> None:
    found = {each.key: each for each in read(parse((FOLDER / "company.json").read_text()), Source("file", "x"))}
    assert found["provider.gateway.options.baseURL"].status == "refused"
    assert found["provider.gateway.options.apiKey"].status == "refused"
    assert found["provider.bedrock.options.endpoint"].status == "refused"
    key = found["provider.gateway.options.apiKey"]
    assert shown(key.path, key.value) == HIDDEN
