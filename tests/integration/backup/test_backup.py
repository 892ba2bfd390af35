"""A site is backed up and restored on SQLite and PostgreSQL; a backup that cannot be restored is refused before any
write."""

import fcntl
import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest

from sessions_app.backup import databases
from sessions_app.backup.problems import BackupProblem
from sessions_app.backup.restore import restore_backup
from tests.integration.backup.conftest import FILL, LOOK, Place
from tests.support.postgres import postgres_programs, start_postgres

CAME_BACK: Final = {
    "people": 3,
    "titles": ["Tea ☕"],
    "attached": ["tea"],
    "archive": "files",
    "left_over": False,
    "workspace": ["lost", "", False, 1],
    "nodes": 0,
    "signed_in": 0,
    "told": ["site.backed_up", "site.restored"],
}


def fill(place: Place) -> None:
    place.prepare(FILL)


def seen(place: Place) -> Any:
    return json.loads(place.manage("shell", "-v", "0", "-c", LOOK).splitlines()[-1])


@pytest.fixture(scope="module")
def backup(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a backup of a filled site. Tests that change the backup copy it first."""
    folder = tmp_path_factory.mktemp("made")
    place = Place(folder / "site")
    fill(place)
    place.manage("backup", str(folder / "backup"))
    return folder / "backup"


def test_everything_that_rows_own_comes_back_and_is_not_overwritten(backup: Path, tmp_path: Path) -> None:
    place = Place(tmp_path / "site")
    place.manage("restore", str(backup))
    assert seen(place) == CAME_BACK
    assert "There is a site here already" in place.manage("restore", str(backup), expect=1)


@pytest.mark.full
def test_the_keys_come_along_unless_they_are_left_out(tmp_path: Path) -> None:
    place = Place(tmp_path / "site")
    place.prepare()
    keys = place.state / "keys" / "sealing-keys"
    keys.parent.mkdir(exist_ok=True)
    keys.write_text("a key\n")
    place.manage("backup", str(tmp_path / "with"))
    place.manage("backup", "--without-keys", str(tmp_path / "without"))
    assert (tmp_path / "with/keys/sealing-keys").read_text() == "a key\n"
    assert not (tmp_path / "without/keys").exists()

    other = Place(tmp_path / "other")
    other.manage("restore", str(tmp_path / "with"))
    restored = other.state / "keys" / "sealing-keys"
    assert (restored.read_text(), restored.stat().st_mode & 0o777) == ("a key\n", 0o600)


@pytest.mark.full
def test_a_second_backup_into_the_same_folder_copies_only_what_is_new(tmp_path: Path) -> None:
    place, folder = Place(tmp_path / "site"), tmp_path / "backup"
    fill(place)
    place.manage("backup", str(folder))
    (before,) = [path for path in (folder / "archives").rglob("*") if path.is_file()]
    inode = before.stat().st_ino
    place.manage("shell", "-c", "from sessions_app.models import Attachment; Attachment.objects.all().delete()")
    place.manage("backup", str(folder))
    assert before.stat().st_ino == inode
    assert [path for path in (folder / "attachments").rglob("*") if path.is_file()] == []


def test_only_the_owner_may_read_a_backup(backup: Path) -> None:
    assert backup.stat().st_mode & 0o077 == 0
    assert (backup / "database.sqlite3").stat().st_mode & 0o077 == 0


def test_a_site_that_runs_is_not_overwritten(backup: Path, tmp_path: Path) -> None:
    place = Place(tmp_path / "site")
    lock = place.state / "run" / "site.lock"
    lock.parent.mkdir(parents=True)
    with lock.open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        assert "Stop it first" in place.manage("restore", str(backup), expect=1)


def _cut_database(folder: Path) -> None:
    with (folder / "database.sqlite3").open("r+b") as file:
        file.truncate(4096)


def _remove_archive(folder: Path) -> None:
    next(path for path in (folder / "archives").rglob("*") if path.is_file()).unlink()


def _change_manifest(**changes: Any) -> Callable[[Path], None]:
    def change(folder: Path) -> None:
        path = folder / "manifest.json"
        path.write_text(json.dumps(json.loads(path.read_text()) | changes))

    return change


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        (_cut_database, "missing or was changed"),
        (_remove_archive, "missing or was changed"),
        (lambda folder: (folder / "manifest.json").unlink(), "no complete backup"),
        (lambda folder: (folder / "manifest.json").write_text("{"), "is damaged"),
        (_change_manifest(format=2), "format 2"),
        (_change_manifest(migrations=["sessions_app.9999_later"]), "of a newer version"),
        (_change_manifest(database="database.dump"), "database does not read"),
    ],
    ids=["database", "archive", "manifest", "json", "format", "newer", "kind"],
)
def test_what_is_not_whole_is_refused_and_nothing_is_written(
    damage: Callable[[Path], object], words: str, backup: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "backup"
    shutil.copytree(backup, folder)
    damage(folder)
    monkeypatch.setattr(databases, "NAMES", dict.fromkeys(databases.NAMES, "database.sqlite3"))
    monkeypatch.setattr(databases, "load", lambda _: pytest.fail("the database was touched"))
    with pytest.raises(BackupProblem, match=words):
        restore_backup(folder)


@pytest.mark.postgres
@pytest.mark.full
def test_a_site_on_postgresql_comes_back_too(tmp_path: Path) -> None:
    path = f"{postgres_programs()}:{os.environ['PATH']}"
    first, second = (Place(tmp_path / name, start_postgres(), path) for name in ("one", "two"))
    fill(first)
    first.manage("backup", str(tmp_path / "backup"))
    second.manage("restore", str(tmp_path / "backup"))
    assert seen(second) == CAME_BACK
