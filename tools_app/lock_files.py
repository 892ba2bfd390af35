"""Lock files, and the project files beside which package managers create them."""

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
    "shard.lock": ("shard.yml",),
    "Chart.lock": ("Chart.yaml",),
    "flake.lock": ("flake.nix",),
    "deno.lock": ("deno.json", "deno.jsonc", "package.json"),
    ".terraform.lock.hcl": ("main.tf", "versions.tf", "providers.tf", "terraform.tf"),
    "Podfile.lock": ("Podfile",),
    "buf.lock": ("buf.yaml", "buf.work.yaml"),
    "conan.lock": ("conanfile.py", "conanfile.txt"),
    "devbox.lock": ("devbox.json",),
    "devenv.lock": ("devenv.yaml", "devenv.nix"),
    "mise.lock": ("mise.toml", ".mise.toml"),
    "paket.lock": ("paket.dependencies",),
    "spack.lock": ("spack.yaml",),
    "stack.yaml.lock": ("stack.yaml",),
    "rebar.lock": ("rebar.config",),
    "symfony.lock": ("composer.json",),
    "helmfile.lock": ("helmfile.yaml",),
    "Move.lock": ("Move.toml",),
    "Scarb.lock": ("Scarb.toml",),
    "wally.lock": ("wally.toml",),
    "pesde.lock": ("pesde.toml",),
    "lux.lock": ("lux.toml",),
    "spago.lock": ("spago.yaml",),
    "dune.lock": ("dune-project",),
    "dvc.lock": ("dvc.yaml",),
    **dict.fromkeys(("soldeer.lock", "foundry.lock"), ("foundry.toml",)),
    "Berksfile.lock": ("Berksfile",),
    "Puppetfile.lock": ("Puppetfile",),
    "Cheffile.lock": ("Cheffile",),
    "MODULE.bazel.lock": ("MODULE.bazel",),
    "Package.resolved": ("Package.swift",),
}
"""Lock file -> project files, one of which is in the folder where the lock file is created."""
