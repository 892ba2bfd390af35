"""The package registries of the network mode `packages`, read from `registries.toml`."""

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Final

_FILE: Final = Path(__file__).with_name("registries.toml")


@cache
def registries() -> Mapping[str, tuple[str, ...]]:
    """Return the hosts of the package registries for each ecosystem, by its name ("python", "npm", ...)."""
    content = tomllib.loads(_FILE.read_text(encoding="utf-8"))
    return {name: tuple(entry["hosts"]) for name, entry in content.items()}


@cache
def registry_hosts() -> frozenset[str]:
    """Return the hosts of the package registries of all ecosystems."""
    return frozenset(host for hosts in registries().values() for host in hosts)
