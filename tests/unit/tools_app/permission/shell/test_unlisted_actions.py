"""Words with which programs that no table describes name the actions that leave the container."""

import pytest

from tests.unit.tools_app.permission.shell.support import analyzed

_USUAL = {"git push", "npm publish", "npm login", "serverless deploy"}


@pytest.mark.parametrize(
    ("command", "usual"),
    [
        ("frob push", "git push"), ("frob -- push", "git push"), ("frob ./a push", "git push"),
        ("frob -v push origin", "git push"), ("ruby -W0 -S frob push", "git push"), ("frob --dir a push", "git push"),
        ("frob stack submit", "git push"), ("env frob push", "git push"), ("sh -c 'frob push'", "git push"),
        ("uvx frob push", "git push"), ("uv tool run frob push", "git push"), ("watch 'frob push'", "git push"),
        ("strace -o log timeout 5 frob push", "git push"), ("python3 -m frob push", "git push"),
        ("/usr/bin/frob push", "git push"), ("node_modules/.bin/frob push", "git push"), ("frob release", "git push"),
        ("frob pkg publish", "npm publish"), ("frob hex.publish", "npm publish"), ("frob release", "npm publish"),
        ("frob ext --verbose publish", "npm publish"), ("npx @a/frob@1 upload dist", "npm publish"),
        ("frob template publish", "npm publish"), ("frob publish:npm", "npm publish"), ("frob push-all", "git push"),
        ("frob cloud deploy", "serverless deploy"), ("frob deploy:prod", "serverless deploy"),
        ("frob app-deploy", "serverless deploy"), ("frob auth login", "npm login"),
        ("frob --profile x login", "npm login"),
    ],
)  # fmt: skip
def test_an_action_counts_as_the_usual_command(command: str, usual: str) -> None:
    assert usual in {*analyzed(command).spellings, *analyzed(command).patterns}


@pytest.mark.parametrize(
    "command",
    [
        "frob build release", "frob build --config release", "frob -c release", "frob help push", "frob commit -m push",
        "frob commit -m 'push it'", "frob src/push.txt", "frob push.py", "frob deploy.yml", "frob a -- push",
        "frob generate push-notifications", "frob config deploy", "frob pre-push", "frob run deploy",
        "frob push --help", "frob a b c push",
    ],
)  # fmt: skip
def test_other_words_of_such_programs_do_not_count(command: str) -> None:
    assert _USUAL.isdisjoint(analyzed(command).spellings)


@pytest.mark.parametrize(
    "command",
    [
        "make deploy", "npm run publish", "just push", "task upload", "invoke deploy", "./deploy.sh push",
        "bin/rails deploy", "scripts/x.py upload", "python3 scripts/x.py upload", "python3 -m app.cli upload",
        "cargo run push", "mix release", "act push",
    ],
)  # fmt: skip
def test_tasks_and_scripts_of_the_project_do_not_count(command: str) -> None:
    assert _USUAL.isdisjoint(analyzed(command).spellings)


@pytest.mark.parametrize(
    "command",
    [
        "quilt push -a", "guilt push", "adb push a b", "prisma db push", "cloc deploy", "ack push",
        "ansible-lint deploy", "createdb release", "sphinx-build docs release", "watch ls release",
        "parallel gzip ::: release", "docker build -t release .", "docker compose run web deploy",
    ],
)  # fmt: skip
def test_what_stays_in_the_container_does_not_count(command: str) -> None:
    assert _USUAL.isdisjoint(analyzed(command).spellings)


@pytest.mark.parametrize("command", ["twine upload dist/a", "gem push a.gem", "hg push", "kamal deploy", "eas submit"])
def test_an_action_with_a_rule_of_its_own_does_not_count(command: str) -> None:
    assert _USUAL.isdisjoint(analyzed(command).spellings)


@pytest.mark.parametrize(
    "command",
    ["echo 'frob push' | sh", "bash <<< 'frob push'", "printf 'frob push' > a.sh; sh a.sh", "eval 'frob push'"],
)
def test_a_text_that_a_shell_runs_counts(command: str) -> None:
    found = analyzed(command)
    assert "git push" in {*found.spellings, *found.mentions}


def test_a_text_that_is_only_written_does_not_count() -> None:
    found = analyzed("python3 - <<'E'\nprint('failed to upload')\nprint('frob push')\nE")
    assert _USUAL.isdisjoint({*found.spellings, *found.mentions})
