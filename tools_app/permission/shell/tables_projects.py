"""Runners of tests, linters and builds: they run the project's own code, and these options reach beyond that.

Sources: the manuals of pytest 8, ruff, mypy, npm, cargo, go and GNU make.
"""

from collections.abc import Mapping
from typing import Final

from tools_app.permission.shell.options import Form, form

PROJECT: Final[Mapping[str, Form]] = {
    "pytest": form(
        "",
        "--basetemp> --junitxml> --junit-xml> --log-file> --resultlog> --report-log> -p! -c! --config-file! -o!"
        " --override-ini! --rootdir/ --confcutdir/ --pdbcls! --debug> --cov-config<",
        strict=False,
    ),
    "ruff": form(
        "",
        "--fix= --fix-only= --unsafe-fixes= --add-noqa= -o> --output-file> --config!",
        "tx".replace("x", "n"),
        strict=False,
    ),
    "mypy": form(
        "",
        "--python-executable! --install-types! --config-file! --junit-xml> --html-report> --cache-dir>",
        "n",
        strict=False,
    ),
    "cargo": form("", "--config! -Z! --target-dir> --out-dir> -C/", strict=False),
    "go": form(
        "", "-exec! -toolexec! -vettool! -overlay! -o> -coverprofile> -C/ -modfile! -ldflags! -gcflags!", strict=False
    ),
    "make": form("", "-f! --file! --makefile! --eval! -C/ --directory/ -I/ -E!", strict=False),
    "npm": form("", "--prefix/ --script-shell! --node-options! --userconfig! --globalconfig! -C/", strict=False),
    "tsc": form("", "--outDir> --outFile> --declarationDir>", strict=False),
    "eslint": form(
        "", "-o> --output-file> --rulesdir! --resolve-plugins-relative-to! --parser! --plugin!", strict=False
    ),
}
