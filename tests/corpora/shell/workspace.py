"""The small project in which the commands of the corpora are judged: files, secrets, and links that lead elsewhere."""

import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Final

FILES: Final[Mapping[str, str]] = {
    "README.md": "# Demo\n\nfoo and bar\n",
    "notes.md": "TODO: nothing\n",
    "notes.py": "x = 1\n",
    "package.json": '{"name": "demo", "version": "1.0.0", "scripts": {"test": "true"}, "dependencies": {"a": "1"}}\n',
    "pyproject.toml": '[project]\nname = "demo"\n',
    "Makefile": "all test build:\n\t@echo made\n",
    "data.json": '[{"a": 1, "b": 2}]\n',
    "data.csv": "name,count\na,1\nb,2\n",
    "words.txt": "one\ntwo\nthree\n",
    "files.txt": "README.md\nsrc/app.py\n",
    "a.c": "int main(void) { return 0; }\n",
    "fix.patch": "",
    "src/app.py": "import os\n\n\ndef main():\n    return foo\n",
    "src/main.ts": "export const foo = 1;\n",
    "src/main.js": "const foo = 1;\n",
    "tests/test_app.py": "def test_add():\n    assert 1\n",
    ".env": "KEY=secret\n",
    ".env.example": "KEY=\n",
    ".gitignore": ".env\n",
    "config/prod.env": "KEY=secret\n",
    "config/app.toml": "a = 1\n",
    "keys/server.pem": "secret\n",
    "id_rsa": "secret\n",
    "prod.env.1": "KEY=secret\n",
    "deep/note.txt": "deep\n",
    "internal/token.txt": "secret\n",
    "ledger/tea.csv": "1\n",
}
LINKS: Final[Mapping[str, str]] = {
    "out": "/etc",
    "up": "..",
    "root": "/",
    "home": "/home/agent",
    "hosts": "/etc/hosts",
    "secret": ".env",
    "self": ".",
    "hidden": ".git/hooks",
    "deep/out": "/etc",
}
HOME_FILES: Final[Mapping[str, str]] = {".bashrc": "# home\n", ".ssh/id_rsa": "secret\n"}

_GIT: Final = ("git", "-c", "user.name=a", "-c", "user.email=a@b", "-c", "init.defaultBranch=main")


def make(files: Path) -> None:
    """Fill an empty directory with a repository of two commits, a remote, one uncommitted change, and links."""
    _write(files, FILES)
    for name, target in LINKS.items():
        (files / name).symlink_to(target)
    for command in (
        ["init", "-q", "--template="],
        ["add", "-A"],
        ["commit", "-qm", "one"],
        ["remote", "add", "origin", "https://git.example/demo.git"],
        *(["update-ref", f"refs/remotes/origin/{name}", "HEAD"] for name in ("main", "dev")),
    ):
        subprocess.run([*_GIT, *command], cwd=files, check=True, capture_output=True)
    (files / ".git" / "hooks").mkdir()
    (files / "README.md").write_text("# Demo\n\nfoo, bar and more\n")
    subprocess.run([*_GIT, "commit", "-qam", "two"], cwd=files, check=True, capture_output=True)
    (files / "notes.md").write_text("TODO: something\n")


def make_home(home: Path) -> None:
    _write(home, HOME_FILES)


def _write(folder: Path, files: Mapping[str, str]) -> None:
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
