"""Argument tables for tools of JavaScript projects: test runners, linters, package managers. Sources: manuals."""

from collections.abc import Mapping
from typing import Final

from tools_app.permission.shell.specs import ArgumentSpec, spec

_ESLINT: Final = spec(
    "",
    "-c! --config! -o> --output-file> --rulesdir! --resolve-plugins-relative-to! --parser! --plugin! -f!"
    " --format! --fix= --cache-location> --cache-file> --init! --inspect-config! --mcp! --suppressions-location>"
    " --rule: --suppress-all --fix-dry-run --fix-type: --flag! --ext: --global: --env: --max-warnings: --cache"
    " --quiet --debug --cache-strategy: --concurrency: --no-eslintrc",
    "n",
    strict=False,
)
_JEST: Final = spec(
    "",
    "--execArgv! --node-options! --config! -c! --globalSetup! --globalTeardown! --setupFiles!"
    " --setupFilesAfterEnv! --runner! --testRunner! --transform! --reporters! --testEnvironment! --outputFile>"
    " --coverageDirectory] --init! --resolver! --filter! --testResultsProcessor! --testSequencer!"
    " --snapshotResolver! --cacheDirectory>^ --coverageProvider: --watchman --watch --watchAll --json --verbose"
    " --ci --silent --coverage --runInBand --run -t: --testNamePattern: --changedSince: -w: --maxWorkers: -i -o -u"
    " -b",
    strict=False,
)
_VITEST: Final = spec(
    "",
    "--execArgv! --node-options! --config! -c! --globalSetup! --setupFiles! --runner! --reporter! --reporters!"
    " --environment! --outputFile> --coverage.reportsDirectory>^ --reportsDirectory>^ --customProviderModule!"
    " --browser.provider! --pool! --api: --standalone --dir/ --root/ -r/ --attachmentsDir>^ --run --ui --watch"
    " --coverage -t: --testNamePattern: --changed: --project: --shard: --cache.dir>^ --mergeReports?"
    " --fsModuleCachePath>^ --outputJson> --sequencer!"
    " --typecheck.checker! --checker! --diff! --vmMemoryLimit: --inspect: --inspectBrk: --open! --browser.name:",
    strict=False,
)

NODE: Final[Mapping[str, ArgumentSpec]] = {
    "turbo": spec(
        "",
        "--cwd/ --profile> --anon-profile> --cache-dir] --graph> --root-turbo-json! --api! --token! --team! --teamid!"
        " --login! --preflight! --remote-cache-timeout: --remote-only --remote-cache-read-only --cache! -F: --filter:"
        " --concurrency: --env-mode: --framework-inference: --output-logs: --log-order: --log-prefix: --ui: -v"
        " --verbosity: --dry? --dry-run? --summarize? --continue? --force? --parallel --only --daemon --no-daemon"
        " --affected --no-cache --global-deps: --heap> --trace> --dangerously-disable-package-manager-check",
        strict=False,
    ),
    "npm": spec(
        "",
        "--prefix/ --script-shell! --node-options! --userconfig! --globalconfig! -C/ --shell! --editor! --viewer!"
        " --registry! --proxy! --https-proxy! --cafile< --git! --browser! --call! -c! --globalPrefix! --init-module!"
        " --cache> --logs-dir] --local-prefix/ -w: --workspace: --workspaces --ws -ws --long -l --json --parseable -p"
        " --global -g --depth: --all -a --if-present --ignore-scripts --foreground-scripts --scope: --omit: --include:"
        " --silent -s --quiet -q -d -dd -ddd --verbose --loglevel: --color: --offline --yes --no"
        " --include-workspace-root --iwr --node-gyp! --node-version: --onload-script! --timing --tmp>"
        " --update-notifier --script: --noproxy! --strict-ssl! --cert! --key! --otp: --package-lock-only --production"
        " --dev --link --unicode",
        strict=False,
        one_dash=True,
    ),
    "yarn": spec(
        "",
        "--cwd/ --use-yarnrc! --script-shell! --modules-folder! --cache-folder] --registry! --proxy! --https-proxy!"
        " --global-folder! --preferred-cache-folder> --link-folder! --mutex: --depth: --pattern: --json -s --silent"
        " --use-manifest! --network-timeout: --temp-folder>",
        strict=False,
    ),
    "pnpm": spec(
        "",
        "-C/ --dir/ --script-shell! --config.script-shell! --shell-emulator: --node-options! --config! --store-dir>"
        " --registry! --global-dir! --modules-dir! --lockfile-dir> --virtual-store-dir> --npmrc-auth-file!"
        " --global-bin-dir! --userconfig! --globalconfig! --pnpmfile! --global-pnpmfile! --proxy! --https-proxy!"
        " --use-node-version! --filter: -F: -r --recursive --filter-prod: --depth: --workspace-concurrency:"
        " --reporter: --changed-files-ignore-pattern: --test-pattern: --resume-from: --report-summary --sequential",
        strict=False,
    ),
    "bun": spec(
        "",
        "-e! --eval! -p! --print! --preload! -r! --require! --import! --cwd/ --reporter-outfile> --coverage-dir] -c!"
        " --config! --env-file! --tsconfig-override! --shell! --inspect: --inspect-brk: --cpu-prof-dir]"
        " --heap-prof-dir] --define! -d! --loader! -l! --conditions: --filter: -F: -t: --test-name-pattern: --timeout:"
        " --bail? --rerun-each: --preconnect! --install! -i! --extension-order: --main-fields: --outdir] --outfile>"
        " --public-dir/ --reporter: --only --todo --coverage --coverage-reporter: --watch --hot --smol --seed:"
        " --max-concurrency:",
        strict=False,
    ),
    "deno": spec(
        "",
        "--version --help",
        strict=False,
    ),
    "tsc": spec(
        "",
        "--outDir] --outFile> --declarationDir] --tsBuildInfoFile> --init! --generateTrace] --generateCpuProfile>"
        " --out> -p/ --project/ --rootDir/ --baseUrl/ --plugins! --locale: -t: --target: -m: --module: --lib: --jsx:"
        " --types: --moduleResolution: --strict --noEmit --watch -w -b --build -d --declaration -h -v --listFiles"
        " --skipLibCheck --traceResolution --diagnostics --pretty --incremental -i --typeRoots/ --rootDirs/ --mapRoot:"
        " --sourceRoot:",
        strict=False,
        one_dash=True,
    ),
    "eslint": _ESLINT,
    "prettier": spec(
        "",
        "--plugin! --config! --write= -w= --cache-location> --cache-file> --plugin-search-dir! --check -c -l -u -h"
        " --ignore-path< --find-config-path< --parser: --stdin-filepath: --log-level: --loglevel: --tab-width: --cache"
        " --print-width: --single-quote --no-config --config-precedence: --list-different --cache-strategy:"
        " --file-info< --trailing-comma: --end-of-line: --arrow-parens: --ignore-unknown"
        " --no-error-on-unmatched-pattern --color",
        "n",
        strict=False,
    ),
    "biome": spec(
        "",
        "--write= --fix= --apply= --apply-unsafe= --unsafe= --suppress= --config-path! --reporter-file> --log-file>"
        " --log-path> --reason: --reporter: --max-diagnostics: --diagnostic-level: --log-level: --log-kind: --colors:"
        " --only: --skip: --vcs-root/ --vcs-client-kind: --vcs-default-branch: --since: --stdin-file-path: --changed"
        " --staged --verbose --error-on-warnings --use-server --profile-rules --watch",
        strict=False,
    ),
    "stylelint": spec(
        "",
        "--custom-syntax! --custom-formatter! --config! -c! --config-basedir! -o> --output-file> --fix="
        " --cache-location> --cache-file> --stdin-filename: -f: --formatter: -i< --ignore-path< --ip:"
        " --ignore-pattern: --mw: --max-warnings: --globby-options: --go: --cache --print-config --aei --quiet -q"
        " --cache-strategy: --suppress= --suppress-location>",
        "n",
        strict=False,
    ),
    "jest": _JEST,
    "vitest": _VITEST,
    "mocha": spec(
        "",
        "-r! --require! --config! --opts! --reporter! -R! --ui! -u! --package! --file! --extension:"
        " --reporter-option: --reporter-options: -O: --output> -g: --grep: -f: --fgrep: -t: --timeout: -s: --slow: -j:"
        " --jobs: -w -p -b -c --watch-files: --watch-ignore: --ignore: --exclude: --spec: --retries: --bail"
        " --check-leaks --globals: --global-setup! --recursive --parallel --exit --forbid-only --forbid-pending"
        " --color --colors --diff --sort --node-option! -n! --import! --loader! --experimental-loader! --eval!"
        " --print! --env-file! --env-file-if-exists! --inspect-brk: --inspect: --openssl-config< --icu-data-dir<"
        " --diagnostic-dir] --report-dir] --cpu-prof-dir] --heap-prof-dir] --redirect-warnings>"
        " --trace-event-file-pattern> --localstorage-file> --experimental-config-file! --allow-child-process"
        " --build-snapshot! --snapshot-blob! --experimental-sea-config! --require-module --title: --test-reporter!"
        " --test-reporter-destination> --experimental-default-type: --conditions: --report-filename>",
        strict=False,
    ),
    "playwright": spec(
        "",
        "-c! --config! --reporter! --output>^ --ui-host: --ui-port: --tsconfig! --only-changed: --test-list< -g:"
        " --grep: --grep-invert: --project: -j: --workers: --retries: --timeout: --shard: --repeat-each: --trace: -u?"
        " -x --update-snapshots? --max-failures: --headed --list --ui --debug --quiet --last-failed"
        " --pass-with-no-tests",
        strict=False,
    ),
}
