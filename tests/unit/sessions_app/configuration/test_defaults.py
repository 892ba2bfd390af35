"""Reading the defaults that an organisation publishes, with or without a wrapper. Keys and passwords are dropped, and
hostile responses are refused."""

import json
from typing import Any

import pytest

from sessions_app.configuration.defaults import MAX_BYTES, read_defaults
from sessions_app.configuration.reading import BadDocument


def found(document: Any) -> Any:
    return json.loads(read_defaults(json.dumps(document).encode()))


@pytest.mark.parametrize(
    "document",
    [
        {"auth": {"command": ["login"], "env": "TOKEN"}, "config": {"share": "disabled"}},
        {"share": "disabled", "auth": {}, "remote_config": {"url": "https://elsewhere.example"}},
    ],
)
def test_the_configuration_is_read_with_and_without_its_wrapper(document: Any) -> None:
    assert found(document) == {"share": "disabled"}


def test_a_wrapper_without_a_configuration_is_an_empty_one() -> None:
    assert found({"config": {}}) == found({"auth": {}}) == {}


def test_keys_and_passwords_are_not_kept() -> None:
    document = {
        "provider": {"x": {"options": {"apiKey": "sk-planted", "timeout": 5}}},
        "providers": {"y": {"options": {"headers": {"X-Key": "planted"}}}},
        "mcp": {"servers": {"z": {"environment": {"TOKEN": "planted"}}}},
        "share": "manual",
    }
    text = read_defaults(json.dumps({"config": document}).encode())
    assert "planted" not in text
    assert json.loads(text)["provider"]["x"]["options"] == {"apiKey": "(hidden)", "timeout": 5}
    assert json.loads(text)["share"] == "manual"


@pytest.mark.parametrize(
    "content",
    [b"", b"<html>", b"[]", b"\xff\xfe\x00", b'{"config": 3}', b"[" * 60_000, b'{"a":' * 100, b" " * (MAX_BYTES + 1)],
)
def test_anything_else_is_refused_with_a_sentence(content: bytes) -> None:
    with pytest.raises(BadDocument, match=r"\.$"):
        read_defaults(content)
