"""Wildcards for harmless shell commands, which run without asking. They match the patterns that the shell analysis
returns.

A command is listed here only if the shell analysis knows all of its options that run a program or write a file. With
such an option, the analysis is incomplete, or writing the file needs the permission `edit`.
"""

from typing import Final

from tools_app.permission.names import ordered_names

READ_ONLY: Final = (
    *(
        f"{name} *"
        for name in ordered_names(
            "[ [[ awk base64 basename bc cal cat cd cksum cmp column comm command cut date declare df diff dirname du"
            " echo egrep exit expand export false fgrep file find fmt fold free gawk grep groups head hexdump hostname"
            " id join jq local locale ls lsof md5sum nl nproc od paste pgrep popd printenv printf ps pushd pwd read"
            " readlink readonly realpath return rev rg sed seq set sha1sum sha224sum sha256sum sha384sum sha512sum"
            " shift sleep sort stat strings tac tail test tr trap tree true type typeset umask unexpand uniq"
            " unset uname uptime wait wc which whoami xxd arch b2sum base32 fd expr iconv whereis yes ss netstat top"
        )
    ),
    ":",
    "break",
    "continue",
    "break *",
    "continue *",
    *(
        f"git {name} *"
        for name in ordered_names(
            "status diff log show shortlog blame rev-parse ls-files ls-tree describe rev-list name-rev merge-base"
            " cat-file for-each-ref show-ref count-objects check-ignore check-attr cherry range-diff diff-tree"
            " diff-index diff-files grep whatchanged version var"
        )
    ),
    "git branch",
    "git branch -a",
    "git branch -r",
    "git branch -v",
    "git branch -vv",
    "git branch -av",
    "git branch -avv",
    "git branch -a -v",
    "git branch -a -vv",
    "git branch --all",
    "git branch --show-current",
    "git branch --list *",
    "git branch --merged *",
    "git branch --no-merged *",
    "git branch --contains *",
    "git branch --sort=-committerdate",
    "git tag",
    "git tag -l *",
    "git tag -n",
    "git tag --list *",
    "git tag --sort=-creatordate",
    "git tag --sort=-v:refname",
    "git remote",
    "git remote -v",
    "git remote get-url *",
    "git stash list *",
    "git stash show *",
    "git config --get user.name",
    "git config --get user.email",
    "git config user.name",
    "git config user.email",
    "git worktree list *",
    "git reflog",
    "git reflog -10",
    "git",
    "git reflog show *",
    "git submodule status *",
    "git --version",
    "git help",
)
"""Commands that only read, and builtins and keywords of the shell."""

WRAPPERS: Final = ("timeout *", "time *", "nice *", "nohup *", "stdbuf *", "ionice *", "env *", "xargs *", "builtin *")
"""Commands that only run another command, which is judged separately."""

_TOOLS: Final = ordered_names(
    "ansible aws az bash black bun bundle cargo clang cmake composer curl deno docker dotnet eslint flutter g++ gcc gem"
    " gh go gradle helm java javac jest jq kubectl kotlin ld make mvn mypy node npm npx perl php pip pip3 pnpm poetry"
    " prettier psql pytest python python3 ruby ruff rustc rustup swift terraform tox tsc uv vite vitest wget yarn zig"
)

PROJECT_COMMANDS: Final = (
    *(f"{tool} --version" for tool in _TOOLS),
    "go version",
    "go env",
    "node -v",
    "npm -v",
    "python -V",
    "python3 -V",
    "java -version",
    "mkdir *",
    "touch *",
    "tee *",
    "cp *",
    "mv *",
    "tar tf *",
    "tar tzf *",
    "tar -tf *",
    "tar -tzf *",
    "tar -tvf *",
    "unzip -l *",
    "pytest *",
    *(
        f"{folder}/.bin/{name} *"
        for folder in ("node_modules", "./node_modules")
        for name in ("tsc", "eslint", "jest", "vitest", "mocha", "prettier --check")
    ),
    *(
        f"{folder}/bin/{name} *"
        for folder in (".venv", "venv", "./.venv", "./venv")
        for name in ("pytest", "python -m pytest", "ruff", "mypy")
    ),
    *(
        f"{python} manage.py {name} *"
        for python in ("python", "python3")
        for name in ("test", "check", "showmigrations")
    ),
    *(f"{python} manage.py makemigrations --check *" for python in ("python", "python3")),
    "ruff format *",
    "black *",
    "isort *",
    "bandit *",
    "yamllint *",
    "hadolint *",
    "actionlint *",
    "golangci-lint run *",
    "staticcheck *",
    "pre-commit run *",
    "mix test *",
    "swift test *",
    "swift build *",
    "composer show *",
    "poetry show *",
    "pnpm list *",
    "yarn list *",
    "go mod graph",
    "cmake --build *",
    "cmake -S *",
    "cmake .",
    "cmake ..",
    "playwright test *",
    "npx playwright test *",
    "biome check *",
    "npx biome check *",
    "prettier --write *",
    "npx prettier --write *",
    "rubocop *",
    "bundle exec rubocop *",
    "php -l *",
    "docker ps",
    "docker ps -a",
    "docker images",
    "docker version",
    "docker network ls",
    "docker volume ls",
    "kubectl get pods",
    "kubectl config current-context",
    "helm list",
    "terraform validate",
    "terraform fmt -check",
    "gh pr list",
    "gh run list",
    "npm run",
    *(f"{python} -m {module} *" for python in ("python", "python3") for module in ("pytest", "unittest", "mypy")),
    *(
        f"{python} -m {module} *"
        for python in ("python", "python3")
        for module in ("py_compile", "compileall", "json.tool")
    ),
    "ruff check *",
    "mypy *",
    "pyright *",
    "flake8 *",
    "pylint *",
    "tox *",
    "nox *",
    "coverage report *",
    "coverage run -m pytest *",
    "coverage html",
    "npm test *",
    "npm t",
    *(
        f"{manager} {script} *"
        for manager in ("npm run", "yarn", "yarn run", "pnpm", "pnpm run", "bun run")
        for script in ("test", "lint", "build", "typecheck", "type-check", "check", "format:check", "test:unit")
    ),
    "npm ls *",
    "npm list *",
    "bun test *",
    "node --test *",
    "node --check *",
    "tsc *",
    "eslint *",
    "jest *",
    "vitest *",
    "mocha *",
    "prettier --check *",
    "prettier -c *",
    "stylelint *",
    "npx tsc *",
    "npx eslint *",
    "npx jest *",
    "npx vitest *",
    "npx mocha *",
    "npx prettier --check *",
    *(
        f"cargo {name} *"
        for name in ("check", "test", "build", "clippy", "fmt", "bench", "doc", "tree", "metadata", "nextest")
    ),
    *(f"go {name} *" for name in ("test", "build", "vet", "fmt", "list", "doc")),
    "gofmt -l *",
    "gofmt -d *",
    "rustfmt --check *",
    "make",
    *(f"make {target} *" for target in ("test", "tests", "check", "lint", "build", "all", "typecheck", "help")),
    "make -n *",
    "rake test *",
    "rails test *",
    "bin/rails test *",
    "composer test *",
    "zig build test *",
    "bundle exec rspec *",
    "bundle exec rake test *",
    "rspec *",
    "phpunit *",
    "vendor/bin/phpunit *",
    "mvn test *",
    "mvn compile *",
    "mvn verify *",
    "gradle test *",
    "gradle build *",
    "gradle check *",
    "./gradlew test *",
    "./gradlew build *",
    "./gradlew check *",
    "./mvnw test *",
    "./mvnw compile *",
    "./mvnw verify *",
    "dotnet test *",
    "dotnet build *",
    "ctest *",
    "uv run *",
    "poetry run *",
    "pipenv run *",
    "pdm run *",
    *(f"hatch run {script} *" for script in ("test", "lint", "check", "typing", "cov")),
    "pip list *",
    "pip show *",
    "pip freeze",
    "pip check",
    "pip3 list *",
    "pip3 show *",
    "shellcheck *",
    "bats *",
    "uv pip list",
    "uv pip freeze",
    "uv tree",
    "gofmt -w *",
    *(f"{name} *" for name in ("gcc", "g++", "cc", "c++", "clang", "clang++", "javac")),
    *(f"{prefix}turbo run {script} *" for prefix in ("", "npx ") for script in ("test", "lint", "build", "typecheck")),
    "python -m ast *",
    "python3 -m ast *",
    "python -m tabnanny *",
    "python3 -m tabnanny *",
    "vulture *",
)
"""The project's own tests, linters and builds, which run code that is already in the workspace; commands that create
or copy files; and queries for versions and states."""
