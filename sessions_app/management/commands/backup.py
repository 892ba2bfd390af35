from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from sessions_app.backup.create import make_backup
from sessions_app.backup.problems import BackupProblem


class Command(BaseCommand):
    help = "Back up the whole site into a folder. The site can keep running. Updates an existing backup in the folder."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("folder", type=Path)
        parser.add_argument(
            "--without-keys", action="store_true", help="leave out the keys that decrypt the site's secrets"
        )

    def handle(self, *_args: Any, folder: Path, without_keys: bool, **_options: Any) -> None:
        try:
            manifest = make_backup(folder.resolve(), with_keys=not without_keys)
        except (BackupProblem, OSError) as error:
            raise CommandError(str(error)) from error
        size = sum(file.size for file in manifest.files.values())
        self.stdout.write(f"{folder}: {len(manifest.files)} files, {size / 1e6:.1f} MB")
        for name in manifest.elsewhere:
            self.stdout.write(
                f"Not included: {name}, which are stored in a bucket. Back up the bucket with its provider's tools."
            )
        self.stdout.write(
            "SECRET_KEY and the other settings are not included. Keep them and this folder in a safe place."
        )
