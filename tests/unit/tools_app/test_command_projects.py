"""Files of a project that its tools read, copy or change are judged although the command does not name them."""

import pytest

from tests.support.command_bench import NO_INTERNAL, NO_LOCKS, Bench, bench, shared_bench
from tools_app.permission.model import Rule

__all__ = ["bench", "shared_bench"]
pytestmark = pytest.mark.asyncio(loop_scope="module")

NO_PACKAGE_LOCK = Rule("edit", "package-lock.json", "deny")
NO_LEDGER = Rule("edit", "ledger/*", "deny")
NO_LIST = Rule("list", "hidden/*", "deny")


@pytest.mark.parametrize(
    "command",
    ["uv run pytest", "uv tree", "cd src && uv run pytest", "cargo test", "cargo build", "bundle exec rspec"],
)
async def test_a_tool_brings_exact_versions_up_to_date(bench: Bench, command: str) -> None:
    for name in ("uv.lock", "Cargo.lock", "Gemfile.lock"):
        bench.write(name, "")
    assert await bench.action(command, NO_LOCKS) == "ask"
    assert await bench.action(command) == "allow"


async def test_a_tool_needs_no_file_of_exact_versions(bench: Bench) -> None:
    assert await bench.action("uv run pytest && cargo test", NO_LOCKS) == "allow"


@pytest.mark.parametrize(
    ("command", "manifest"),
    [("uv run pytest", "pyproject.toml"), ("cd src && uv run pytest", "src/pyproject.toml"),
     ("uv run --project src pytest", "src/pyproject.toml"), ("cargo build", "Cargo.toml"),
     ("cargo test --manifest-path src/Cargo.toml", "src/Cargo.toml"), ("bundle", "Gemfile"), ("yarn", "package.json"),
     ("mix deps.get", "mix.exs"), ("dart pub get", "pubspec.yaml"), ("deno install", "deno.json"),
     ("pixi run x", "pixi.toml"), ("maturin develop", "Cargo.toml"), ("nix flake update", "flake.nix")],
)  # fmt: skip
async def test_a_tool_makes_exact_versions_beside_the_files_of_a_project(
    bench: Bench, command: str, manifest: str
) -> None:
    assert await bench.action(command, NO_LOCKS, preset="contained") == "allow"
    bench.write(manifest, "")
    assert await bench.action(command, NO_LOCKS, preset="contained") == "ask"
    assert await bench.action(command, Rule("edit", "other.lock", "deny"), preset="contained") == "allow"


@pytest.mark.parametrize("command", ["touch Cargo.toml; cargo tree", "echo x > flake.nix; nix build"])
async def test_the_text_may_make_the_files_of_a_project(bench: Bench, command: str) -> None:
    assert await bench.action(command, NO_LOCKS, preset="contained") == "ask"
    assert await bench.action(command.partition(";")[2].strip(), NO_LOCKS, preset="contained") == "allow"


@pytest.mark.parametrize(
    "command",
    [
        "printf 'include_str!(\"internal/a.txt\")' > b.rs; rustc b.rs",
        "printf '//go:embed in*/*\\n' > m.go; go build m.go",
    ],
)
async def test_code_that_a_readable_text_writes_and_runs_counts_for_rules(bench: Bench, command: str) -> None:
    bench.write("internal/a.txt", "")
    assert await bench.action(command, NO_INTERNAL, preset="autonomous") == "ask"
    assert await bench.action(command, preset="autonomous") == "allow"


@pytest.mark.parametrize("command", ["uv run --frozen pytest", "cargo test --locked", "uv run --no-sync pytest"])
async def test_an_option_keeps_exact_versions(bench: Bench, command: str) -> None:
    bench.write("uv.lock", "")
    bench.write("Cargo.lock", "")
    assert await bench.action(command, NO_LOCKS) == "allow"


async def test_go_may_change_its_modules(bench: Bench) -> None:
    bench.write("go.mod", "module a\n")
    rule = Rule("edit", "go.*", "deny")
    assert await bench.action("go build -mod=mod ./...", rule) == "ask"
    assert await bench.action("go build ./...", rule) == "allow"


@pytest.mark.parametrize("command", ["it", "r x", "unins x", "updat", "ddp", "prune", "innit"])
async def test_npm_has_other_names_for_what_changes_its_files(bench: Bench, command: str) -> None:
    bench.write("package-lock.json", "{}")
    assert await bench.action(f"npm {command}", NO_PACKAGE_LOCK, preset="autonomous") == "deny"


@pytest.mark.parametrize("command", ["test", "run build", "ls", "ci", "view x"])
async def test_npm_leaves_its_files_alone(bench: Bench, command: str) -> None:
    bench.write("package-lock.json", "{}")
    assert await bench.action(f"npm {command}", NO_PACKAGE_LOCK, preset="autonomous") == "allow"


async def test_a_package_manager_finds_the_project_above(bench: Bench) -> None:
    bench.write("package-lock.json", "{}")
    assert await bench.action("cd src && npm install x", NO_PACKAGE_LOCK, preset="autonomous") == "ask"


@pytest.mark.parametrize("command", ["uv build", "poetry build", "cargo package", "pip wheel ."])
async def test_a_package_contains_files_of_the_project(bench: Bench, command: str) -> None:
    assert await bench.action(command, preset="autonomous") == "allow"
    bench.write("internal/plan.md")
    assert await bench.action(command, NO_INTERNAL, preset="autonomous") == "deny"


@pytest.mark.parametrize("command", ["codespell -w", "sqlfluff fix", "ktlint -F", "mdformat"])
async def test_a_formatter_that_no_table_describes_changes_the_working_directory(bench: Bench, command: str) -> None:
    bench.write("ledger/tea.csv", "1\n")
    assert await bench.action(command, NO_LEDGER, preset="autonomous") == "deny"


@pytest.mark.parametrize(
    "command", ["ag KEY", "ack KEY", "ugrep -r KEY", "ast-grep -p KEY", "cloc --exclude-lang Java", "ag -A 3 KEY"]
)
async def test_a_word_that_may_be_a_pattern_or_the_value_of_an_option_is_no_folder(bench: Bench, command: str) -> None:
    bench.write("internal/plan.md")
    assert await bench.action(command, NO_INTERNAL, preset="autonomous") == "deny"


async def test_a_folder_for_a_new_project_counts_as_written(bench: Bench) -> None:
    bench.write("ledger/tea.csv", "1\n")
    rule = Rule("edit", "ledger*", "deny")
    assert await bench.action("composer create-project a/b ledger", rule, preset="autonomous") == "deny"


async def test_the_address_of_a_database_names_a_file(bench: Bench) -> None:
    bench.write("ledger/tea.csv", "1\n")
    assert await bench.action("frob sqlite:///ledger/x.db", NO_LEDGER, preset="autonomous") == "deny"
    assert await bench.action("frob postgres://db/ledger", NO_LEDGER, preset="autonomous") == "allow"


async def test_a_command_that_prints_what_it_changes_shows_names(bench: Bench) -> None:
    bench.write("hidden/a.txt")
    assert await bench.action("chmod -Rv u+r hidden", NO_LIST, preset="autonomous") == "deny"
    assert await bench.action("chmod -R u+r hidden", NO_LIST, preset="autonomous") == "allow"


@pytest.mark.parametrize(
    "command",
    ["repomix", "npx repomix", "gitingest", "code2prompt", "gitleaks dir", "gitleaks detect -v", "npx serve", "tokei",
     "trufflehog filesystem", "npx http-server -p 80", "python3 -m http.server 80", "php -S localhost:80",
     "jwebserver -p 80", "java -m jdk.httpserver -p 80", "python3 -m uploadserver 80", "dufs -p 80",
     "busybox httpd -f", "ruby -run -e httpd"],
)  # fmt: skip
async def test_programs_read_the_working_directory_without_naming_it(bench: Bench, command: str) -> None:
    assert await bench.action(command, NO_INTERNAL, preset="contained") == "allow"
    bench.write("internal/plan.md")
    assert await bench.action(command, NO_INTERNAL, preset="contained") == "deny"
    assert await bench.action(f"cd src && {command}", NO_INTERNAL, preset="contained") == "allow"


@pytest.mark.parametrize(
    "command", ["ctags ../src/app.py", "etags ../src/app.py", "cscope -b ../src/app.py", "gtags", "repomix ../src"]
)
async def test_programs_write_an_index_into_the_working_directory(bench: Bench, command: str) -> None:
    bench.write("ledger/tea.csv", "1\n")
    assert await bench.action(f"cd ledger && {command}", NO_LEDGER, preset="contained") == "deny"
    elsewhere = command.replace("../src", "src")
    assert await bench.action(elsewhere, Rule("edit", "other/*", "deny"), preset="contained") == "allow"


@pytest.mark.parametrize(
    "command",
    ["rustc --emit=asm=a.lock x.rs", "rustc --emit asm=a.lock x.rs", "rustc --emit=link=x,asm=a.lock x.rs",
     "frob --out=type=local,dest=a.lock", "frob --out type=local,dest=a.lock",
     "npm run x -- --out=type=local,dest=a.lock", "pytest --durations-path a.lock",
     "pytest --durations-path=a.lock", "pytest --x=a=a.lock",
     "eslint --x=a,a.lock"],
)  # fmt: skip
async def test_a_value_may_name_a_file_that_is_not_there_yet(bench: Bench, command: str) -> None:
    assert await bench.action(command, NO_LOCKS, preset="autonomous") == "ask"
    assert await bench.action(command.replace(".lock", ".txt"), NO_LOCKS, preset="autonomous") == "allow"
    assert await bench.action(command.replace("a.lock", "lock"), NO_LOCKS, preset="autonomous") == "allow"


@pytest.mark.parametrize("command", ["man -l .env", "man -al .env", "man --local-file .env"])
async def test_a_page_of_the_manual_may_be_a_file(bench: Bench, command: str) -> None:
    bench.write(".env")
    assert await bench.action(command, preset="contained") == "ask"
    assert await bench.action("man env", preset="contained") == "allow"
