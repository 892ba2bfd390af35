"""Encryption of secrets that the door adds to requests: every process can encrypt, only the door and management
commands can decrypt.

These secrets must never enter a workspace, so the sandbox worker must not be able to decrypt them. Encrypted texts are
stored in columns of the type `SealedDoorField` (`agentsite.tenancy.base`).
"""

from typing import Final

from agentsite.tenancy.key_pairs import KeyPair

DOOR: Final = KeyPair("DOOR_PUBLIC_KEY", "DOOR_PRIVATE_KEYS")
