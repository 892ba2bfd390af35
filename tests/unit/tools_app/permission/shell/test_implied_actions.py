"""Commands behind actions of tools, and usual commands whose action a tool also does."""

import pytest

from tests.unit.tools_app.permission.shell.support import analyzed


@pytest.mark.parametrize(
    "command",
    [
        "mvn -B release:prepare", "lerna version", "npx gh-pages -d src", "ghp-import -npf src", "cargo release -x",
        "git flow feature publish x", "git-flow feature publish x", "sbt 'release with-defaults'", "gradle :a:release",
        "lerna version --no-push --push", "git subrepo -q push a", "git flow -x feature -x publish y",
        "git machete -v traverse -y", "git annex --debug move --to x", "git svn -q --rmdir dcommit",
        "mob next", "mob start -b x", "dgit --quilt=gbp push-source", "gbp push",
    ],
)  # fmt: skip
def test_a_tool_that_pushes_is_also_git_push(command: str) -> None:
    assert "git push" in analyzed(command).spellings


@pytest.mark.parametrize("command", ["yarn npm publish", "pnpm -r publish", "npx np", "npx @changesets/cli publish"])
def test_a_tool_that_publishes_packages_is_also_npm_publish(command: str) -> None:
    assert "npm publish" in analyzed(command).spellings


@pytest.mark.parametrize(
    "command",
    [
        "lerna version --no-push", "cargo release", "ghp-import src", "gradle assembleRelease", "git checkout sync",
        "git flow feature start x", "mike deploy 1.0", "git commit -m 'publish x'", "git flow -x feature start y",
        "git annex --debug add x", "mvn -B verify",
        "mob status", "mob timer 10", "dgit fetch", "gbp dch",
    ],
)  # fmt: skip
def test_other_commands_are_not(command: str) -> None:
    found = analyzed(command)
    assert not {"git push", "npm publish"} & {*found.spellings, *found.patterns}


@pytest.mark.parametrize(
    "command",
    [
        "composer exec -- rm a", "composer -q exe rm a", "python3 -m poetry run rm a", "cargo ws exec --no-bail rm a",
        "hatch run test:rm a", "yarn workspaces foreach -A exec rm a", "php composer.phar exec -- rm a",
        "R CMD rm a", "/usr/bin/R CMD env rm a", "bun run rm a",
        "R -q CMD rm a", "frob a b c d e f g h i j k l m n o p q -- rm a",
        "frob -a -b -c -d -e -f -g -h -i -j -k -l -m -n -o -p -q rm a",
    ],
)  # fmt: skip
def test_what_stands_behind_an_action_is_a_command(command: str) -> None:
    found = analyzed(command)
    assert "rm a" in {*found.spellings, *found.patterns}
