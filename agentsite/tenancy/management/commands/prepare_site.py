"""`manage.py prepare_site`: migrates, and seeds the demo team in demo mode. The launcher runs it when it may matter."""

from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand


class Command(BaseCommand):
    help = "Migrate the database; in demo mode, seed the demo team."

    def handle(self, *_args: Any, **_options: Any) -> None:
        call_command("migrate", interactive=False, verbosity=1, stdout=self.stderr)
        if settings.DEMO_MODE:
            call_command("seed_demo", stdout=self.stderr)
