"""Argument tables for tools of Python projects: test runners, linters, package managers. Sources: their manuals."""

from collections.abc import Mapping
from typing import Final

from tools_app.permission.shell.specs import ArgumentSpec, spec

_PIP: Final = spec(
    "",
    "--python! --log> --isolated --config-settings! -C! --report> --outdated! -o! --uptodate! -u! --index-url!"
    " --extra-index-url! -i! --find-links! -f --index! --pypi-url! --path/ --cache-dir]"
    " -t] --target] -d] --dest] --prefix] --root] -w] --wheel-dir] --src] --proxy! --cert<"
    " --client-cert< -v -q -l -e --local --user --format: --not-required --verbose --files --editable --exclude:",
    strict=False,
)

PYTHON: Final[Mapping[str, ArgumentSpec]] = {
    "pytest": spec(
        "",
        "--co --cov --collect-only --cov-report: --color: --capture: --count --basetemp>^ --junitxml> --junit-xml>"
        " --log-file> --resultlog> --report-log> -p! -c! --config-file! -o! --override-ini! --rootdir/ --confcutdir/"
        " --pdbcls! --debug> --cov-config< --pastebin! --html> --self-contained-html --json-report-file> --css<"
        " --json-report --md> --csv> --tap-outdir> --log-dir> --alluredir>^ --profile-svg --benchmark-json>"
        " --benchmark-storage> --excelreport> --template! --reruns: --rsyncdir< --tx! --dist: --log-level:"
        " --log-cli-level: --log-file-level: --log-format: --log-file-format: --log-date-format: --log-cli-format:"
        " --cache-show? --lf --ff --nf --sw --last-failed --failed-first --new-first --stepwise --version --help -h"
        " -k: -m: -r: -n: -W: --pythonwarnings: --durations: --maxfail: --tb: --timeout: --deselect: --ignore<"
        " --ignore-glob: --import-mode: -v -q -s -x -l --pyargs --doctest-modules --doctest-glob: --cov-fail-under:"
        " --cov-context:"
        " --cov-append --cov-branch --no-cov --no-header --no-summary --setup-show --fixtures --markers --runxfail"
        " --strict-markers --strict-config --strict --exitfirst --verbose --quiet --showlocals --numprocesses:"
        " --disable-warnings --disable-pytest-warnings --randomly-seed: --create-db --reuse-db --nomigrations --ds:",
        strict=False,
    ),
    "ruff": spec(
        "",
        "--fix= --fix-only= --unsafe-fixes= --add-noqa= -o> --output-file> --config! --cache-dir] --select: --ignore:"
        " --extend-select: --extend-ignore: --output-format: --target-version: --line-length: --exclude:"
        " --extend-exclude: --per-file-ignores: --stdin-filename: --extension: --fixable: --unfixable: --range: -v -q"
        " -s -e -n -h --diff --check --add-ignore= --show-fixes --statistics --show-files --show-settings --watch"
        " --no-fix --no-cache --isolated --preview --exit-zero --quiet --verbose --force-exclude",
        "n",
        strict=False,
    ),
    "mypy": spec(
        "",
        "--python-executable! --install-types! --config-file! --junit-xml> --html-report] --cache-dir]"
        " --timing-stats> --line-checking-stats> --custom-typing-module: --custom-typeshed-dir/ --shadow-file!"
        " --dump-type-stats --find-occurrences: --package-root/ -p: -m: -c! --command! --package: --module: -v -i"
        " --exclude: --python-version: --platform: --always-true: --always-false: --enable-error-code:"
        " --disable-error-code: --follow-imports: --output: --num-workers: --pretty --show-traceback --strict"
        " --install --sqlite-cache --export-ref-info --pdb --tb --raise-exceptions --cache-map! --quickstart-file<"
        " --bazel --any-exprs-report] --cobertura-xml-report] --linecount-report] --linecoverage-report]"
        " --lineprecision-report] --txt-report] --xml-report] --xslt-html-report] --xslt-txt-report>",
        "n",
        strict=False,
    ),
    "pylint": spec(
        "",
        "--init-hook! --load-plugins! --rcfile! --output> --evaluation! --import-graph> --ext-import-graph>"
        " --int-import-graph> --from-stdin --generate-rcfile --disable: --enable: -d: -e: -j: --jobs: -r: -s:"
        " --reports: --score: --fail-under: --fail-on: --msg-template: --max-line-length: --ignore: --ignore-patterns:"
        " --ignore-paths: --errors-only -E -v -h --extension-pkg-allow-list! --unsafe-load-any-extension!"
        " --persistent: --recursive: --confidence: --py-version: --spelling-dict: --spelling-private-dict-file>"
        " --spelling-store-unknown-words: --max-args: --good-names:",
        strict=False,
    ),
    "flake8": spec(
        "",
        "--config! --append-config! --output-file> --format! --enable-extensions: --require-plugins: --select:"
        " --ignore: --extend-ignore: --extend-select: --max-line-length: --max-complexity: --exclude:"
        " --extend-exclude: --filename: --per-file-ignores: --stdin-display-name: -j: --jobs: --tee --show-source"
        " --statistics --count --exit-zero --benchmark --bug-report --isolated --max-doc-length: --indent-size: -v -q"
        " -h",
        strict=False,
    ),
    "black": spec(
        "",
        "--config< -c! --code! -l: --line-length: -t: --target-version: --include: --exclude: --extend-exclude:"
        " --force-exclude: --stdin-filename: -W: --workers: --required-version: --enable-unstable-feature:"
        " --python-cell-magics: --line-ranges: --check --diff --color --fast --safe --quiet --verbose -q -v -S -C -h"
        " --skip-string-normalization --preview --pyi --ipynb --version --no-cache --unstable",
        strict=False,
    ),
    "tox": spec(
        "",
        "-x! --override! -c! --conf! --root! --workdir>^ --result-json> --devenv>^ --installpkg! --force-dep: --notest"
        " -e: -n: -p? -o -r -v -q -l -s? -k: -m: -f: --discover! --runner: --skip-env: --hashseed:"
        " --exit-and-dump-after: --parallel? --recreate --sitepackages -i! --index-url! --pre --default-runner:"
        " --alwayscopy --skip-pkg-install",
        strict=False,
    ),
    "nox": spec(
        "",
        "-f! --noxfile! --extra-pythons: --force-python! -P! --envdir>^ --report> -db: --default-venv-backend:"
        " --force-venv-backend: -fb: -s: -e: --session: --sessions: -k: --keywords: -t: --tags: -p! --pythons!"
        " --python! -r -R -l -v -x -N --list --download-python! --verbose --script-mode: --usage: --json",
        strict=False,
    ),
    "pip": _PIP,
    "pip3": _PIP,
    "poetry": spec(
        "",
        "--latest! -l! --outdated! -o! -C/ --directory/ -P/ --project/ --top-level --tree -t -T -a --all --why"
        " --with: --without: --only: --no-dev --no-ansi --no-plugins -q -v -n --quiet --verbose",
        strict=False,
    ),
    "pyright": spec(
        "",
        "--pythonpath! --pythonplatform: --pythonversion: -p/ --project/ --venvpath/ -v/ --typeshedpath/ -t/"
        " --createstub: --writebaseline --verifytypes: --level: --threads: --outputjson --warnings --stats -w",
        strict=False,
    ),
    "isort": spec(
        "",
        "--settings-path! --sp! --settings-file! -c --check --check-only --diff --df --profile: -l: --line-length:"
        " --skip: --sg: --skip-glob: -s: -m: -w: -a: -p: -o: -t: -q -v -e --src< --stdout -d --only-modified -j:"
        " --jobs: --project: --virtual-env/ --conda-env/ --format-error: --format-success: --formatter! --sort-order!"
        " --supported-extension: --blocked-extension: --ext-format:"
        " --add-import: --rm: --python-version: --py: --filename: --atomic --float-to-top --show-config --show-files",
        strict=False,
    ),
    "coverage": spec(
        "",
        "--rcfile! -d>^ --directory>^ --data-file> -o> --format: -m --show-missing -i --ignore-errors --include:"
        " --omit: --source: --fail-under: --skip-covered --skip-empty --precision: --sort: --concurrency: --context:"
        " --branch --parallel-mode -p -a --append -L --timid --pylib --title: --show-contexts --contexts: -q --quiet"
        " --debug: --extra-css< --save-signal:",
        strict=False,
    ),
    "bandit": spec(
        "",
        "-c! --configfile! -o> --output> -f: --format: -b< --baseline< --ini! -t: -s: -p: -x: -a: -n: --msg-template:"
        " --exclude: --skip: --tests: --profile: --aggregate: --number: -r --recursive -l -i -v -d -q --quiet"
        " --verbose --severity-level: --confidence-level: --exit-zero --debug --ignore-nosec",
        strict=False,
    ),
    "pre-commit": spec(
        "",
        "-c! --config! --from-ref: --to-ref: -s: -o: --source: --origin: --files< --hook-stage: --remote-branch:"
        " --local-branch: --remote-name: --remote-url: --color: --commit-msg-filename<"
        " --prepare-commit-message-source: --commit-object-name: --checkout-type: --rewrite-command:"
        " --is-squash-merge: --pre-rebase-branch: --pre-rebase-upstream: -a --all-files -v --verbose"
        " --show-diff-on-failure --fail-fast -j: --jobs:",
        strict=False,
    ),
    "vulture": spec(
        "",
        "--config! --exclude: --ignore-names: --ignore-decorators: --min-confidence: --make-whitelist --sort-by-size"
        " -v",
        strict=False,
    ),
    "yamllint": spec(
        "",
        "-c! --config-file! -d! --config-data! -f: --format: -s --strict --no-warnings",
        strict=False,
    ),
    "compileall": spec(
        "",
        "-i<! -d: -x: -j: -r: -o: -p: -s: -e/ --hardlink-dupes --invalidation-mode: -l -f -q -b -h --workers:",
        strict=False,
    ),
    "py_compile": spec(
        "",
        "-q --quiet",
        strict=False,
    ),
    "unittest": spec(
        "",
        "-s/ -t/ -p: -k: --start-directory/ --top-level-directory/ --pattern: --durations: -v -q -f -c -b --verbose"
        " --quiet --locals --failfast --catch --buffer",
        strict=False,
    ),
}
