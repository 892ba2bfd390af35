"""Programs without a table whose names say that they push, publish or deploy."""

import pytest

from tests.unit.tools_app.permission.shell.support import analyzed

_USUAL = {"git push", "npm publish", "serverless deploy"}


@pytest.mark.parametrize(
    ("command", "usual"),
    [
        ("push-all", "git push"), ("npx auto-release", "git push"), ("npx deploy-to-gh-pages", "git push"),
        ("npx @a/auto-release@2", "npm publish"), ("pypi-uploader dist", "npm publish"),
        ("uvx app-publish", "npm publish"),
        ("node_modules/.bin/upload-assets a", "npm publish"), ("npx ftp-deploy", "serverless deploy"),
        ("timeout 5 deploy-app prod", "serverless deploy"),
    ],
)  # fmt: skip
def test_a_name_counts_as_the_usual_command(command: str, usual: str) -> None:
    assert usual in analyzed(command).spellings


@pytest.mark.parametrize(
    "command",
    [
        "lsb_release -a", "release-notes", "npx check-release", "upload-server", "push-notifications", "./push-all",
        "scripts/app-deploy", "app-deploy --help", "frob deploy-app.sh", "npx pre-release", "echo auto-release",
        "push_all", "cd app-deploy", "cat app-deploy",
    ],
)  # fmt: skip
def test_other_names_do_not_count(command: str) -> None:
    assert _USUAL.isdisjoint(analyzed(command).spellings)
