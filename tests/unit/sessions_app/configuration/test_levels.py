"""Merging of the 40 configuration keys that can be set at every level: the strongest level wins, lists are joined
without duplicates, and the reported source is right."""

import itertools
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sessions_app.configuration.merging import merge
from sessions_app.configuration.reading import ORIGINS, Origin, Setting, Source, dump, parse, read

LEVELS: tuple[Origin, ...] = ORIGINS


def _numbered(level: int, *path: str) -> Any:
    """Return a document that has the key `path` only; its value is a text that contains the number of the level."""
    value: Any = f"{'.'.join(path)} {level}"
    for step in reversed(path):
        value = {step: value}
    return value


KEYS: dict[str, Any] = {
    "model": lambda n: {"model": f"p/m{n}"},
    "small_model": lambda n: {"small_model": f"p/s{n}"},
    "default_agent": lambda n: {"default_agent": f"agent{n}"},
    "subagent_depth": lambda n: {"subagent_depth": n},
    "share": lambda n: {"share": ("manual", "disabled")[n % 2]},
    "lsp": lambda n: {"lsp": bool(n % 2)},
    "formatter": lambda n: {"formatter": bool(n % 2)},
    "enabled_providers": lambda n: {"enabled_providers": [f"p{n}"]},
    "compaction.auto": lambda n: {"compaction": {"auto": bool(n % 2)}},
    "compaction.prune": lambda n: {"compaction": {"prune": bool(n % 2)}},
    "compaction.tail_turns": lambda n: {"compaction": {"tail_turns": n}},
    "compaction.preserve_recent_tokens": lambda n: {"compaction": {"preserve_recent_tokens": n}},
    "compaction.reserved": lambda n: {"compaction": {"reserved": n}},
    "tool_output.max_lines": lambda n: {"tool_output": {"max_lines": n + 1}},
    "tool_output.max_bytes": lambda n: {"tool_output": {"max_bytes": n + 1}},
    **{f"tools.{name}": (lambda n, name=name: {"tools": {name: bool(n % 2)}}) for name in ("bash", "edit")},
    **{
        f"permission.{name}.{pattern}": (
            lambda n, name=name, pattern=pattern: {"permission": {name: {pattern: ("allow", "ask", "deny")[n % 3]}}}
        )
        for name, pattern in itertools.product(("bash", "edit", "webfetch"), ("*", "a *", "b/**"))
    },
    **{
        f"agent.review.{field}": (lambda n, field=field: _numbered(n, "agent", "review", field))
        for field in ("description", "prompt", "model", "color")
    },
    **{
        f"command.tidy.{field}": (
            lambda n, field=field: {"command": {"tidy": {"template": f"t{n}", field: f"{field} {n}"}}}
        )
        for field in ("template", "description", "agent", "model")
    },
    "formatter.prettier.disabled": lambda n: {"formatter": {"prettier": {"disabled": bool(n % 2)}}},
    "lsp.pyright.disabled": lambda n: {"lsp": {"pyright": {"disabled": bool(n % 2)}}},
}
JOINED: dict[str, Any] = {
    "instructions": lambda entries: {"instructions": entries},
    "disabled_providers": lambda entries: {"disabled_providers": entries},
    "skills.paths": lambda entries: {"skills": {"paths": entries}},
    "experimental.primary_tools": lambda entries: {"experimental": {"primary_tools": entries}},
}


def level(origin: Origin, document: dict[str, Any]) -> list[Setting]:
    return read(parse(json.dumps(document)), Source(origin, f"of the {origin}"))


def test_there_are_forty_keys_and_nine_levels() -> None:
    assert len(KEYS) + len(JOINED) >= 40
    assert len(LEVELS) == 9


@pytest.mark.parametrize("key", KEYS)
def test_the_strongest_level_wins_and_is_named(key: str) -> None:
    levels = [level(origin, KEYS[key](n)) for n, origin in enumerate(LEVELS)]
    for chosen in (*itertools.combinations(range(9), 1), *itertools.combinations(range(9), 2), tuple(range(9))):
        merged = merge([levels[n] for n in chosen])
        path = next(each for each in merged.effective if ".".join(each) == key)
        found = merged.effective[path]
        (last,) = [each for each in levels[chosen[-1]] if each.key == key]
        assert (found.setting.value, found.setting.source) == (last.value, last.source)
        assert [each.source.origin for each in found.overridden] == [LEVELS[n] for n in chosen[:-1]]


@pytest.mark.parametrize("key", JOINED)
@settings(max_examples=20)
@given(entries=st.lists(st.lists(st.sampled_from("abcdef"), min_size=1), min_size=1, max_size=9))
def test_lists_are_joined_without_doubles(key: str, entries: list[list[str]]) -> None:
    merged = merge([level(LEVELS[n], JOINED[key](each)) for n, each in enumerate(entries)])
    (found,) = merged.effective.values()
    assert found.setting.value == list(dict.fromkeys(itertools.chain(*entries)))
    assert [each.origin for each in found.sources] == list(LEVELS[: len(entries)])


@given(
    st.lists(
        st.dictionaries(st.sampled_from(["a", "b", "c", "d *"]), st.sampled_from(["allow", "ask", "deny"]), min_size=1),
        min_size=1,
        max_size=5,
    )
)
def test_the_order_of_rules_is_that_in_which_they_were_written_last(blocks: list[dict[str, str]]) -> None:
    merged = merge([level(LEVELS[n], {"permission": {"bash": block}}) for n, block in enumerate(blocks)])
    written = [name for block in blocks for name in block]
    last = [name for place, name in enumerate(written) if name not in written[place + 1 :]]
    assert list(merged.tree["permission"]["bash"]) == last


def test_a_switch_and_its_fields_replace_each_other() -> None:
    off = level("file", {"formatter": False})
    one = level("team", {"formatter": {"prettier": {"disabled": True}}})
    assert merge([one, off]).tree == {"formatter": False}
    merged = merge([off, one])
    assert merged.tree == {"formatter": {"prettier": {"disabled": True}}}
    (found,) = merged.effective.values()
    assert [each.key for each in found.overridden] == ["formatter"]


def test_what_does_not_apply_replaces_nothing() -> None:
    merged = merge([level("team", {"share": "disabled"}), level("file", {"share": "auto"})])
    assert merged.value("share") == "disabled"
    (refused,) = merged.unapplied
    assert (refused.key, refused.status, refused.source.origin) == ("share", "refused", "file")


def test_documents_keep_the_order_of_their_keys_as_text() -> None:
    text = '{"permission": {"z": "deny", "a": "ask", "*": "allow"}, "model": "p/m"}'
    assert list(parse(dump(parse(text)))["permission"]) == ["z", "a", "*"]
