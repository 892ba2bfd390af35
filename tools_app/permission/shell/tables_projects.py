"""Argument tables for test runners, linters and build tools, which run the project's own code.

Options that go beyond that are marked: they contain code, name a program or library to load, or write files. Sources:
the manuals of the tools.
"""

from collections.abc import Mapping
from typing import Final

from tools_app.permission.shell.options import ArgumentSpec, spec

_COMPILER: Final = spec(
    "", "-wrapper! -specs! --specs! -B! -fplugin! -Xclang! -fuse-ld! -o> -I/ -L/ -include<", strict=False
)
_JEST: Final = spec(
    "",
    "--config! -c! --globalSetup! --globalTeardown! --setupFiles! --setupFilesAfterEnv! --runner! --testRunner!"
    " --transform! --reporters! --testEnvironment! --outputFile>",
    strict=False,
)

PROJECT: Final[Mapping[str, ArgumentSpec]] = {
    "pytest": spec(
        "",
        "--co --cov --collect-only --cov-report: --color: --capture: --count --basetemp> --junitxml> --junit-xml>"
        " --log-file> --resultlog> --report-log> -p! -c! --config-file! -o! --override-ini! --rootdir/ --confcutdir/"
        " --pdbcls! --debug> --cov-config<",
        strict=False,
    ),
    "ruff": spec("", "--fix= --fix-only= --unsafe-fixes= --add-noqa= -o> --output-file> --config!", "tn", strict=False),
    "mypy": spec(
        "",
        "--python-executable! --install-types! --config-file! --junit-xml> --html-report> --cache-dir>",
        "n",
        strict=False,
    ),
    "pylint": spec("", "--init-hook! --load-plugins! --rcfile! --output>", strict=False),
    "flake8": spec("", "--config! --append-config! --output-file>", strict=False),
    "black": spec("", "--config<", strict=False),
    "tox": spec("", "-x! --override! -c! --conf! --root! --workdir> --result-json>", strict=False),
    "nox": spec("", "-f! --noxfile!", strict=False),
    "dotnet": spec("", "-p! -p:! /p:! --property! --settings! --logger! -l! --output> -o>", strict=False),
    "pip": spec("", "--python! --log> --isolated --config-settings! -C! --report>", strict=False),
    "pip3": spec("", "--python! --log> --isolated --config-settings! -C! --report>", strict=False),
    "pyright": spec("", "--pythonpath! -p/ --project/ --venvpath/", strict=False),
    "actionlint": spec("", "-shellcheck! -pyflakes! -config-file<", strict=False),
    "isort": spec("", "--settings-path< --sp< --settings-file<", strict=False),
    "coverage": spec("", "--rcfile! -d> --directory>", strict=False),
    "swift": spec(
        "", "-Xswiftc! -Xlinker! -Xcc! -Xcxx! --toolchain! --sdk! --scratch-path> --build-path>", strict=False
    ),
    "bandit": spec("", "-c! -o> --output>", strict=False),
    "cargo": spec("", "--config! -Z! --open! --target-dir> --out-dir> -C/", strict=False),
    "go": spec(
        "",
        "-exec! -toolexec! -vettool! -overlay! -o> -coverprofile> -C/ -modfile! -ldflags! -gcflags! -asmflags!"
        " -fuzzcachedir>",
        strict=False,
    ),
    "gofmt": spec("", "-cpuprofile>", strict=False),
    "make": spec("", "-f! --file! --makefile! --eval! -C/ --directory/ -I/ -E!", strict=False, sets=True),
    "cmake": spec("", "-P! -E! -C! -D! --toolchain!", strict=False, sets=True),
    "ctest": spec("", "-S! --script! -SP! --build-and-test! -D!", strict=False),
    "npm": spec(
        "", "--prefix/ --script-shell! --node-options! --userconfig! --globalconfig! -C/ --shell!", strict=False
    ),
    "yarn": spec("", "--cwd/ --use-yarnrc! --script-shell!", strict=False),
    "pnpm": spec("", "-C/ --dir/ --script-shell! --config.script-shell!", strict=False),
    "bun": spec("", "-e! --eval! -p! --print! --preload! -r! --cwd/", strict=False),
    "deno": spec("", "--version --help", strict=False),
    "tsc": spec("", "--outDir> --outFile> --declarationDir>", strict=False),
    "eslint": spec(
        "",
        "-c! --config! -o> --output-file> --rulesdir! --resolve-plugins-relative-to! --parser! --plugin! -f!"
        " --format! --fix=",
        "n",
        strict=False,
    ),
    "prettier": spec("", "--plugin! --config! --write= -w=", "n", strict=False),
    "stylelint": spec(
        "", "--custom-syntax! --custom-formatter! --config! -o> --output-file> --fix=", "n", strict=False
    ),
    "jest": _JEST,
    "vitest": _JEST,
    "mocha": spec("", "-r! --require! --config! --opts! --reporter! -R! --ui! -u! --import! --loader!", strict=False),
    "playwright": spec("", "-c! --config! --reporter!", strict=False),
    "rspec": spec("", "-r! --require! -I! -O! --options! -f! --format! -o> --out>", strict=False),
    "rubocop": spec(
        "", "-r! --require! -c! --config! -f! --format! -o> --out> -a= -A= --autocorrect=", "n", strict=False
    ),
    "rake": spec("", "-e! -p! -E! -r! -f! -I! --execute! --require! --rakefile!", strict=False, sets=True),
    "phpunit": spec("", "--bootstrap! -c! --configuration! --printer! --include-path! -d!", strict=False),
    "mvn": spec("", "-f! --file! -s! --settings! -gs! -t!", strict=False),
    "gradle": spec("", "-I! --init-script! -b! --build-file! -c! -p/ -g/", strict=False),
    "golangci-lint": spec("", "--config! -c! --fix", strict=False),
    "pre-commit": spec("", "-c! --config!", strict=False),
    **dict.fromkeys(("gcc", "g++", "cc", "c++", "clang", "clang++"), _COMPILER),
}
