import pytest

from tools_app.permission.shell.rehearsal.unbraced import unbraced


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("{git,push}", "git push"), ("{g'i't,pu\"sh\"} x", "g'i't pu\"sh\" x"),
        ("f(){ {git,$x}; }; f", "f(){ git $x; }; f"),
        ("cat .{'en',}v|wc", "cat .'en'v .v|wc"), ("cat {a..c}", "cat a b c"), ('x "$(cat {a,b})"', 'x "$(cat a b)"'),
        ("`{git,push}`", "`git push`"), ("git pu{s\\h,}", "git pus\\h pu"),
    ],
)  # fmt: skip
def test_braces_are_expanded_with_what_is_quoted_inside(text: str, plain: str) -> None:
    assert unbraced(text) == plain


@pytest.mark.parametrize("text", ["f() { git; }", "a ${x,} b", "'{a,b}'", '"{a,b}"', "\\{a,b}", "find {} ,", "{a{b,c}"])
def test_other_braces_stay(text: str) -> None:
    assert unbraced(text) == text
