import pytest

from tools_app.front_matter import MAX_CHARACTERS, BadFrontMatter, read_front_matter


@pytest.mark.parametrize(
    ("text", "fields", "rest"),
    [
        ("---\nname: a\ndescription: b\n---\nBody\n", {"name": "a", "description": "b"}, "Body\n"),
        ("\ufeff---\r\nname: a\r\n---\r\nBody", {"name": "a"}, "Body"),
        ("---\n---\nBody", {}, "Body"),
        ("Body\n---\nname: a\n---", {}, "Body\n---\nname: a\n---"),
        ("---\nname: a", {}, "---\nname: a"),
        ("---\ndescription: Use it for: this, it's good\n---\n", {"description": "Use it for: this, it's good"}, ""),
        ("---\ndescription: Ends with:\r\nn: 7\r\n---\n", {"description": "Ends with:", "n": 7}, ""),
        ("---\ndescription: @it and `that`\n---\n", {"description": "@it and `that`"}, ""),
        (
            "---\ntext: a: b\nsteps: 7\nhidden: true\nrules:\n  a: deny\n---\n",
            {"text": "a: b", "steps": 7, "hidden": True, "rules": {"a": "deny"}},
            "",
        ),
        ("\ufeffBody", {}, "Body"),
        ("---\ndescription: |\n  two\n  lines\n---\n", {"description": "two\nlines"}, ""),
    ],
)
def test_fields_stand_between_two_lines_at_the_beginning(text: str, fields: dict[str, object], rest: str) -> None:
    assert read_front_matter(text) == (fields, rest)


@pytest.mark.parametrize(
    "fields",
    [
        "- a list",
        "just words",
        "a: [",
        "a: &x [1]\nb: *x",
        "a: !!python/name:os.system",
        "text: a: b\nb: &x [1]\nc: *x",
        "a: " + "[" * 5_000,
        f"a: {'x' * MAX_CHARACTERS}",
        "a: !!bool x",
        'a: !!int ""',
        "a: !!timestamp x",
        f"a: 1{':1' * 8_000}.5",
    ],
)
def test_what_is_no_plain_list_of_names_and_values_is_refused_with_a_reason(fields: str) -> None:
    with pytest.raises(BadFrontMatter):
        read_front_matter(f"---\n{fields}\n---\nBody")


def test_a_caller_that_bounds_the_text_itself_may_allow_longer_fields() -> None:
    text = f"---\na: {'x' * MAX_CHARACTERS}\n---\n"
    fields, _ = read_front_matter(text, max_characters=len(text))
    assert len(fields["a"]) == MAX_CHARACTERS
