"""`manage.py reseal_secrets`: after a new pair of keys was put in front, seals everything for it."""

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from agentsite.tenancy.actions.resealing import reseal_secrets


class Command(BaseCommand):
    help = "Seal every kept secret for the newest key. Then the older private keys can be dropped."

    def handle(self, *_args: Any, **_options: Any) -> None:
        if not settings.SEALING_PRIVATE_KEYS:
            raise CommandError("This command needs SEALING_PRIVATE_KEYS, the newest first.")
        report = reseal_secrets()
        self.stdout.write(f"{report.resealed} sealed anew, {report.newest} were sealed for the newest key already.")
        for place in report.lost:
            self.stdout.write(f"{place} was sealed for a key that is not there; it must be set anew.")
        if report.lost:
            raise CommandError("Not everything could be read.")
