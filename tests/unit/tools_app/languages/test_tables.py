import pytest

from tools_app.languages.formatters import FORMATTERS, Formatter
from tools_app.languages.servers import SERVERS, ServerSpec, servers_for


@pytest.mark.parametrize("spec", SERVERS, ids=lambda spec: spec.id)
def test_a_server_is_named_once_and_knows_files_by_their_endings(spec: ServerSpec) -> None:
    assert [each.id for each in SERVERS].count(spec.id) == 1
    assert spec.languages
    assert all(extension.startswith(".") and extension == extension.lower() for extension in spec.languages)
    assert "/" not in spec.argv[0]


@pytest.mark.parametrize("formatter", FORMATTERS, ids=lambda formatter: formatter.name)
def test_a_formatter_is_named_once_and_never_writes_the_file_itself(formatter: Formatter) -> None:
    assert [each.name for each in FORMATTERS].count(formatter.name) == 1
    assert not {"-w", "--write", "-i", "--in-place", "--fix"} & set(formatter.argv)
    assert all(extension.startswith(".") and extension == extension.lower() for extension in formatter.extensions)


def test_the_first_server_for_python_and_for_typescript_is_the_one_of_the_image() -> None:
    assert next(iter(servers_for("/workspace/a.py"))).id == "pyright"
    assert next(iter(servers_for("/workspace/a.TSX"))).id == "typescript"
    assert not list(servers_for("/workspace/Makefile"))
