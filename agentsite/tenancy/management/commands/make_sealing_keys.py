"""`manage.py make_sealing_keys`: prints a new pair of keys, as settings."""

from typing import Any

from django.core.management.base import BaseCommand

from agentsite.tenancy.encryption import make_pair


class Command(BaseCommand):
    help = "Print a new pair of keys to seal secrets with. To rotate, put the old private keys behind the new one."

    def handle(self, *_args: Any, **_options: Any) -> None:
        private, public = make_pair()
        self.stdout.write(f"SEALING_PUBLIC_KEY={public}")
        self.stdout.write(f"SEALING_PRIVATE_KEYS={private}")
