import pytest

from tools_app.permission.shell.constants import folded


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ('f"git {f"{x}{y}"}"; x="pu"; y="sh"', "'git push'"), ('x="pu"; f"git {x+"sh"}"', "'git push'"),
        ("f'git {f\"{'pu'}sh\"}'", "'git push'"), ('f"{"a"!r:>3}b"', "'  ab'"),
        ('`git ${"pu" + "sh"}`', "'git push'"), ('x="push"; system("git ${x}")', "system('git push')"),
        ('x="push"; "git #{x}"', "'git push'"), ('$x="push"; "git $x"', "'git push'"),
        ('reverse "hsup"', "'push'"), ('scalar reverse("hsup")', "'push'"), ('"hsup".reverse', "'push'"),
        ('strrev("hsup")', "'push'"), ('"hsup"[::-1]', "'push'"), ('"".join(reversed("hsup"))', "'push'"),
        ('"hsup".split("").reverse().join("")', "'push'"), ('[..."hsup"].reverse().join("")', "'push'"),
        ('join "", reverse split //, "hsup"', "'push'"), ('$_="hsup"; system reverse', "system 'push'"),
        ('"".join(list("hsup")[::-1])', "'h','s','u','p'"),
        ('chr(46) + "env"', "'.env'"), ("chr(0x2e)", "'.'"), ("String.fromCharCode(46, 101)", "'.e'"),
        ("bytes([46, 101]).decode()", "'.e'"), ('"".join(chr(c) for c in (46, 101))', "'.e'"),
        ('join("", map {chr} (46, 101))', "'.e'"), ('pack("C*", 46, 101)', "'.e'"), ('[46, 101].pack("c*")', "'.e'"),
        ('".ENV".lower()', "'.env'"), ('lc ".ENV"', "'.env'"), ('tolower(".ENV")', "'.env'"), ('"a ".strip()', "'a'"),
        ('"aXc".replace("X", "b")', "'abc'"), ('str_replace("X", "b", "aXc")', "'abc'"),
        ('"aXc".gsub("X","b")', "'abc'"),
        ('codecs.decode("chfu", "rot13")', "'push'"), ('str_rot13("chfu")', "'push'"),
        ('substr("xpush", 1)', "'push'"), ('substr("xpush", 2)', "'push'"), ('"xpush".slice(1)', "'push'"),
        ('"xpushx"[1:-1]', "'push'"), ('"xpushx".substr(1, 4)', "'push'"),
        ('"abc".charAt(1)', "'b'"), ('"abc"[-1]', "'c'"),
        ('"xpush".removeprefix("x")', "'push'"), ('"pushx".delete_suffix("x")', "'push'"), ('"ab" * 2', "'abab'"),
        ('"%s %s" % ("git", "push")', "'git push'"), ('"{1} {0}".format("push", "git")', "'git push'"),
        ('"{a} b".format(a="x")', "'x b'"), ('sprintf("git %s", "push")', "'git push'"),
        ('["git", "pu"][1] + "sh"', "'push'"), ('{"a": "pu"}["a"] + "sh"', "'push'"),
        ('x = ["git", "push"]; " ".join(x)', "'git push'"), ('["git", "push"].join(" ")', "'git push'"),
        ('implode(" ", ["git", "push"])', "'git push'"), ('"git ".concat("push")', "'git push'"),
        ('a, b = "git", "push"; a + " " + b', "'git push'"), ('my ($a,$b)=("git ","push"); $a.$b', "'git push'"),
        ('p = "."; p += "env"; open(p)', "open('.env')"), ('"git push".split()', "['git','push']"),
        ('"".join(map(chr, [46, 101]))', "'.e'"), ("bytearray((46, 101)).decode()", "'.e'"),
        ("Buffer.from([46, 101]).toString()", "'.e'"), ('Array.from("hsup").reverse().join("")', "'push'"),
        ('"hsup".chars.reverse.join', "'push'"), ('".".join"",qw(e n v)', "'.env'"),
        ('format("git %s", "push")', "'git push'"),
        (r'"\N{FULL STOP}env"', "'.env'"), ("'.e' || 'nv'", "'.env'"),
        ('x = "a"; y = x; x = "b"; y + x', "'ab'"),
        ('open(Path(".env.example").stem)', "open('.env')"), ('Path("prod.txt").with_suffix(".env")', "'prod.env'"),
        ('Path("a/b").with_name(".env")', "'a/.env'"), ('open(splitext(".env.example")[0])', "open('.env')"),
        ('path.basename(".env.example", ".example")', "'.env'"), ('basename("config/.env")', "'.env'"),
        ('p.parse(".env.example").name', "'.env'"),
    ],
)  # fmt: skip
def test_texts_that_a_code_calculates_stand_as_literals(code: str, text: str) -> None:
    assert any(text in each for each in folded(code))


@pytest.mark.parametrize(
    "code", ['open(x + "a")', 'f(y)["a"]', "x = 1", "don't", '["a"][3]', '"abc".charAt(7)', '{"a": "b"}["c"]']
)
def test_what_is_not_known_stays(code: str) -> None:
    assert all(each == code.replace('"', "'") for each in folded(code))


def test_a_name_has_the_value_that_stands_before_it() -> None:
    assert folded('x = "a"; f(x); x = "b"; f(x)') == ("x = 'a'; f('a'); x = 'b'; f('b')",)
    assert folded('x = g(); f(x + "b"); x = "a"') == ("x = g(); f(x+'b'); x = 'a'".replace("x+", "x + "),)


@pytest.mark.parametrize(
    ("code", "text"), [('b16decode("70")', "'p'"), ('b32decode("OB2XG2A=")', "'push'"), ('a85decode("ASuY")', "'env'")]
)
def test_digits_of_other_bases(code: str, text: str) -> None:
    assert folded(code) == (text,)


def test_a_function_with_such_a_name_is_not_calculated() -> None:
    assert folded("bdecode('x')") == ()
