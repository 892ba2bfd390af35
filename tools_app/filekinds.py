"""Classify files for the tool `read`: text, a picture or PDF to attach, or binary data that a model cannot use."""

from typing import Final

SAMPLE_BYTES: Final = 4096  # at the beginning of a file
MAX_CONTROL_SHARE: Final = 0.30  # of control characters in the sample of a text file

ATTACHED_TYPES: Final = {
    "png": "image/png",
    "jpg": "image/jpeg",
    "jpeg": "image/jpeg",
    "gif": "image/gif",
    "webp": "image/webp",
    "pdf": "application/pdf",
}
BINARY_EXTENSIONS: Final = frozenset(
    [
        "7z",
        "a",
        "ai",
        "avi",
        "bin",
        "bmp",
        "bz2",
        "class",
        "db",
        "dat",
        "deb",
        "dll",
        "doc",
        "docx",
        "dylib",
        "ear",
        "eot",
        "exe",
        "flac",
        "gz",
        "heic",
        "ico",
        "iso",
        "jar",
        "lib",
        "mkv",
        "mov",
        "mp3",
        "mp4",
        "o",
        "obj",
        "odp",
        "ods",
        "odt",
        "ogg",
        "otf",
        "parquet",
        "pkl",
        "ppt",
        "pptx",
        "psd",
        "pyc",
        "pyd",
        "pyo",
        "rar",
        "rpm",
        "so",
        "sqlite",
        "sqlite3",
        "tar",
        "tgz",
        "tif",
        "tiff",
        "ttf",
        "war",
        "wasm",
        "wav",
        "webm",
        "wheel",
        "whl",
        "woff",
        "woff2",
        "xls",
        "xlsx",
        "xz",
        "zip",
        "zst",
    ]
)

_TEXT_CONTROLS: Final = frozenset(b"\t\n\v\f\r\b\x1b")
_CONTROLS: Final = bytes(code for code in range(32) if code not in _TEXT_CONTROLS) + b"\x7f"


def attached_type(path: str) -> str | None:
    """Return the media type of a file that is attached for the model, by its extension; None for other files."""
    return ATTACHED_TYPES.get(_extension(path))


def is_binary(path: str, content: bytes) -> bool:
    """Return whether a file is binary: by its extension, a NUL byte, or more than 30 % control characters."""
    sample = content[:SAMPLE_BYTES]
    if _extension(path) in BINARY_EXTENSIONS or b"\0" in sample:
        return True
    controls = len(sample) - len(sample.translate(None, _CONTROLS))
    return bool(sample) and controls / len(sample) > MAX_CONTROL_SHARE


def _extension(path: str) -> str:
    name = path.rpartition("/")[2]
    return name.rpartition(".")[2].lower() if "." in name else ""
