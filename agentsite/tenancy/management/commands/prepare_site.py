"""Migrate the database and, in demo mode, seed the demo team. The launcher runs this if the site may have changed."""

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
