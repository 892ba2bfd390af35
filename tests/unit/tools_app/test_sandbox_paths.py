import pytest

from tools_app.sandbox_paths import path_of_copy


@pytest.mark.parametrize(
    ("name", "end"),
    [
        ("table.csv", "table.csv"),
        ("my plan (2).pdf", "my_plan__2_.pdf"),
        ("..", ".."),
        (".env", ".env"),
        ("a/../../b", "a_.._.._b"),
        ("$(rm -r x)", "__rm_-r_x_"),
        ("-rf", "-rf"),
    ],
)
def test_a_copy_lies_beside_what_tools_wrote_under_a_plain_name(name: str, end: str) -> None:
    assert path_of_copy("att_1", name) == f"/home/agent/.tool-output/att_1-{end}"
