"""Lock files that tools write although no word names them."""

import pytest

from tests.unit.tools_app.permission.shell.support import analyzed


@pytest.mark.parametrize(
    ("command", "path"),
    [
        ("cargo +nightly check", "Cargo.lock"),
        ("cargo --color never build", "Cargo.lock"),
        ("cargo zigbuild", "Cargo.lock"),
        ("cargo run -- --locked", "Cargo.lock"),
        ("cargo build --manifest-path a/Cargo.toml", "a/Cargo.lock"),
        ("rustup run nightly cargo build", "Cargo.lock"),
        ("bundle", "Gemfile.lock"),
        ("bundle u", "Gemfile.lock"),
        ("bundle exec rspec --frozen", "Gemfile.lock"),
        ("composer req x", "composer.lock"),
        ("poetry u", "poetry.lock"),
        ("uvx uv lock", "uv.lock"),
        ("uv lock --script a.py", "a.py.lock"),
        ("yarn unplug a", "yarn.lock"),
        ("nix --option a b flake update", "flake.lock"),
        ("nix build ./a#x", "a/flake.lock"),
        ("mix do deps.get, test", "mix.lock"),
        ("rebar3 as test do upgrade, ct", "rebar.lock"),
        ("helm --kube-context c dep up a", "a/Chart.lock"),
        ("helm package -u .", "Chart.lock"),
        ("buf dep update", "buf.lock"),
        ("pixi r x", "pixi.lock"),
        ("stack --resolver x build", "stack.yaml.lock"),
        ("fvm flutter pub get", "pubspec.lock"),
        ("cd a && shards", "a/shard.lock"),
    ],
)
def test_a_lock_file_may_be_changed(command: str, path: str) -> None:
    assert f"/workspace/{path}" in analyzed(command).words


@pytest.mark.parametrize(
    "command",
    [
        "cargo fmt", "cargo +nightly fmt", "cargo test --locked",
        "uv run --frozen pytest", "uv tree --locked", "composer test", "composer show", "poetry show",
        "mix test", "deno fmt", "deno lint src",
        "nix hash file a", "nix build --no-write-lock-file", "helm lint a", "helm template a", "yarn test",
        "pixi search x", "stack --version", "dart format .", "flutter doctor", "mise ls", "buf lint", "ng build",
        "ng test", "bazel clean", "devbox version", "cargo search x",
    ],
)  # fmt: skip
def test_other_commands_leave_lock_files_as_they_are(command: str) -> None:
    assert not [each for each in analyzed(command).words if each.endswith(".lock")]
