"""Print new key pairs for the encryption of stored secrets, as lines for the site's environment."""

from typing import Any

from django.core.management.base import BaseCommand

from agentsite.tenancy.door_encryption import DOOR
from agentsite.tenancy.encryption import SECRETS, make_pair
from agentsite.tenancy.variable_encryption import VARIABLES


class Command(BaseCommand):
    help = "Print new key pairs for the encryption of stored secrets. To rotate keys, append the old private keys."

    def handle(self, *_args: Any, **_options: Any) -> None:
        for pair in (SECRETS, VARIABLES, DOOR):
            private, public = make_pair()
            self.stdout.write(f"{pair.public_setting}={public}")
            self.stdout.write(f"{pair.private_setting}={private}")
