"""A storage is a directory or a bucket, named by a setting."""

import stat
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.core.files.base import ContentFile

from sessions_app.storage.backends import open_storage


def test_a_directory_is_made_for_its_owner_alone(tmp_path: Path) -> None:
    folder = tmp_path / "with a space"
    storage = open_storage("X_STORAGE", folder.as_uri())
    storage.save("a/b", ContentFile(b"x"))
    assert (folder / "a/b").read_bytes() == b"x"
    assert [stat.S_IMODE((folder / name).stat().st_mode) for name in ("", "a", "a/b")] == [0o700, 0o700, 0o600]


@pytest.mark.parametrize("address", ["", "/var/files", "file://host/folder", "file:", "s3:///prefix", "ftp://host/x"])
def test_an_address_of_another_kind_is_refused_with_the_name_of_its_setting(address: str) -> None:
    with pytest.raises(ImproperlyConfigured, match="X_STORAGE must be"):
        open_storage("X_STORAGE", address)


def test_a_bucket_gets_its_address_and_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[dict[str, Any]] = []
    module = ModuleType("storages.backends.s3")
    module.S3Storage = lambda **options: made.append(options)  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "storages.backends.s3", module)
    open_storage("X_STORAGE", "s3://bucket/some/prefix?endpoint=https://s3.example.org", key="k", secret="s")
    (options,) = made
    assert (options["bucket_name"], options["location"]) == ("bucket", "some/prefix")
    assert (options["endpoint_url"], options["access_key"], options["secret_key"]) == (
        "https://s3.example.org",
        "k",
        "s",
    )


def test_a_bucket_without_its_package_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "storages.backends.s3", None)
    with pytest.raises(ImproperlyConfigured, match=r"X_STORAGE names a bucket.*extra 's3'"):
        open_storage("X_STORAGE", "s3://bucket-without-package")
