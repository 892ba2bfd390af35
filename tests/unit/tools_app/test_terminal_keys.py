import pytest

from tools_app.terminal_keys import UnknownKey, bytes_of_key, shown, typed


@pytest.mark.parametrize(
    ("name", "sent"),
    [
        ("Enter", "\r"),
        ("enter", "\r"),
        ("Ctrl-c", "\x03"),
        ("ctrl-C", "\x03"),
        ("Ctrl-[", "\x1b"),
        ("Alt-x", "\x1bx"),
        ("Up", "\x1b[A"),
        ("F12", "\x1b[24~"),
    ],
)
def test_keys_send_what_terminals_send(name: str, sent: str) -> None:
    assert bytes_of_key(name) == sent


@pytest.mark.parametrize("name", ["", "Ctrl-", "Ctrl-ä", "Ctrl-cc", "Super-x", "Alt-\x1b", "\x03"])
def test_unknown_keys_are_refused_by_name(name: str) -> None:
    with pytest.raises(UnknownKey, match="Keys are Enter, Tab"):
        bytes_of_key(name)


def test_line_breaks_are_typed_as_enter_and_keys_follow_the_text() -> None:
    assert typed("a\nb\r\nc", ["Tab", "Ctrl-d"]) == b"a\rb\rc\t\x04"


def test_people_see_text_and_keys() -> None:
    assert shown("print(1)", ["Enter"]) == "print(1) [Enter]"
    assert shown("", ["Ctrl-c", "Up"]) == "[Ctrl-c] [Up]"
