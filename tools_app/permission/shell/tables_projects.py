"""Runners of tests, linters and builds: they run the project's own code, and these options reach beyond that.

Sources: the manuals of the tools. Marked are options that hold code, name a program or a library to load, or write.
"""

from collections.abc import Mapping
from typing import Final

from tools_app.permission.shell.options import Form, form

_COMPILER: Final = form(
    "", "-wrapper! -specs! --specs! -B! -fplugin! -Xclang! -fuse-ld! -o> -I/ -L/ -include<", strict=False
)
_JEST: Final = form(
    "",
    "--config! -c! --globalSetup! --globalTeardown! --setupFiles! --setupFilesAfterEnv! --runner! --testRunner!"
    " --transform! --reporters! --testEnvironment! --outputFile>",
    strict=False,
)

PROJECT: Final[Mapping[str, Form]] = {
    "pytest": form(
        "",
        "--co --cov --collect-only --cov-report: --color: --capture: --count --basetemp> --junitxml> --junit-xml>"
        " --log-file> --resultlog> --report-log> -p! -c! --config-file! -o! --override-ini! --rootdir/ --confcutdir/"
        " --pdbcls! --debug> --cov-config<",
        strict=False,
    ),
    "ruff": form("", "--fix= --fix-only= --unsafe-fixes= --add-noqa= -o> --output-file> --config!", "tn", strict=False),
    "mypy": form(
        "",
        "--python-executable! --install-types! --config-file! --junit-xml> --html-report> --cache-dir>",
        "n",
        strict=False,
    ),
    "pylint": form("", "--init-hook! --load-plugins! --rcfile! --output>", strict=False),
    "flake8": form("", "--config! --append-config! --output-file>", strict=False),
    "black": form("", "--config<", strict=False),
    "tox": form("", "-x! --override! -c! --conf! --root! --workdir> --result-json>", strict=False),
    "nox": form("", "-f! --noxfile!", strict=False),
    "dotnet": form("", "-p! -p:! /p:! --property! --settings! --logger! -l! --output> -o>", strict=False),
    "pip": form("", "--python! --log> --isolated --config-settings! -C! --report>", strict=False),
    "pip3": form("", "--python! --log> --isolated --config-settings! -C! --report>", strict=False),
    "pyright": form("", "--pythonpath! -p/ --project/ --venvpath/", strict=False),
    "actionlint": form("", "-shellcheck! -pyflakes! -config-file<", strict=False),
    "isort": form("", "--settings-path< --sp< --settings-file<", strict=False),
    "coverage": form("", "--rcfile! -d> --directory>", strict=False),
    "swift": form(
        "", "-Xswiftc! -Xlinker! -Xcc! -Xcxx! --toolchain! --sdk! --scratch-path> --build-path>", strict=False
    ),
    "bandit": form("", "-c! -o> --output>", strict=False),
    "cargo": form("", "--config! -Z! --open! --target-dir> --out-dir> -C/", strict=False),
    "go": form(
        "",
        "-exec! -toolexec! -vettool! -overlay! -o> -coverprofile> -C/ -modfile! -ldflags! -gcflags! -asmflags!"
        " -fuzzcachedir>",
        strict=False,
    ),
    "gofmt": form("", "-cpuprofile>", strict=False),
    "make": form("", "-f! --file! --makefile! --eval! -C/ --directory/ -I/ -E!", strict=False, sets=True),
    "cmake": form("", "-P! -E! -C! -D! --toolchain!", strict=False, sets=True),
    "ctest": form("", "-S! --script! -SP! --build-and-test! -D!", strict=False),
    "npm": form(
        "", "--prefix/ --script-shell! --node-options! --userconfig! --globalconfig! -C/ --shell!", strict=False
    ),
    "yarn": form("", "--cwd/ --use-yarnrc! --script-shell!", strict=False),
    "pnpm": form("", "-C/ --dir/ --script-shell! --config.script-shell!", strict=False),
    "bun": form("", "-e! --eval! -p! --print! --preload! -r! --cwd/", strict=False),
    "deno": form("", "--version --help", strict=False),
    "tsc": form("", "--outDir> --outFile> --declarationDir>", strict=False),
    "eslint": form(
        "",
        "-c! --config! -o> --output-file> --rulesdir! --resolve-plugins-relative-to! --parser! --plugin! -f!"
        " --format! --fix=",
        "n",
        strict=False,
    ),
    "prettier": form("", "--plugin! --config! --write= -w=", "n", strict=False),
    "stylelint": form(
        "", "--custom-syntax! --custom-formatter! --config! -o> --output-file> --fix=", "n", strict=False
    ),
    "jest": _JEST,
    "vitest": _JEST,
    "mocha": form("", "-r! --require! --config! --opts! --reporter! -R! --ui! -u! --import! --loader!", strict=False),
    "playwright": form("", "-c! --config! --reporter!", strict=False),
    "rspec": form("", "-r! --require! -I! -O! --options! -f! --format! -o> --out>", strict=False),
    "rubocop": form(
        "", "-r! --require! -c! --config! -f! --format! -o> --out> -a= -A= --autocorrect=", "n", strict=False
    ),
    "rake": form("", "-e! -p! -E! -r! -f! -I! --execute! --require! --rakefile!", strict=False, sets=True),
    "phpunit": form("", "--bootstrap! -c! --configuration! --printer! --include-path! -d!", strict=False),
    "mvn": form("", "-f! --file! -s! --settings! -gs! -t!", strict=False),
    "gradle": form("", "-I! --init-script! -b! --build-file! -c! -p/ -g/", strict=False),
    "golangci-lint": form("", "--config! -c! --fix", strict=False),
    "pre-commit": form("", "-c! --config!", strict=False),
    **dict.fromkeys(("gcc", "g++", "cc", "c++", "clang", "clang++"), _COMPILER),
}
