"""Encrypt all stored secrets again with the newest key, after it was added before the old keys in the settings."""

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from agentsite.tenancy.accounts.mfa_reencryption import reseal_factors
from agentsite.tenancy.actions.reencryption import ReencryptionReport, reseal_cuts, reseal_secrets


class Command(BaseCommand):
    help = "Encrypt all stored secrets again with the newest keys. Afterwards, older keys can be removed."

    def handle(self, *_args: Any, **_options: Any) -> None:
        if not settings.SEALING_PRIVATE_KEYS:
            raise CommandError("SEALING_PRIVATE_KEYS is not set. List the private keys in it, the newest first.")
        reports = {
            "secrets (SEALING_PRIVATE_KEYS)": reseal_secrets(),
            "MFA secrets (SECRET_KEY)": reseal_factors(),
            "signatures of deleted audit log entries (SECRET_KEY)": reseal_cuts(),
        }
        for what, report in reports.items():
            self._print(what, report)
        if any(report.lost for report in reports.values()):
            raise CommandError(
                "Some values could not be decrypted. Add the key that they were encrypted with, and run this again."
            )

    def _print(self, what: str, report: ReencryptionReport) -> None:

        self.stdout.write(f"{what}: {report.resealed} encrypted again, {report.newest} already used the newest key.")
        for name in report.lost:
            self.stdout.write(f"{name}: no configured key can decrypt this value.")
