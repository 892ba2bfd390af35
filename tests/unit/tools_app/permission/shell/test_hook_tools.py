"""Tools that install git hooks or filters, however they are started."""

import time

import pytest

from tests.unit.tools_app.permission.shell.support import touched
from tools_app.permission.shell.hook_tools import touch_hooks
from tools_app.permission.shell.usage import CommandUsage
from tools_app.permission.shell.words import Field


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
        "moon sync hooks", "npx moon --log x sync vcs-hooks", "lefthook i", "prek i", "hk init", "trunk git-hooks sync",
        "talisman --githook=pre-push", "npx mookme init", "php vendor/bin/grumphp git:init",
        "php vendor/bin/whisky install",
        "node node_modules/husky/lib/bin.js install", "node node_modules/simple-git-hooks/cli.js",
        "./gradlew addKtlintCheckGitPreCommitHook", "gradle :app:spotlessInstallGitPrePushHook",
        "mvn spotless:install-git-pre-push-hook", "mvn git-build-hook:install", "php artisan git-hooks:register",
        "swift run komondor install", "dart run git_hooks create", "mise generate git-pre-commit --write",
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
        "npx jest src/useInstallGitHooks.ts", "cargo add hooks", "moon run app:build", "trunk check", "mise run build",
        "node bin/init.js", "gradle addWebhook", "talisman --scan", "npx eslint --fix src/hooks", "php artisan migrate",
    ],
)  # fmt: skip
def test_other_commands_change_no_hooks(command: str) -> None:
    assert not any("/.git/" in each for each in touched(command, "write"))


def test_long_words_take_little_time() -> None:
    began = time.process_time()
    touch_hooks("frob", [Field("addgithook" * 9 + str(number)) for number in range(3_000)], CommandUsage())
    touch_hooks("frob", [Field("addgithook" * 90_000)], CommandUsage())
    assert time.process_time() - began < 1
