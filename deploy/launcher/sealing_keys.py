"""The key pairs with which a site on one machine encrypts its secrets. They are created at the first start."""

from pathlib import Path
from typing import Final

FILES: Final = {"SEALING": "sealing-keys", "VARIABLES": "variable-keys", "DOOR": "door-keys"}
"""The file of each pair with its private keys, the newest first."""


def sealing_keys(state: Path, pair: str) -> dict[str, str]:
    """Return the settings that contain the key pair named `pair` (a key of `FILES`).

    The private key is in a file of the state directory, and is created if needed. If the file is lost, encrypted
    secrets can no longer be decrypted.
    """
    from nacl.encoding import URLSafeBase64Encoder
    from nacl.public import PrivateKey

    file = state / "keys" / FILES[pair]
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    if not file.exists():
        fresh = PrivateKey.generate().encode(URLSafeBase64Encoder).decode()
        file.touch(mode=0o600)
        file.write_text(f"{fresh}\n")
    private_keys = file.read_text().split()
    newest = PrivateKey(private_keys[0].encode(), URLSafeBase64Encoder)
    return {
        f"{pair}_PUBLIC_KEY": newest.public_key.encode(URLSafeBase64Encoder).decode(),
        f"{pair}_PRIVATE_KEYS": ",".join(private_keys),
    }
