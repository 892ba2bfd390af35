"""Rules apply to other names of a program and of its actions, but not to another program of the same name."""

import pytest

from tests.unit.tools_app.permission.shell.support import analyzed
from tools_app.permission.shell.git_corrections import corrected
from tools_app.permission.shell.other_names import usual_name


@pytest.mark.parametrize(
    "task", ["test", "cT", "pTR", "processResources", "projects", "p", "updateLocks", "release-notes"]
)
def test_other_tasks_of_gradle_do_not_publish(task: str) -> None:
    assert "gradle publish" not in analyzed(f"gradle {task}").spellings


@pytest.mark.parametrize("command", ["git init-db", "git merge-file a b c", "git st", "git lfs pull", "git commit"])
def test_commands_of_git_that_exist_or_are_like_none_are_not_corrected(command: str) -> None:
    assert not corrected(command.split()[1], [])


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("npm run-script deploy", "npm run deploy"),
        ("npm rum deploy", "npm run deploy"),
        ("npm run-s deploy", "npm run deploy"),
        ("npm --workspaces run deploy", "npm run deploy"),
        ("npm -ws run-script deploy", "npm run deploy"),
        ("npm run-script -- deploy", "npm run deploy"),
        ("yarn workspaces run deploy", "yarn run deploy"),
        ("cargo +stable r", "cargo run"),
        ("git -C . stage x", "git add x"),
        ("npm i x", "npm install x"),
        ('node "$x/npm-cli.js" publish', "npm publish"),
        ("node node_modules/corepack/dist/npm.js publish", "npm publish"),
        ("bun node_modules/npm/index.js publish", "npm publish"),
        ("python3 /usr/lib/python3/dist-packages/twine/__main__.py upload x", "twine upload x"),
        ("hg --config alias.x=push x", "hg push x"),
        ("git psuh x", "git push x"),
        ("git pus x", "git push x"),
        ("npm isntall x", "npm install x"),
        ("npm add-user", "npm adduser"),
        ("npm distTag add a b", "npm dist-tag add a b"),
        ("npm -w src addUser", "npm adduser"),
        ("na publish", "npm publish"),
        ("musl-gcc -c a.c", "gcc -c a.c"),
        ("c99 -c a.c", "gcc -c a.c"),
        ("npx na publish", "npm publish"),
        ("pnpm m publish", "pnpm publish"),
        ("pnpm recursive --filter a publish", "pnpm publish"),
        ("gem pus a.gem", "gem push a.gem"),
        ("darcs pus", "darcs push"),
        ("gradle :app:dPI", "gradle publish"),
        ("yarn deploy", "yarn run deploy"),
        ("pnpm run deploy", "pnpm deploy"),
        ("bun deploy", "bun run deploy"),
        ("cargo r", "cargo run"),
        ("yarnpkg add x", "yarn add x"),
        ("bundler update", "bundle update"),
        ("grm -f x", "rm -f x"),
        ("gnurm x", "rm x"),
        ("zf_rm x", "rm x"),
        ("luajit -e x", "lua -e x"),
        ("gem3.1 push x", "gem push x"),
        ("luarocks-5.1 upload x", "luarocks upload x"),
        ("mono nuget.exe push x", "nuget push x"),
        ("dotnet paket push x", "paket push x"),
        ("ruby -S gem pus x", "gem push x"),
        ("perl -S cpan-upload x", "cpan-upload x"),
        ("cargo-ws ws publish", "cargo ws publish"),
        ("cargo-release release -x", "git push"),
        ("node common/scripts/install-run-rush.js publish", "npm publish"),
        ("nx run a:nx-release-publish", "npm publish"),
        ("git --attr-source HEAD push", "git push"),
        ("git subtree -P x push origin", "git push -P x origin"),
        ("git stage x", "git add x"),
        ("docker image push x", "docker push x"),
        ("docker-compose push", "docker compose push"),
        ("docker manifest push x", "docker push x"),
        ("mvn -q clean deploy", "mvn deploy"),
        ("./mvnw clean deploy", "mvn deploy"),
        ("gradle clean :lib:publish", "gradle publish"),
        ("gradle clean :lib:pAPTMCR", "gradle publish"),
        ("./gradlew uA", "gradle publish"),
        ("gradle cARR", "gradle publish"),
        ("gradle publ", "gradle publish"),
        ("cargo +stable -q publish", "cargo publish"),
        ("yarn workspaces foreach -A npm publish", "yarn npm publish"),
        ("python src/app.py", "python3 src/app.py"),
        ("python3.11 src/app.py", "python3 src/app.py"),
        ("pip3.11 install x", "pip install x"),
        ("perl5.36.0 x.pl", "perl x.pl"),
        ("perl5.36-x86_64-linux-gnu x.pl", "perl x.pl"),
        ("nodejs x.js", "node x.js"),
        ("x86_64-linux-gnu-gcc-12 -c x.c", "gcc -c x.c"),
        ("vim.basic x", "vim x"),
        ("/usr/bin/nodejs x.js", "node x.js"),
        ("./npm -s run deploy", "npm run deploy"),
        ("./git -C . push", "git push"),
        ("src/git-push origin", "git push origin"),
    ],
)
def test_a_rule_for_a_command_holds_for_its_other_names(written: str, meant: str) -> None:
    found = analyzed(written)
    assert meant in (*found.patterns, *found.spellings)


@pytest.mark.parametrize(
    ("command", "pattern"),
    [
        ("./git log", "./git log"),
        ("src/git -C . status", "src/git status"),
        ("$PWD/git log", "/workspace/git log"),
        ("./make -j4 test", "./make test"),
        ("./gmake test", "./make test"),
        ("./python -m pip list", "./pip list"),
        ("./git-log", "./git log"),
    ],
)
def test_a_program_in_a_folder_is_not_taken_for_that_of_the_system(command: str, pattern: str) -> None:
    assert analyzed(command).patterns == (pattern,)


@pytest.mark.parametrize("command", ["/usr/bin/git log", "/bin/git -C . log", "git --no-pager log"])
def test_a_program_of_the_system_is_found_by_its_name(command: str) -> None:
    assert "git log" in analyzed(command).patterns


@pytest.mark.parametrize(
    "command",
    [
        """perl5.36-x86_64-linux-gnu -e 'system("git"." push")'""",
        """nodejs -e 'f("git"+" push")'""",
        "tclsh8.6 <<< 'exec git push'",
        "editor -S x.vim",
        "vimdiff -S x.vim",
        """original-awk 'BEGIN{system("git" " push")}'""",
        """tsx -e 'f("git"+" push")'""",
        """kotlin -e 'f("git"+" push")'""",
    ],
)
def test_an_interpreter_under_another_name_is_one(command: str) -> None:
    assert not analyzed(command).complete


@pytest.mark.parametrize("name", ["sha256sum", "base64", "python3", "bzip2", "h2ph", "./nodejs", "gcc", "gawk", "g++"])
def test_other_names_stay_as_they_are(name: str) -> None:
    assert usual_name(name) == name


@pytest.mark.parametrize(
    ("command", "grants"),
    [
        ("npm run-script deploy", ("npm run-script deploy *",)),
        ("pnpm run-script deploy", ("pnpm run-script deploy *",)),
        ("cargo +nightly test", ("cargo +nightly test",)),
        ("./git log", ("./git log *",)),
        ("./manage.py migrate", ("./manage.py migrate *",)),
        ("ant deploy", ("ant deploy *",)),
        ("nodejs x.js", ()),
        ("perl5.36-x86_64-linux-gnu x.pl", ()),
        ("java -jar x.jar", ()),
        ("tsx x.ts", ()),
    ],
)
def test_an_always_for_one_action_covers_no_other(command: str, grants: tuple[str, ...]) -> None:
    assert analyzed(command).always == grants


@pytest.mark.parametrize("command", ["ruby -S", "perl -w -S", "env ruby -S"])
def test_an_interpreter_may_search_nothing(command: str) -> None:
    assert "" not in analyzed(command).spellings
