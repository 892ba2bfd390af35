"""Encryption of secret variables: every process can encrypt, only the sandbox worker and management commands can
decrypt.

The sandbox worker gives variables to commands but must not be able to decrypt provider keys, so variables are encrypted
with a key pair of their own.
"""

from typing import Final

from agentsite.tenancy.key_pairs import KeyPair

VARIABLES: Final = KeyPair("VARIABLES_PUBLIC_KEY", "VARIABLES_PRIVATE_KEYS")
