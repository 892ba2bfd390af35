import pytest

from tools_app.browser.keys import UnknownKey, key_event


def test_named_keys_and_characters_are_described() -> None:
    assert key_event("Enter") == {
        "key": "Enter", "code": "Enter", "windowsVirtualKeyCode": 13, "modifiers": 0, "text": "\r",
    }  # fmt: skip
    assert key_event("down")["key"] == "ArrowDown"
    assert key_event("ArrowDown") == key_event("Down")
    assert (key_event("a")["text"], key_event("a")["code"]) == ("a", "KeyA")
    assert key_event("é")["text"] == "é"


def test_modifiers_come_first_and_type_nothing() -> None:
    assert key_event("Ctrl-a") == {"key": "a", "code": "KeyA", "windowsVirtualKeyCode": 65, "modifiers": 2}
    assert key_event("Ctrl-Shift-Tab")["modifiers"] == 10
    assert key_event("Shift-A")["text"] == "A"
    assert (key_event("-")["key"], key_event("Ctrl--")["key"], key_event("Ctrl--")["modifiers"]) == ("-", "-", 2)


@pytest.mark.parametrize("name", ["", "Return", "Hyper-a", "ab", "\n", "Ctrl-Enter-x y"])
def test_unknown_keys_are_refused_with_those_that_are_known(name: str) -> None:
    with pytest.raises(UnknownKey, match="Keys are Enter, Tab"):
        key_event(name)
