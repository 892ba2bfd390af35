"""The pair of keys with which a site on one machine seals its secrets, made with its first start."""

from pathlib import Path
from typing import Final

FILE: Final = "sealing-keys"


def sealing_keys(state: Path) -> dict[str, str]:
    """The settings of the pair that lies in the state directory. Without the file, what was sealed is lost."""
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
