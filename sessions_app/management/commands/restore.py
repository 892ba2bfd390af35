from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from sessions_app.backup.problems import BackupProblem
from sessions_app.backup.restore import restore_backup


class Command(BaseCommand):
    help = "Restore a site from a folder that `backup` wrote, into an empty database and state directory."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("folder", type=Path)

    def handle(self, *_args: Any, folder: Path, **_options: Any) -> None:
        try:
            manifest = restore_backup(folder.resolve())
        except (BackupProblem, OSError) as error:
            raise CommandError(str(error)) from error
        self.stdout.write(f"Restored the site of {manifest.made_at}. Start it with its previous settings.")
        self.stdout.write(
            "Everybody has to sign in again. API tokens revoked after the backup are valid again: revoke them."
        )
