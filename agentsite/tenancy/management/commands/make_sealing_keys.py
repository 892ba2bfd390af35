"""Print a new key pair for the encryption of stored secrets, as settings."""

from typing import Any

from django.core.management.base import BaseCommand

from agentsite.tenancy.encryption import make_pair


class Command(BaseCommand):
    help = "Print a new key pair for the encryption of stored secrets. To rotate keys, append the old private keys."

    def handle(self, *_args: Any, **_options: Any) -> None:
        private, public = make_pair()
        self.stdout.write(f"SEALING_PUBLIC_KEY={public}")
        self.stdout.write(f"SEALING_PRIVATE_KEYS={private}")
