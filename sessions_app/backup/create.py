"""Create a backup, whether the site runs or not."""

from pathlib import Path

from django.conf import settings
from django.utils import timezone

from agentsite import VERSION
from agentsite.tenancy import audit
from sessions_app.backup import databases, files
from sessions_app.backup.manifest import NAME, Manifest, describe


def make_backup(folder: Path, *, with_keys: bool = True) -> Manifest:
    """Write a backup to a new folder, or update an older backup and reuse its large files.

    Files are copied before and after the database, so that every file a copied row refers to is included.
    """
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    folder.chmod(0o700)
    (folder / NAME).unlink(missing_ok=True)
    audit.record(team_id=None, actor=None, action="site.backed_up", data={"keys": with_keys})
    near = [shelf for shelf in files.file_storages() if shelf.is_local]
    for shelf in near:
        files.copy_out(shelf, folder)
    copied = [databases.dump(folder)]
    for shelf in near:
        copied += files.copy_out(shelf, folder)
    if with_keys:
        copied += files.copy_keys(settings.STATE_DIR / files.KEYS, folder / files.KEYS)
    manifest = Manifest(
        version=VERSION,
        made_at=timezone.now().isoformat(),
        database=databases.file_name(),
        migrations=databases.applied_migrations(),
        files={str(path.relative_to(folder)): describe(path) for path in copied},
        elsewhere=[shelf.name for shelf in files.file_storages() if not shelf.is_local],
    )
    manifest.write(folder)
    return manifest
