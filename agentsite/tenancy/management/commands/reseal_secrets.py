"""`manage.py reseal_secrets`: after a new key was put in front, seals everything for it."""

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from agentsite.tenancy.accounts.mfa_reencryption import reseal_factors
from agentsite.tenancy.actions.reencryption import Resealed, reseal_cuts, reseal_secrets


class Command(BaseCommand):
    help = "Seal every kept secret and second factor for the newest keys. Then the older keys can be dropped."

    def handle(self, *_args: Any, **_options: Any) -> None:
        if not settings.SEALING_PRIVATE_KEYS:
            raise CommandError("This command needs SEALING_PRIVATE_KEYS, the newest first.")
        reports = {
            "secrets (SEALING_PRIVATE_KEYS)": reseal_secrets(),
            "second factors (SECRET_KEY)": reseal_factors(),
            "cuts of audit logs (SECRET_KEY)": reseal_cuts(),
        }
        for what, report in reports.items():
            self._tell(what, report)
        if any(report.lost for report in reports.values()):
            raise CommandError("Not everything could be read.")

    def _tell(self, what: str, report: Resealed) -> None:
        told = f"{report.resealed} sealed anew, {report.newest} were sealed for the newest key already."
        self.stdout.write(f"{what}: {told}")
        for place in report.lost:
            self.stdout.write(f"{place} was sealed with a key that is not there.")
