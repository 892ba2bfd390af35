"""The key pair with which a site on one machine encrypts its secrets. It is created at the first start."""

from pathlib import Path
from typing import Final

FILE: Final = "sealing-keys"  # private keys, the newest first


def sealing_keys(state: Path) -> dict[str, str]:
    """Return the settings with the key pair in the state directory, creating it if needed.

    If the file is lost, encrypted secrets cannot be decrypted any more.
    """
    from nacl.encoding import URLSafeBase64Encoder
    from nacl.public import PrivateKey

    file = state / "keys" / FILE
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    if not file.exists():
        fresh = PrivateKey.generate().encode(URLSafeBase64Encoder).decode()
        file.touch(mode=0o600)
        file.write_text(f"{fresh}\n")
    private_keys = file.read_text().split()
    newest = PrivateKey(private_keys[0].encode(), URLSafeBase64Encoder)
    return {
        "SEALING_PUBLIC_KEY": newest.public_key.encode(URLSafeBase64Encoder).decode(),
        "SEALING_PRIVATE_KEYS": ",".join(private_keys),
    }
