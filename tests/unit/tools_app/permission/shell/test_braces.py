import pytest

from tools_app.permission.shell.braces import MAX_FIELDS, Atom, expand_braces


def expanded(text: str) -> list[str] | None:
    """Expand braces in a text in which `$` stands for a parameter and `_` for a quoted comma."""
    atoms: list[Atom] = [0 if char == "$" else (",", False) if char == "_" else (char, True) for char in text]
    found = expand_braces(atoms)
    if found is None:
        return None
    return ["".join("$" if isinstance(atom, int) else atom[0] for atom in word) for word in found]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a", ["a"]),
        ("a{b,c}d", ["abd", "acd"]),
        ("{a,b}{c,d}", ["ac", "ad", "bc", "bd"]),
        ("{a,{b,c}d}", ["a", "bd", "cd"]),
        ("{,x}", ["", "x"]),
        ("{1..3}", ["1", "2", "3"]),
        ("{c..a}", ["c", "b", "a"]),
        ("{-1..1}", ["-1", "0", "1"]),
        ("{a..z..5}", ["a", "f", "k", "p", "u", "z"]),
        ("{9..1..3}", ["9", "6", "3"]),
        ("{1..9..-3}", ["1", "4", "7"]),
        ("{a..c..0}", ["a", "b", "c"]),
        ("{01..10..4}", ["01", "05", "09"]),
        ("{-05..5..5}", ["-05", "000", "005"]),
        ("$x{1,}", ["$x1", "$x"]),
        ("{$,a}x", ["$x", "ax"]),
        ("{}", ["{}"]),
        ("a@{1}", ["a@{1}"]),
        ("{a_b}", ["{a,b}"]),
        ("a}", ["a}"]),
    ],
)
def test_braces_are_expanded_as_bash_does(text: str, words: list[str]) -> None:
    assert expanded(text) == words


@pytest.mark.parametrize(
    "text",
    ["{a,b}{", "{{a,b}", "}{a,b}", "{{_a..c}}", "{{}_a}", "{{a,b}}", "{a..c..x}", "{a..1}", "{1..$}", "{A..z}",
     "{a,b}{c}", "{1..1000}", "{1,2}" * 7],
)  # fmt: skip
def test_what_is_not_certain_is_not_expanded(text: str) -> None:
    assert expanded(text) is None


def test_a_range_may_be_as_large_as_the_number_of_fields() -> None:
    assert len(expanded(f"{{1..{MAX_FIELDS}}}") or []) == MAX_FIELDS
    assert expanded(f"{{0..{MAX_FIELDS}}}") is None
