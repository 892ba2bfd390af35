"""Programs that serve the files of a folder read all of them."""

import pytest

from tests.unit.tools_app.permission.shell.support import analyzed


@pytest.mark.parametrize(
    ("command", "folder"),
    [
        ("caddy file-server --listen :8000", "/workspace/."), ("caddy file-server --root=a", "/workspace/a"),
        ("static -p 8000", "/workspace/."), ("npx serve -s dist", "/workspace/dist"), ("httpd -f -h a", "/workspace/a"),
        ("static-web-server --root a -p 80", "/workspace/a"), ("twistd -n web", "/workspace/."),
        ("docsify serve", "/workspace/."), ("http-server", "/workspace/."),
    ],
)  # fmt: skip
def test_the_folder_is_read(command: str, folder: str) -> None:
    assert any(use.path == folder and use.recursive for use in analyzed(command).paths)


@pytest.mark.parametrize("command", ["caddy fmt Caddyfile", "docsify init"])
def test_the_working_directory_is_not(command: str) -> None:
    assert not any(use.path == "/workspace/." and use.recursive for use in analyzed(command).paths)
