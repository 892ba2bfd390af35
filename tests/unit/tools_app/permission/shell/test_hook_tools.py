"""Tools that install git hooks or filters, however they are started."""

import pytest

from tests.unit.tools_app.permission.shell.support import touched


@pytest.mark.parametrize(
    "command",
    [
        "dvc install", "dvc -q install", "uvx dvc install", "pipx run --spec dvc dvc install", "nbstripout --install",
        "uvx nbstripout --install", "python3 -m nbstripout --install", "uvx pre-commit==4.1 install -f",
        "uv tool run pre-commit@4 install", "npx husky@9 init", "dotnet tool run husky install", "pnpm husky",
        "./node_modules/.bin/husky", "bundle exec overcommit --install", "uvx nbdime config-git --enable",
        "gitlint install-hook", "flake8 --install-hook=git", "gradle installGitHooks", "aicommits hook install",
        "nb-clean add-filter", "grumphp git:init", "mix git_hooks.install", "ktlint installGitPreCommitHook",
        "git lfs track '*.csv'", "git-lfs untrack a", "git -p lfs fsck", "git crypt init", "git secrets --install",
    ],
)  # fmt: skip
def test_tools_that_install_hooks_change_those_of_git(command: str) -> None:
    assert {"/workspace/.git/hooks", "/workspace/.git/config"} <= touched(command, "write")


@pytest.mark.parametrize(
    "command",
    [
        "dvc pull", "nbstripout a.ipynb", "pre-commit run -a", "pip install pre-commit", "uv tool install pre-commit",
        "npm install husky", "cargo install lefthook", "frob filter install", "npm init -y", "frob --hook x", "frob",
        "git lfs pull", "git lfs ls-files", "git secrets --scan", "git log track", "git checkout husky install",
    ],
)  # fmt: skip
def test_other_commands_change_no_hooks(command: str) -> None:
    assert not any("/.git/" in each for each in touched(command, "write"))
