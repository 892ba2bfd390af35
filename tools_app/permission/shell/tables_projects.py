"""Argument tables for test runners, linters and build tools, which run the project's own code.

Options that go beyond that are marked: they contain code, name a program or library to load, or write files. Sources:
the manuals of the tools.
"""

from collections.abc import Mapping
from typing import Final

from tools_app.permission.shell.names import ordered_names
from tools_app.permission.shell.specs import ArgumentSpec, spec

_COMPILER: Final = spec(
    "", "-wrapper! -specs! --specs! -B! -fplugin! -Xclang! -fuse-ld! -o> -I/ -L/ -include<", strict=False
)
_JEST: Final = spec(
    "",
    "--config! -c! --globalSetup! --globalTeardown! --setupFiles! --setupFilesAfterEnv! --runner! --testRunner!"
    " --transform! --reporters! --testEnvironment! --outputFile>",
    strict=False,
)

_GO: Final = ordered_names(
    "-exec! -toolexec! -vettool! -overlay! -o> -coverprofile> -C/ -modfile! -ldflags! -gcflags! -asmflags!"
    " -fuzzcachedir> -cpuprofile> -memprofile> -blockprofile> -mutexprofile> -trace> -outputdir>"
    " -test.coverprofile> -test.cpuprofile> -test.memprofile>"
    " -test.blockprofile> -test.mutexprofile> -test.trace> -test.outputdir> -pkgdir>"
)
"""With one dash; Go accepts two as well."""
_MYPY_REPORTS: Final = (
    " --any-exprs-report> --cobertura-xml-report> --linecount-report> --linecoverage-report> --lineprecision-report>"
    " --txt-report> --xml-report> --xslt-html-report> --xslt-txt-report>"
)

PROJECT: Final[Mapping[str, ArgumentSpec]] = {
    "pytest": spec(
        "",
        "--co --cov --collect-only --cov-report: --color: --capture: --count --basetemp> --junitxml> --junit-xml>"
        " --log-file> --resultlog> --report-log> -p! -c! --config-file! -o! --override-ini! --rootdir/ --confcutdir/"
        " --pdbcls! --debug> --cov-config< --pastebin!",
        strict=False,
    ),
    "ruff": spec("", "--fix= --fix-only= --unsafe-fixes= --add-noqa= -o> --output-file> --config!", "tn", strict=False),
    "mypy": spec(
        "",
        "--python-executable! --install-types! --config-file! --junit-xml> --html-report> --cache-dir>" + _MYPY_REPORTS,
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
    "go": spec("", " ".join([*_GO, *(f"-{each}" for each in _GO)]), strict=False),
    "gofmt": spec("", "-cpuprofile> -w=", "n", strict=False),
    "bats": spec("", "--formatter! -F! --report-formatter! -o> --output> --gather-test-outputs-in>", strict=False),
    "turbo": spec("", "--cwd/ --profile> --anon-profile> --cache-dir> --graph> --root-turbo-json!", strict=False),
    "make": spec("", "-f! --file! --makefile! --eval! -C/ --directory/ -I/ -E!", strict=False, sets=True),
    "cmake": spec(
        "",
        "-P! -E! -C! -D! --toolchain! -B> --graphviz> --trace-redirect> --profiling-output>",
        strict=False,
        sets=True,
    ),
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
    **dict.fromkeys(
        (
            "gcc",
            "g++",
            "cc",
            "c++",
            "clang",
            "clang++",
            "c89",
            "c99",
            "c89-gcc",
            "c99-gcc",
            "cpp",
            "cpp-12",
            "gcc-12",
            "musl-gcc",
            "x86_64-linux-gnu-gcc",
            "x86_64-linux-gnu-gcc-12",
            "x86_64-linux-musl-gcc",
        ),
        _COMPILER,
    ),
    **dict.fromkeys(("ld", "ld.bfd", "ld.gold", "gold"), spec("", "-plugin! --plugin! -o> --output>", strict=False)),
    **dict.fromkeys(
        ("apt", "apt-get", "apt-cache", "apt-config"), spec("", "-o! --option! -c! --config-file!", strict=False)
    ),
    "dpkg": spec("", "--pre-invoke! --post-invoke! --root/ --instdir/ --admindir/", strict=False),
}
