import pytest

from sandbox.runner.errors import Refusal
from sandbox.runner.globs import compile_glob


@pytest.mark.parametrize(
    ("pattern", "matches", "others"),
    [
        ("*.py", ["a.py", "x/y/a.py"], ["a.pyc", "py"]),
        ("src/*.py", ["src/a.py"], ["src/x/a.py", "a.py", "y/src/a.py"]),
        ("/*.py", ["a.py"], ["x/a.py"]),
        ("./a.py", ["a.py"], ["b.py"]),
        ("**/a", ["a", "x/a", "x/y/a"], ["ba", "a/b"]),
        ("src/**", ["src/a", "src/x/a"], ["srcs/a"]),
        ("a/**/b", ["a/b", "a/x/y/b"], ["ab", "a/xb"]),
        ("*.{ts,tsx}", ["a.ts", "x/a.tsx"], ["a.t", "a.ts,tsx"]),
        ("{a,b{c,d}}", ["a", "bc", "bd"], ["b", "abc"]),
        ("[a-c]?", ["ax", "cx"], ["dx", "a", "a/"]),
        ("[!a]x", ["bx"], ["ax", "/x"]),
        ("a\\*b", ["a*b"], ["axb"]),
        ("a.b", ["a.b"], ["axb"]),
        ("a\nb", ["a\nb"], ["a b"]),
    ],
)
def test_a_glob_matches(pattern: str, matches: list[str], others: list[str]) -> None:
    compiled = compile_glob(pattern)

    assert [name for name in matches if not compiled.fullmatch(name)] == []
    assert [name for name in others if compiled.fullmatch(name)] == []


@pytest.mark.parametrize("pattern", ["{a", "[z-a]", "x" * 2000])
def test_what_is_not_a_glob_is_refused(pattern: str) -> None:
    with pytest.raises(Refusal):
        compile_glob(pattern)
