"""A new table of models is stored completely or not at all, with the fields that the site uses."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sessions_app.llm import model_table, prices
from sessions_app.llm.catalogue import providers_of_table, search_models
from sessions_app.llm.model_table import BadTable, read_table

ENTRY = {
    "mode": "chat", "litellm_provider": "acme", "max_input_tokens": 1000, "input_cost_per_token": 1e-6,
    "output_cost_per_token": 2e-6, "supports_function_calling": True, "supports_reasoning": True,
}  # fmt: skip


def table(count: int = 100, **changed: Any) -> dict[str, Any]:
    return {f"acme/model-{number:03}": {**ENTRY, **changed} for number in range(count)}


@pytest.fixture(autouse=True)
def bundled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Provide a bundled table of 100 models, without a stored table."""
    path = tmp_path / "bundled.json"
    path.write_text(json.dumps(table()))
    monkeypatch.setattr(model_table, "_bundled_path", lambda: path)
    prices._facts_of_table.cache_clear()
    monkeypatch.setitem(prices._kept, "file", str(tmp_path / "kept.json"))
    yield path
    prices._facts_of_table.cache_clear()


def test_a_whole_table_is_kept_with_the_fields_that_are_used() -> None:
    noisy = {
        "sample_spec": {"mode": "one of many"},
        "voice": {"mode": "audio"},
        **table(90, source="https://x.example"),
    }
    kept = json.loads(read_table(json.dumps(noisy).encode()))
    assert len(kept) == 90
    assert kept["acme/model-000"] == {**ENTRY, "input_cost_per_token": "0.000001", "output_cost_per_token": "0.000002"}


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (json.dumps(table())[:-900].encode(), "only a part of one"),
        (json.dumps(table(49)).encode(), "It has 49 models"),
        (b"[]", "not a JSON object"),
        (b"<html>", "not a JSON document"),
        (b"\xff\xfe", "not a JSON document"),
        (b'{"a":' * 100_000, "not a JSON document"),
        (json.dumps(table(input_cost_per_token=-1)).encode(), "values that make no sense, such as 'acme/model-000'"),
        (json.dumps(table(input_cost_per_token="free")).encode(), "values that make no sense"),
        (json.dumps(table(max_input_tokens=10**12)).encode(), "values that make no sense"),
        (json.dumps(table(input_cost_per_token=float("nan"))).encode(), "not a JSON document"),
        (json.dumps(table(litellm_provider=7)).encode(), "values that make no sense"),
    ],
)
def test_half_a_table_or_one_without_sense_is_refused(content: bytes, words: str) -> None:
    with pytest.raises(BadTable, match=words):
        read_table(content)


def test_a_single_damaged_entry_is_left_out() -> None:
    kept = json.loads(read_table(json.dumps({**table(99), "bad": {**ENTRY, "output_cost_per_token": []}}).encode()))
    assert len(kept) == 99
    assert "bad" not in kept


def test_the_kept_file_is_used_while_it_is_there_and_can_be_read(tmp_path: Path) -> None:
    kept = tmp_path / "kept.json"
    assert providers_of_table() == {"acme": 100}
    kept.write_bytes(read_table(json.dumps(table(60, litellm_provider="newer")).encode()))
    assert providers_of_table() == {"newer": 60}
    kept.write_text("{")
    assert providers_of_table() == {"acme": 100}
    kept.unlink()
    assert providers_of_table() == {"acme": 100}


def test_models_are_found_by_words_of_name_and_provider() -> None:
    assert [model.name for model in search_models("ACME 08", "acme")] == [
        "acme/model-008",
        *(f"acme/model-08{digit}" for digit in range(10)),
    ]
    assert search_models("", "nobody") == []
