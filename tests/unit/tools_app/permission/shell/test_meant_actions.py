"""Rules about an action of a tool hold for its abbreviations, and where options stand before it."""

import pytest

from tests.unit.tools_app.permission.shell.support import analyzed


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("flit pub", "flit publish"),
        ("npm unpub x", "npm unpublish x"),
        ("fossil -R r push", "fossil push"),
        ("brz --no-plugins push", "brz push"),
        ("ovsx --pat t publish x", "ovsx publish x"),
        ("ovsx --pat=t publish x", "ovsx publish x"),
        ("snapcraft --verbosity quiet upload x", "snapcraft upload x"),
        ("cargo +nightly --config x publish", "cargo publish"),
        ("maturin --a x --b y -c publish z", "maturin publish z"),
        ("pod --silent trunk --verbose push x", "pod trunk push x"),
        ("nix --option a b copy --to x y", "nix copy --to x y"),
        ("mkdocs -q gh-deploy", "git push"),
        ("lerna pub", "npm publish"),
        ("beachball --yes publish", "npm publish"),
        ("gt --quiet sub", "git push"),
    ],
)
def test_an_action_is_found(written: str, meant: str) -> None:
    found = analyzed(written)
    assert meant in (*found.patterns, *found.spellings)


@pytest.mark.parametrize(
    "command",
    [
        "npm ci", "npm -s test", "npm --prefix=web run build", "npm ls publish", "cargo --color=always test publish",
        "docker logs x", "docker --debug=true ps", "hg pull", "maturin develop --release", "pnpm pub", "yarn dep",
        "poetry show publish",
    ],
)  # fmt: skip
def test_other_actions_are_no_such(command: str) -> None:
    actions = {"publish", "push", "login", "logout", "upload", "deploy"}
    spellings = (each.split() for each in analyzed(command).spellings)
    assert not [each for each in spellings if not actions.isdisjoint(each[1:2])]
