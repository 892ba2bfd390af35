import pytest

from tools_app.permission.shell.literals import joined, with_options, with_values


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("open('.' + 'env')", ".env"), ('open(".e" "nv")', ".env"), ('f = ".e" . "nv"', ".env"),
        ("open('.%s' % 'env')", "'.env'"),
        ("open('.{}'.format('env'))", "'.env'"), ("'.'.join(['', 'env'])", ".env"),
        ("' '.join(('git', 'push'))", "git push"),
        ('os.path.join("config", "prod.env")', "config/prod.env"), ('(P("config") / "prod.env")', "config/prod.env"),
        ("path.join(`a`, `b`, `c`)", "a/b/c"),
    ],
)  # fmt: skip
def test_literals_that_make_one_text(code: str, text: str) -> None:
    assert text in list(joined(code))


def test_literals_that_are_apart_stay_so() -> None:
    assert list(joined("a('x'); b('y') - c('z')")) == []


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ('x="push";system("git ${x}")', 'system("git push")'),
        ('x = "push"\nsystem(f"git {x}")', 'system(f"git push")'),
        ('x="push"\nsystem("git "+x)', "system(\"git \"+'push')"),
        ('x="push"\nsystem("git %s" % x)', "system('git push')"),
        ("-v c=push 'BEGIN{system(\"git \" c)}'", "-v c=push 'BEGIN{system(\"git \" 'push')}'"),
    ],
)  # fmt: skip
def test_names_are_replaced_by_the_literals_that_they_stand_for(code: str, text: str) -> None:
    assert text in list(with_values(code))


def test_names_of_functions_and_unknown_names_stay() -> None:
    assert list(with_values("x=1\nprint(y)\nx(2)")) == []


def test_options_for_globs_change_what_a_text_means() -> None:
    assert list(with_options("shopt -s extglob\ncat .@(env|x)")) == [
        "shopt -s extglob\ncat .env",
        "shopt -s extglob\ncat .*",
    ]
    assert list(with_options("shopt -s nocaseglob; cat .ENV*")) == ["shopt -s nocaseglob; cat .env*"]
    assert list(with_options("cat .ENV*")) == []
