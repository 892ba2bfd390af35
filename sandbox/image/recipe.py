"""The files that the sandbox image is built from, and the tags that are derived from them."""

import hashlib
import io
import platform
import tarfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final

FOLDER: Final = Path(__file__).resolve().parent
RUNNER: Final = FOLDER.parent / "runner"
REPOSITORY: Final = "agentsite-sandbox"
BASE_REPOSITORY: Final = "agentsite-sandbox-base"
CONTEXT: Final = ("Dockerfile", "packages.txt", "become.c", "sign_commit.py", "git.sh", "hook.sh")


def packages() -> list[str]:
    """Return the Debian packages in packages.txt, which every image has."""
    return _names_in("packages.txt")


def service_packages() -> list[str]:
    """Return the Debian packages of the additional ready-made image: Go, Java and servers."""
    return _names_in("services.txt")


def browser_packages() -> list[str]:
    """Return the Debian packages of an image with a browser."""
    return _names_in("browser.txt")


def _names_in(file: str) -> list[str]:
    lines = (FOLDER / file).read_text().splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def context_files(certificates: bytes = b"", further: Sequence[str] = ()) -> Mapping[str, bytes]:
    """Return every file of the Docker build context, by its path there. `certificates` are PEM certificates of
    authorities that the image trusts in addition to those of Debian; `further` are additional Debian packages."""
    files = {"certificates.pem": certificates, "further.txt": "".join(f"{name}\n" for name in further).encode()}
    files |= {name: (FOLDER / name).read_bytes() for name in CONTEXT}
    files |= {f"runner/{path.name}": path.read_bytes() for path in RUNNER.glob("*.py")}
    return dict(sorted(files.items()))


def context_tar(certificates: bytes = b"", further: Sequence[str] = ()) -> bytes:
    """Return the Docker build context as a tar."""
    return tar_of(context_files(certificates, further))


def tar_of(files: Mapping[str, bytes]) -> bytes:
    """Return a tar of files by their paths."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        for name, content in files.items():
            entry = tarfile.TarInfo(name)
            entry.size, entry.mode = len(content), 0o644
            archive.addfile(entry, io.BytesIO(content))
    return buffer.getvalue()


def image_tag(toolsets: Sequence[str], certificates: bytes = b"", further: Sequence[str] = ()) -> str:
    """Return the tag of the image. It changes with every byte of `context_files`, so an image with this tag is up to
    date.

    `toolsets` are the digests of the toolsets in the image.
    """
    files = context_files(certificates, further)
    parts = [part for name, content in files.items() for part in (name.encode(), content)]
    return f"{REPOSITORY}:{digest_of([*parts, *(digest.encode() for digest in toolsets)])}"


def base_tag(further: Sequence[str] = ()) -> str:
    """Return the tag of our own base image. It changes with the list of packages."""
    names = [*packages(), *further]
    return f"{BASE_REPOSITORY}:{digest_of([platform.machine().encode(), *(name.encode() for name in names)])}"


def digest_of(parts: Iterable[bytes]) -> str:
    """Return 16 hex digits of a SHA-256 over the parts. The length of each part is included."""
    digest = hashlib.sha256()
    for part in parts:
        digest.update(len(part).to_bytes(8, "big") + part)
    return digest.hexdigest()[:16]
