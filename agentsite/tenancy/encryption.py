"""Encryption of stored secrets such as provider keys: every process can encrypt, only the agent worker and management
commands can decrypt.

Encrypted texts are stored in columns of the type `SealedField` (`agentsite.tenancy.base`).
"""

from typing import Final

from agentsite.tenancy.key_pairs import CannotUnseal, KeyPair, make_pair, public_of

__all__ = ["SECRETS", "CannotUnseal", "make_pair", "public_of", "seal", "unseal"]

SECRETS: Final = KeyPair("SEALING_PUBLIC_KEY", "SEALING_PRIVATE_KEYS")
seal: Final = SECRETS.seal
unseal: Final = SECRETS.unseal
