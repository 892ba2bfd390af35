"""The manifest of a backup: version, time, migrations, and the size and SHA-256 of every file."""

import hashlib
import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Final, Self

from sessions_app.backup.problems import BackupProblem

NAME: Final = "manifest.json"
FORMAT: Final = 1
CHUNK_BYTES: Final = 1 << 20


@dataclass(frozen=True, slots=True)
class CopiedFile:
    size: int
    sha256: str


@dataclass(slots=True)
class Manifest:
    """The contents of a manifest. `migrations` are the applied migrations as "app.name"; `elsewhere` names storages in
    buckets, which are not included in the backup."""

    version: str
    made_at: str
    database: str
    migrations: list[str]
    files: dict[str, CopiedFile] = field(default_factory=dict)
    elsewhere: list[str] = field(default_factory=list)
    format: int = FORMAT

    def write(self, folder: Path) -> None:
        """Write the manifest. It must be the last file that is written: a folder without a manifest is not a complete
        backup."""
        temporary = folder / f"{NAME}.new"
        temporary.write_text(json.dumps(asdict(self), indent=1, sort_keys=True) + "\n", encoding="utf-8")
        temporary.replace(folder / NAME)

    @classmethod
    def read(cls, folder: Path) -> Self:
        try:
            content = json.loads((folder / NAME).read_text(encoding="utf-8"))
            files = {name: CopiedFile(**facts) for name, facts in content.pop("files").items()}
            manifest = cls(**content, files=files)
        except FileNotFoundError as error:
            raise BackupProblem(f"There is no complete backup in {folder}: {NAME} is missing.") from error
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise BackupProblem(f"{folder / NAME} is damaged: {error}.") from error
        if manifest.format != FORMAT:
            raise BackupProblem(f"This backup has format {manifest.format}; this version reads {FORMAT}.")
        return manifest

    def check(self, folder: Path) -> None:
        """Raise BackupProblem unless every file exists and is unchanged."""
        for name, facts in self.files.items():
            path = folder / name
            if not path.is_file() or path.stat().st_size != facts.size or digest_of(path) != facts.sha256:
                raise BackupProblem(f"{path} is missing or was changed. Nothing was restored.")


def describe(path: Path) -> CopiedFile:
    return CopiedFile(path.stat().st_size, digest_of(path))


def digest_of(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
