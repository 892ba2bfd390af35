import pytest

from tools_app.filekinds import attached_type, is_binary
from tools_app.secret_paths import is_secret


@pytest.mark.parametrize(
    ("path", "content", "expected"),
    [
        ("a.py", b"print()\n", False),
        ("a.py", b"", False),
        ("a.log", b"\x1b[31mred\x1b[0m\r\n\tx", False),
        ("a.py", b"a\0", True),
        ("a.py", b"x" * 5000 + b"\0", False),
        ("a.py", b"\x01" * 31 + b"x" * 69, True),
        ("a.py", b"\x01" * 30 + b"x" * 70, False),
        ("a.ZIP", b"text", True),
        ("src/zip", b"text", False),
        (".so", b"text", True),
    ],
)
def test_binary(path: str, content: bytes, *, expected: bool) -> None:
    assert is_binary(path, content) is expected


def test_pictures_and_documents_are_attached() -> None:
    assert attached_type("a/b.PNG") == "image/png"
    assert attached_type("b.pdf") == "application/pdf"
    assert attached_type("b.svg") is None


def test_secrets_are_known_by_their_names() -> None:
    assert [path for path in (".env", "a/.env.local", "x.pem", "id_rsa", ".git/config") if not is_secret(path)] == []
    assert [path for path in (".env.example", "id_rsa.pub", "environment.py", "config") if is_secret(path)] == []
