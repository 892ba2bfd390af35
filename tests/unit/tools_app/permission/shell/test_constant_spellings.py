"""Strings that code composes with formats, encodings, escapes and functions are calculated."""

import time

import pytest

from tools_app.permission.shell.constants import folded, may_calculate

SECONDS = 1.0
FORMATS = [
    ("f\"{'env':.>4}\"", ".env"), ("f\"{'.envx':.4}\"", ".env"), ('f"{46:c}env"', ".env"), ("f\"{'b':-^3}\"", "-b-"),
    ("x = 'env'; f'{x:.>4}'", ".env"), ("f\"{'a':5.1}\"", "a    "), ("f'{7:03d}'", "007"), ("f'{26:x}'", "1a"),
    ('"{:.>4}".format("env")', ".env"), ('"{0:.3}v".format(".enx")', ".env"), ('format("env", ".>4")', ".env"),
    ('"{b}{a}".format(a="nv", b=".e")', ".env"), ('"{:c}env".format(46)', ".env"), ('"%.4s" % ".env.x"', ".env"),
    ('"%c%s" % (46, "env")', ".env"), ('sprintf("%c%s", 46, "env")', ".env"), ('"%s-%d" % ("a", 5)', "a-5"),
    ('sprintf("%s%c%s", "a", 46, "env")', "a.env"), ('sprintf "%c%s", 46, "env"', ".env"), ('"%4s" % "a"', "   a"),
    ("sprintf('%2$s%1$s', 'nv', '.e')", ".env"), ('sprintf("%-3sb", "a")', "a  b"), ('"%03d" % 7', "007"),
    ('printf("%s%d", "a", 0x10)', "a16"), ('"%x" % 26', "1a"), ('"{1}".format("a")', ""),
    ('util.format("%s%s", ".e", "nv")', ".env"), ('"{x}".format(x=5)', "5"),
]  # fmt: skip
DIGITS = [
    ('(0x2e656e76).to_bytes(4, "big")', ".env"), ('0x766e652e.to_bytes(4, "little")', ".env"),
    ('(778399350).to_bytes(length=4, byteorder="big").decode()', ".env"), ('int("2e656e76", 16).to_bytes(4)', ".env"),
    ('b64decode(b64decode("TG1WdWRnPT0="))', ".env"), ('atob("LmVudg")', ".env"), ('atob("Lm" + "Vudg")', ".env"),
    ('Buffer.from("LmVudg", "base64").toString()', ".env"), ('Buffer.from("2e656e76", "hex")', ".env"),
    ('base64_decode("LmVudg==")', ".env"), ('Base64.decode64("LmVudg")', ".env"), ('decode_base64 "LmVudg"', ".env"),
    ('bytes.fromhex("2e 65 6e 76").decode()', ".env"), ('unhexlify("2e65" + "6e76")', ".env"), ('hex2bin("2e")', "."),
    ('pack("H*", "2e656e76")', ".env"), ('["2e656e76"].pack("H*")', ".env"), ('"LmVudg==".unpack1("m")', ".env"),
    ('chr(hex("2e")) . "env"', ".env"), ('chr(ord(".")) + "env"', ".env"), ('parseInt("2e", 16)', "46"),
    ('b32decode("FZSW45Q=")', ".env"), ('char(46, 101, 110, 118) || ""', ".env"), ('"LmVudg==".unpack("m")[0]', ".env"),
]  # fmt: skip
SPELLINGS = [
    (r'".\LENV\E"', ".env"), (r'"\lP\Uus\Eh"', "pUSh"), (r'"\uab"', "Ab"), (r'x = "ENV"; ".\L${x}\Ex"', ".envx"),
    (r'$x = "ENV"; ".\L$x"', ".env"), (r'"\u\LABC\E."', "Abc."), (r'"\u002eenv"', ".env"), (r'".\Qenv\E"', ".env"),
    ('?. + "env"', ".env"), ("[?., ?e, ?n, ?v].join", ".env"), ("(?p + ?u)", "pu"),
    ('define("A", ".e"); f(A . "nv")', ".env"), ("define('A', '.e'); \"\" . A . \"nv\"", ".env"),
    ('const A = ".e"; f(A . "nv")', ".env"), ('use constant A => ".e"; f(A . "nv")', ".env"),
    ('"ab" x 2', "abab"), ('"ab".repeat(2)', "abab"), ('str_repeat("ab", 2)', "abab"),
    ('glob("{.e,x}nv")', ".env"), ("glob '.e{nv,x}'", ".env"), ('Dir["{.e,x}nv"]', ".env"),
    ("f('') <.e{nv,x}>", ".env"),
    ("lower('.ENV')", ".env"), ("replace('.xnv', 'x', 'e')", ".env"), ('str.lower(".ENV")', ".env"),
    ("'.e' || lower('NV')", ".env"), (r'".env.example".replace(/\.example$/, "")', ".env"),
    (r'"x.env".replace(/^x/, "")', ".env"), (r'".env.example".sub(/\.example\z/, "")', ".env"),
    (r'$x = ".env.example"; $x =~ s/\.example$//; open($x)', "open('.env')"),
    (r're.sub(r"\.example$", "", ".env.example")', ".env"),
    (r"""preg_replace('/\.example$/', '', '.env.example')""", ".env"),
    (r'x = ".env.example"; sub(/\.example$/, "", x); f(x)', "f('.env')"),
    ('"Xenv".translate({88: 46})', ".env"), ('"Xenv".translate({ord("X"): "."})', ".env"),
    ('".exnv".translate({120: None})', ".env"), ('"Xenv".translate(str.maketrans({"X": "."}))', ".env"),
    ('"Xenv".tr("X", ".")', ".env"), ('strtr("Xenv", "X", ".")', ".env"),
    ("exec(\"print(open('.e' + 'nv'))\")", ".env"), ('"env".rjust(4, ".")', ".env"), ('".e".ljust(4, "nv")', ".env"),
    ('"a".center(3, "-")', "-a-"), ('str_pad("env", 4, ".", STR_PAD_LEFT)', ".env"), ('str_pad("a", 3)', "a  "),
    ('$_ = ".fnv"; y/f/e/; f($_)', "f('.env')"), ('$_ = ".fnv"; tr{f}{e}; f($_)', "f('.env')"),
    ('$_ = ".fnv"; s/f/e/; f($_)', "f('.env')"), ('$x = ".dmu"; $x =~ tr/a-y/b-z/; f($x)', "f('.env')"),
    ('$_ = ".xenxv"; tr/x//d; f($_)', "f('.env')"), ('($y = $x) =~ y/f/e/; $x = ".fnv"', "'.env'"),
    ('f(".fnv" =~ s/f/e/r)', "f('.env')"), ('for (".fnv") { y/f/e/; f($_) }', "f('.env')"),
    ('$x = ".fnv"; s/f/e/ for $x; f($x)', "f('.env')"), ('$_ = ".envx"; chop; f($_)', "f('.env')"),
    ('$_ = ".ENV"; f(lc)', "f('.env')"), ('".dmu".tr("a-y", "b-z")', ".env"),
]  # fmt: skip
REPLACEMENTS = [
    ('x = "xx.env"; f(x.replace(/x/g, ""))', "f('.env')"), ('"env".replace("", ".", 1)', ".env"),
    ('"env".replace("", ".", count=1)', ".env"), ('"..env".replace(".", "")', ".env"),
    ('"e.env".replaceAll("e", "")', ".nv"), ('"env".replace("e", ".$&")', ".env"), ('"..env".sub(".", "")', ".env"),
    (r'"..env".replace(/\./, "")', ".env"), (r'"x.xexnv".replace(/x/g, "")', ".env"),
    ('"xxenv".replace(/x+/, ".")', ".env"),
    ('"xenv".replace(/^./, ".")', ".env"), ('"Xenv".replace(/[x-z]/i, ".")', ".env"), ('"env".sub(/^/, ".")', ".env"),
    ('re.sub("x", ".", "xenv.x", 1)', ".env.x"), ('re.sub("x", ".", "xenv", count=1)', ".env"),
    (r'$x = "..env"; $x =~ s/\.//; f($x)', ".env"), (r'$x = "x.xenv"; $x =~ s/x//g; f($x)', ".env"),
    ('$x = ".ENV"; $x =~ tr/A-Z/a-z/; f($x)', ".env"), ('$x = "env"; $x =~ s/^/./; f($x)', ".env"),
    ('preg_replace("#x#", ".", "xenvx", 1)', ".envx"), ('preg_replace("/X/i", ".", "xenv")', ".env"),
    ('x = "..env"; sub(".", "", x); f(x)', "f('.env')"), ('x = "a.aenv"; gsub(/a/, "", x); f(x)', ".env"),
]  # fmt: skip
ADDITIONS = [
    ('[,"env"].join(".")', ".env"), ('[null, "env"].join(".")', ".env"), ('["",,].join(".") + "env"', ".env"),
    ('["", "env"].join "."', ".env"), ('[, "env"].join`.`', ".env"), ('[].join(".") + ".env"', ".env"),
    ('Array(2).join(".") + "env"', ".env"), ('Array(1).fill(".").join("") + "env"', ".env"),
    ('str.join(".", ["", "env"])', ".env"), ('".".concat("e", "nv")', ".env"), ('".".__add__("env")', ".env"),
    ('operator.add(".", "env")', ".env"), ('"env".prepend(".")', ".env"), ('"env".insert(0, ".")', ".env"),
    ('"env".insert(-1, "x")', "envx"), ('substr_replace("xenv", ".", 0, 1)', ".env"),
    ('substr_replace("ax", "b", 1)', "ab"),
    ('textwrap.indent("env", ".")', ".env"), ('"env".rjust(4, ".")', ".env"), ('"env".rjust 4, "."', ".env"),
    ('"a".center(3, "-")', "-a-"), ('"7".zfill(2)', "07"), ('"a".ljust(2)', "a "), ('"env".padStart(4, ".")', ".env"),
    ('str_pad("env", 4, ".", STR_PAD_LEFT)', ".env"), ('str_pad("a", 2, "b")', "ab"),
    (r'sprintf("%\x27.4s", "env")', ".env"), ("sprintf(\"%1$'.4s\", 'env')", ".env"),
    ("sprintf(\"%'.-4s\", 'env')", "env."),
    ('"%.*s" % (4, ".envelope")', ".env"), ('"%(a)snv" % {"a": ".e"}', ".env"), ('"%{a}nv" % {a: ".e"}', ".env"),
    ('vsprintf("%s%s", [".e", "nv"])', ".env"), ('"{a}nv".format(**{"a": ".e"})', ".env"),
    ('"{a}nv".format_map({"a": ".e"})', ".env"),
]  # fmt: skip


@pytest.mark.parametrize(("code", "text"), [*FORMATS, *DIGITS, *SPELLINGS, *REPLACEMENTS, *ADDITIONS])
def test_texts_that_code_calculates(code: str, text: str) -> None:
    assert any(text in each for each in folded(code)), folded(code)


@pytest.mark.parametrize(
    "code",
    ['x ? "a" : "b"', 'atob("é")', 'bytes.fromhex("zz")', 'Buffer.from("a", "utf8")', 'define("a b", "c")',
     're.sub("(a|b)*", "", "ab")', 'preg_replace("a", "", "a")', '"a".replace(/(a)/, "b")',
     'glob("a*")', 'eval("abc")', 'int("zz", 16)', '"a".translate({1.5: 2})'],
)  # fmt: skip
def test_other_code_stays(code: str) -> None:
    assert all(each == code.replace('"', "'") for each in folded(code)), folded(code)


def test_code_without_quotes_calculates_from_numbers() -> None:
    assert all(map(may_calculate, ("[?a, ?b].join", "char(46)", "chr(46)", "(46).to_bytes(1)")))
    assert not any(map(may_calculate, ("print(1)", "a ? b : c", "charge(1)")))


@pytest.mark.parametrize(
    ("before", "repeated", "after"),
    [
        ('"%s" % ', "(1, ", ""), ('"%s" % (', "1,", ""), ('"%s" % (', '"a",', ""), ("format(", "a=", ""),
        ('"a".format(', "a", ""), ('"a".format(a', " ", ""), ("'' (", " ", ".to_bytes("),
        ("''.to_bytes", "1", ".to_bytes("),
        ('"a".replace(/', "-", ""), ('"a".replace(/', r"\.", ""), ("$x =~ s/", "a-", ""), ("'' <", "a", ""),
        ("'' <a{", "a,", ""), ("'' ", "<{", ""), ('"', r"\L", '"'), ('"', r"\L\E", '"'), ('"', r"\l$x", '"'),
        ("'' ", "?", ""), ("'' ", "?a ", ""), ("''?a", " ", ""), ('"a".translate({', "1:1,", ""),
        ("glob('", "{a,", "')"),
        ("glob('", "{a,b}", "')"), ('f"{x:', ">", '}"'), ('f"', "{x:>3}", '"'), ("eval(", '"eval(', ""),
        ("use constant ", "a", ""), ("use constant", " ", ""), ('"%', "1", 's" % "a"'), ('"{:', "1", '}".format("a")'),
        ('"', "{:>99}", '".format("a", "b")'), ("atob('", "Lm", "')"), ('int("', "9", '", 10)'), ("'a' x ", " ", "x"),
        ("''", "a", ""), ("''", "a,", ""), ("''", " ", ""), ("'' lc", " ", ""), ("'' ['a'", " ", ""),
        ("'' sprintf", " ", ""), ("'' [", ",", "].join("), ("'' [", "null,", "]"), ("'' ", "Array(9).join('a')", ""),
        ('"a".replace(/', "[a", ""), ("'' .join", " ", ""), ("'' % {", "a: 1,", ""), ("", "'a'.replace('a', 'aa')", ""),
        ("'", "x", "'.replace(/x+y+/g, '')"), ('"%', "'", 's" % "a"'), ("$x = 'a'; ", "$x =~ s/a/aa/; ", ""),
        ("'a'", ".replace('a', 'aa')", ""), ("'a'", ".rjust(99, 'ab')", ""),
        ("'' $_ y/", "a-", ""), ("'' $_ y{", "a", "}{"), ("'' $_ y{a}", " ", "{"),
        ("'' for", " ", ""), ("'' for $x (", " ", ""), ("'' chop", " ", ""), ("'' $_ lc", " ", ""),
        ("'' (my $y =", " ", ") =~ y/a/b/"), ("'' =~", " ", "y/a/b/"), ("'' y/a/b/", " ", "for"),
        ("'a'.rjust(", " ", "4"), ("str_pad('a'", " ", ","), ("'' $_ ", "y/a/b/", ""), ("'' $_ ", "chop", ""),
    ],
)  # fmt: skip
def test_long_code_takes_little_time(before: str, repeated: str, after: str) -> None:
    began = time.process_time()
    folded(before + repeated * (20_000 // len(repeated)) + after)
    folded(before + repeated * (9_900 // len(repeated)) + after)
    assert time.process_time() - began < SECONDS
