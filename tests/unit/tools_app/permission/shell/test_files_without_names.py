"""Files that a command uses although its words do not name them: settings, suffixes, values of variables, copies."""

import pytest

from tests.unit.tools_app.permission.shell.support import analyzed, touched
from tools_app.permission.shell.named import named_files

HOME = "/home/agent/"


@pytest.mark.parametrize(
    "command",
    [
        "uv python pin --global 3.12",
        "go telemetry off",
        "sometool config set a b",
        "sometool -q config set a b",
        "sometool telemetry disable",
        "sometool login",
        "sometool --disable-telemetry",
        "npm --location=global config set a b",
        "history -w",
        "bash -ic 'history -w'",
        "docker buildx create --use",
        "podman system connection add a b",
        "composer g req a/b",
        "fish -c 'set -Ux EDITOR vim'",
    ],
)
def test_settings_in_the_home_directory_are_changed(command: str) -> None:
    assert any(each.startswith(HOME) for each in touched(command, "write"))


@pytest.mark.parametrize(
    "command",
    [
        "uv python pin 3.12",
        "go env GOPATH",
        "npm config get registry",
        "npm install -g typescript",
        "cargo install ripgrep",
        "pip install requests",
        "gh auth status",
        "kubectl config current-context",
        "grep -g config set",
        "history 10",
        "git config user.name",
        "gpg --list-keys",
        "docker buildx ls",
        "composer get a",
        "set -euo pipefail",
        "set -- -U",
    ],
)
def test_looking_and_installing_change_no_settings(command: str) -> None:
    assert not any(each.startswith(HOME) for each in touched(command, "write"))


@pytest.mark.parametrize(
    "command",
    [
        "COVERAGE_FILE=$PWD/ledger/x pytest",
        "COVERAGE_FILE=ledger/x pytest",
        "export COVERAGE_FILE=ledger/x",
        "env COVERAGE_FILE=$PWD/ledger/x pytest",
        "F=$PWD/ledger; GIT_TRACE=$F/x git status",
        "GIT_TRACE=~+/ledger/x git status",
        "ASAN_OPTIONS=a=1:log_path=ledger/x ./a.out",
        "TEST_OUTPUT=ledger/x pytest",
    ],
)
def test_values_of_variables_may_be_files(command: str) -> None:
    assert any(each.endswith("/ledger/x") for each in analyzed(command).words)


def test_plain_values_of_harmless_variables_are_no_files() -> None:
    assert analyzed("CI=1 NODE_ENV=test TZ=UTC pytest").words == ()


@pytest.mark.parametrize(
    ("command", "name"),
    [
        ("patch -bz .lock words.txt fix.patch", "words.txt.lock"),
        ("patch -b --suffix=.lock words.txt fix.patch", "words.txt.lock"),
        ("patch -bz .lock", "any.lock"),
        ("perl -pi'ledger/*' -e 's/a/b/' notes.md", "ledger/notes.md"),
        ("perl -i.lock -pe 's/a/b/' src/notes.md", "src/notes.md.lock"),
        ("brotli -S .lock words.txt", "words.txt.lock"),
    ],
)
def test_suffixes_and_masks_make_names(command: str, name: str) -> None:
    assert f"/workspace/{name}" in analyzed(command).words


@pytest.mark.parametrize(
    "command",
    [
        "rename.ul data agentsite data.json",
        "rename 's/^data/agentsite/' data.json",
        "rename s:data:agentsite: data.json",
    ],
)
def test_replacements_make_names(command: str) -> None:
    assert "/workspace/agentsite.json" in touched(command, "write")


@pytest.mark.parametrize(
    "command",
    [
        "objcopy /usr/bin/git g; ./g push origin main",
        "dd if=$(which git) of=g; ./g push origin main",
        "which git | xargs -I{} cp {} g; ./g push origin main",
        "cat /usr/lib/git-core/git-push > g; ./g origin main",
    ],
)
def test_copies_of_programs_count_as_the_programs(command: str) -> None:
    assert "git push origin main" in analyzed(command).spellings


@pytest.mark.parametrize(
    "command", ["/usr/bin/git status && ./g push", "which git && ./g push", "cat /usr/share/git; ./g push", "./g push"]
)
def test_programs_that_are_only_started_have_no_copies(command: str) -> None:
    assert not any(each.startswith("git push") for each in analyzed(command).spellings)


@pytest.mark.parametrize(
    ("command", "place"),
    [
        ("git init --shared", ".git/config"),
        ("GIT_TEMPLATE_DIR=src git init", ".git/hooks"),
        ("git -c init.templateDir=src init", ".git/hooks"),
        ("git -c branch.autoSetupMerge=always branch x main", ".git/config"),
        ("git -c include.path=../x status", ".git/config"),
        ("GIT_CONFIG_GLOBAL=x git status", ".git/config"),
    ],
)
def test_git_changes_its_settings(command: str, place: str) -> None:
    assert f"/workspace/{place}" in touched(command, "write")


@pytest.mark.parametrize(
    "command",
    [
        "git -c branch.autoSetupMerge=false branch x main",
        "GIT_CONFIG_GLOBAL=/dev/null git status",
        "git -c include.path=/dev/null status",
        "git -c user.name=a status",
    ],
)
def test_settings_that_name_nothing_change_none(command: str) -> None:
    assert not any("/.git/" in each for each in touched(command, "write"))


@pytest.mark.parametrize(
    ("command", "runs"),
    [
        ("git grep -Orm TODO -- notes.md", "rm notes.md"),
        ("git grep --open-files-in-pager=rm TODO", "rm ."),
        ("CARGO_ALIAS_X='publish --dry-run' cargo x", "cargo publish --dry-run"),
        ("cargo --config 'alias.x=\"publish\"' x", "cargo publish x"),
    ],
)
def test_settings_and_options_name_what_runs(command: str, runs: str) -> None:
    found = analyzed(command)
    assert runs in (*found.patterns, *found.spellings, *found.mentions)


def test_cmake_reads_whole_folders() -> None:
    found = {use.path for use in analyzed("cmake -E tar cf /tmp/a.tar src").paths if use.recursive}
    assert "/workspace/src" in found


@pytest.mark.parametrize(
    "command",
    ["sqlite3 -vfs unix-dotfile a.db vacuum", "sqldiff --vfs unix-dotfile a.db b.db", "mutt_dotlock a.db"],
)
def test_a_lock_beside_a_file_has_its_name(command: str) -> None:
    assert "/workspace/a.db.lock" in analyzed(command).words


@pytest.mark.parametrize("name", ["file:a.db?vfs=unix-dotfile", "file:a.db?mode=rwc&vfs=unix-dotfile"])
def test_code_says_that_a_database_has_a_lock_beside_it(name: str) -> None:
    assert "/workspace/a.db.lock" in set(named_files([f'connect("{name}")'], ["/workspace"], HOME))
    assert "/workspace/a.db.lock" not in set(named_files(['connect("file:a.db")'], ["/workspace"], HOME))


@pytest.mark.parametrize("command", ["ssh-add", "ssh-add -t 60 -q", "ssh-agent ssh-add", "ssh-agent sh -c 'ssh-add'"])
def test_without_a_name_ssh_add_reads_the_keys_of_the_user(command: str) -> None:
    assert "/home/agent/.ssh/id_rsa" in touched(command, "read")


@pytest.mark.parametrize("command", ["ssh-add -l", "ssh-add -D", "ssh-add -t 60 deploy_key", "eval $(ssh-agent -s)"])
def test_other_commands_of_agents_do_not(command: str) -> None:
    assert "/home/agent/.ssh/id_rsa" not in touched(command, "read")
