"""Storage backends for large data outside the database: a local directory or an S3 bucket.

A setting gives the location: `file:///directory` or `s3://bucket/prefix?endpoint=https://...`. Writes are atomic: a
directory gets files by renaming, and a bucket shows an object only when it is complete.
"""

import importlib
from functools import lru_cache
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from django.core.exceptions import ImproperlyConfigured
from django.core.files.storage import FileSystemStorage, Storage


@lru_cache(maxsize=8)
def open_storage(setting: str, address: str, *, key: str = "", secret: str = "") -> Storage:
    """Return the storage at `address`. Raises ImproperlyConfigured, with the setting's name, if the address is not
    valid."""
    parts = urlsplit(address)
    if parts.scheme == "file" and not parts.netloc and parts.path:
        folder = Path(unquote(parts.path))
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        return FileSystemStorage(folder, file_permissions_mode=0o600, directory_permissions_mode=0o700)
    if parts.scheme == "s3" and parts.netloc:
        return _bucket(
            setting,
            bucket_name=parts.netloc,
            location=parts.path.strip("/"),
            endpoint_url=parse_qs(parts.query).get("endpoint", [None])[0],
            access_key=key or None,
            secret_key=secret or None,
        )
    raise ImproperlyConfigured(f"{setting} must be file:///directory or s3://bucket/prefix?endpoint=https://...")


def _bucket(setting: str, **options: Any) -> Storage:
    try:
        module: Any = importlib.import_module("storages.backends.s3")
    except ImportError as error:
        raise ImproperlyConfigured(
            f"{setting} names a bucket, and the package for it is not installed. Install the site with the extra 's3'"
            " (django-storages and boto3), or use a file:// address."
        ) from error
    storage: Storage = module.S3Storage(default_acl=None, file_overwrite=False, **options)
    return storage
