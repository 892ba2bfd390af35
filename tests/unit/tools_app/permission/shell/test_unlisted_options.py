"""Options that no table judges, and that are called like an action."""

import pytest

from tests.unit.tools_app.permission.shell.support import analyzed

_USUAL = {"git push", "npm publish", "serverless deploy"}


@pytest.mark.parametrize(
    ("command", "usual"),
    [
        ("frob build --push", "git push"), ("frob bump --push=true", "git push"), ("frob --git-push", "git push"),
        ("frob -push a", "git push"), ("frob --push-tags", "git push"), ("npm version patch --push", "git push"),
        ("uvx frob --push", "git push"), ("npx frob-js --publish", "npm publish"),
        ("frob --upload a", "npm publish"),
        ("bundle exec cucumber --publish", "npm publish"), ("turbo build --publish", "npm publish"),
        ("pytest --upload", "npm publish"), ("frob build --deploy", "serverless deploy"),
    ],
)  # fmt: skip
def test_an_option_counts_as_the_usual_command(command: str, usual: str) -> None:
    assert usual in analyzed(command).spellings


@pytest.mark.parametrize(
    "command",
    [
        "frob --no-push", "frob --push=false", "frob --publish never", "frob --publish 80:80", "frob --publish=80/tcp",
        "frob --skip-publish", "frob --allow-upload", "frob -- --push", "npm run x -- --push", "./a.sh --push",
        "docker run --publish 80:80 a", "docker run --publish a", "frob --deploy-dir a", "python3 a.py --upload",
        "grep -e --push a",
    ],
)  # fmt: skip
def test_other_options_do_not_count(command: str) -> None:
    assert _USUAL.isdisjoint(analyzed(command).spellings)
