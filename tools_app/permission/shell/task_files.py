"""TASK_FILES: for each task runner, such as `just` or `npm`, the files that define its tasks."""

from collections.abc import Mapping
from typing import Final

from tools_app.permission.names import names

_COMPOSE: Final = ("compose.yml", "compose.yaml", "docker-compose.yml", "docker-compose.yaml")
_OF_PYTHON: Final = ("pyproject.toml", "setup.cfg")
_RUNNERS_OF_NODE: Final = names("npm pnpm yarn bun turbo nx lerna wireit npm-run-all run-s run-p")
TASK_FILES: Final[Mapping[str, tuple[str, ...]]] = {
    "just": ("justfile", "Justfile", ".justfile"),
    "task": ("Taskfile.yml", "Taskfile.yaml", *_OF_PYTHON),
    "rake": ("Rakefile", "rakefile", "Rakefile.rb"),
    "mage": ("magefile.go",),
    "ninja": ("build.ninja",),
    **dict.fromkeys(_RUNNERS_OF_NODE, ("package.json", ".npmrc", "turbo.json", "nx.json")),
    "lint-staged": ("package.json", ".lintstagedrc", ".lintstagedrc.json", ".lintstagedrc.yml"),
    "tox": ("tox.ini", *_OF_PYTHON), "nox": ("noxfile.py",), "poe": (*_OF_PYTHON, "poe_tasks.toml"),
    "hatch": ("pyproject.toml", "hatch.toml"), "pdm": ("pyproject.toml", "pdm.toml", ".pdm.toml"),
    "pipenv": ("Pipfile",), "invoke": ("tasks.py", "invoke.yml"), "inv": ("tasks.py", "invoke.yml"),
    "fab": ("fabfile.py",), "doit": ("dodo.py",), "pre-commit": (".pre-commit-config.yaml",),
    "prek": (".pre-commit-config.yaml", "prek.toml"), "lefthook": ("lefthook.yml", "lefthook.yaml", ".lefthook.yml"),
    "nodemon": ("nodemon.json", "package.json"), "mise": ("mise.toml", ".mise.toml", ".tool-versions"),
    "direnv": (".envrc",), "deno": ("deno.json", "deno.jsonc"), "composer": ("composer.json",),
    "cargo": ("Makefile.toml", ".cargo/config.toml", ".cargo/config", "build.rs"),
    **dict.fromkeys(("foreman", "honcho", "overmind"), ("Procfile",)),
    **dict.fromkeys(("docker-compose", "podman-compose"), _COMPOSE),
    "act": (".github/workflows",), "pytest": ("conftest.py",), "mvn": (".mvn/jvm.config", ".mvn/maven.config"),
    "gradle": ("build.gradle", "build.gradle.kts", "gradle.properties", "settings.gradle"),
    "bundle": (".bundle/config",), "rails": ("config/application.rb", "config/boot.rb"),
}  # fmt: skip
