import pytest

from tools_app.front_matter import LONGEST, BadFrontMatter, read_front_matter


@pytest.mark.parametrize(
    ("text", "fields", "rest"),
    [
        ("---\nname: a\ndescription: b\n---\nBody\n", {"name": "a", "description": "b"}, "Body\n"),
        ("\ufeff---\r\nname: a\r\n---\r\nBody", {"name": "a"}, "Body"),
        ("---\n---\nBody", {}, "Body"),
        ("Body\n---\nname: a\n---", {}, "Body\n---\nname: a\n---"),
        ("---\nname: a", {}, "---\nname: a"),
        ("---\ndescription: Use it for: this, it's good\n---\n", {"description": "Use it for: this, it's good"}, ""),
        ("---\na: &x [1]\nb: *x\n---\n", {"a": "&x [1]", "b": "*x"}, ""),
        ("---\na: !!python/name:os.system\n---\n", {"a": "!!python/name:os.system"}, ""),
        ("---\ndescription: |\n  two\n  lines\n---\n", {"description": "two\nlines"}, ""),
    ],
)
def test_fields_stand_between_two_lines_at_the_beginning(text: str, fields: dict[str, str], rest: str) -> None:
    assert read_front_matter(text) == (fields, rest)


@pytest.mark.parametrize(
    "fields",
    [
        "- a list",
        "just words",
        "a: [",
        "a: " + "[" * 5_000,
        f"a: {'x' * LONGEST}",
    ],
)
def test_what_is_no_plain_list_of_names_and_values_is_refused_with_a_reason(fields: str) -> None:
    with pytest.raises(BadFrontMatter):
        read_front_matter(f"---\n{fields}\n---\nBody")
