"""Files of exact versions, and the files of a project beside which package managers make them."""

from collections.abc import Mapping
from typing import Final

_NODE: Final = ("package.json",)
_PYTHON: Final = ("pyproject.toml",)

MANIFESTS: Final[Mapping[str, tuple[str, ...]]] = {
    **dict.fromkeys(
        ("package-lock.json", "npm-shrinkwrap.json", "yarn.lock", "pnpm-lock.yaml", "bun.lock", "bun.lockb"), _NODE
    ),
    **dict.fromkeys(("uv.lock", "poetry.lock", "pdm.lock", "requirements.lock", "requirements-dev.lock"), _PYTHON),
    "Pipfile.lock": ("Pipfile",),
    "pixi.lock": ("pixi.toml", "pyproject.toml"),
    "Cargo.lock": ("Cargo.toml",),
    "go.sum": ("go.mod",),
    "Gemfile.lock": ("Gemfile",),
    "composer.lock": ("composer.json",),
    "mix.lock": ("mix.exs",),
    "pubspec.lock": ("pubspec.yaml",),
    "flake.lock": ("flake.nix",),
    "deno.lock": ("deno.json", "deno.jsonc", "package.json"),
    ".terraform.lock.hcl": ("main.tf", "versions.tf", "providers.tf", "terraform.tf"),
    "Podfile.lock": ("Podfile",),
    "Package.resolved": ("Package.swift",),
}
"""For each file of exact versions, the files of which one stands in the folder where it is made."""
