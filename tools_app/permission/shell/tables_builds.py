"""Argument tables for build tools, and for tools of languages other than Python and JavaScript. Sources: their
manuals."""

from collections.abc import Mapping
from typing import Final

from tools_app.permission.names import ordered_names
from tools_app.permission.shell.specs import ArgumentSpec, spec

_GO: Final = ordered_names(
    "-exec! -toolexec! -vettool! -overlay! -o> -coverprofile> -C/ -modfile! -ldflags! -gcflags! -asmflags!"
    " -fuzzcachedir] -cpuprofile> -memprofile> -blockprofile> -mutexprofile> -trace> -outputdir] -test.coverprofile>"
    " -test.cpuprofile> -test.memprofile> -test.blockprofile> -test.mutexprofile> -test.trace> -test.outputdir]"
    " -pkgdir> -compiler! -gccgoflags! -u! -versions! -retracted! -reuse! -http! -fuzz: -run: -bench: -skip: -tags:"
    " -debug-actiongraph> -debug-trace> -pgo< -x -v -n -i -c -race -json -cover -cpu: -count: -p: -e -f: -m -d"
    " -debug-runtime-trace> -coverpkg: -covermode: -buildmode: -mod: -timeout: -parallel: -short -failfast -vet:"
    " -list: -benchtime: -benchmem -a"
)
"""With one dash; Go accepts two as well."""

BUILDS: Final[Mapping[str, ArgumentSpec]] = {
    "dotnet": spec(
        "",
        "-p:! /p:! --property! -property! --settings! -s! --logger! -l! --output> -o> -bl?> -binarylogger?> -logger!"
        " -distributedlogger! -dl! -flp! -fileloggerparameters! -fl -profileevaluation> -pp?> -preprocess?> -ts?>"
        " -targets?> -graph -outputresultscache> -orc> -inputresultscaches< -irc< --diag> -d> --results-directory] -r:"
        " --runtime: --collect! --test-adapter-path! -a! --artifacts-path> --source! --blame --environment! -e! -c:"
        " --configuration: -f: --framework: -v: --verbosity: -t: -target: --filter: --no-build --no-restore --nologo"
        " --interactive --os: --arch: --self-contained --version-suffix: --tl: -m -maxcpucount -nr -restore"
        " -noautoresponse -consoleloggerparameters: -clp: -warnaserror: -warnnotaserror: -check -getproperty:"
        " -getitem: -projectoutput -extensionspath! -toolsversion: -tv: -detailedsummary --list-tests -lt"
        " --use-current-runtime --use-lock-file>",
        strict=False,
        one_dash=True,
    ),
    "composer": spec(
        "",
        "--available! -a! --latest! -l! --outdated! -o! --all! -A -d/ --working-dir/ --direct -D --locked --installed"
        " -i -t --tree -N --name-only -s -P --path --self --platform -p -m --minor-only --format: -f: -q -v -n",
        strict=False,
    ),
    "actionlint": spec(
        "",
        "-shellcheck! -pyflakes! -config-file< -init-config! -ignore: -format: -stdin-filename: -color -verbose"
        " -debug -oneline -no-color -version",
        strict=False,
        one_dash=True,
    ),
    "swift": spec(
        "",
        "-Xswiftc! -Xlinker! -Xcc! -Xcxx! -Xbuild-tools-swiftc! -Xmanifest! --toolchain! --sdk! --swift-sdk!"
        " --triple: --scratch-path> --build-path> --package-path/ --cache-path> --config-path/ --security-path/"
        " --xunit-output> --destination! --multiroot-data-file! --netrc-file< --pkg-config-path/ --swift-sdks-path/"
        " --toolset! --disable-sandbox! --filter: --skip: -c: --configuration: --target: --product: -j: --jobs: -v -q"
        " --parallel --enable-code-coverage --num-workers: --attachments-path> --event-stream-output-path>",
        strict=False,
        one_dash=True,
    ),
    "cargo": spec(
        "",
        "--config! -Z! --open! --target-dir] --out-dir] --artifact-dir] -C/ --manifest-path< --lockfile-path> --fix="
        " --timings? --profile: -p: --package: -F: --features: --exclude: --bin: --test: --example: --bench: --target:"
        " -j: --jobs: -e: --edges: -i: --invert: --depth: --format: --message-format: --config-file!"
        " --tool-config-file! --archive-file< --extract-to> --binaries-metadata< --cargo-metadata< --user-config-file!"
        " -E: --filterset: --filter-expr: -P: -v -q -r --release --workspace --all --all-targets --all-features"
        " --no-default-features --lib --bins --tests --doc --no-run --no-fail-fast --color: --frozen --locked"
        " --offline --keep-going --ignore-rust-version --check --filter-platform: --prune: --charset: --prefix:"
        " --no-deps --format-version:",
        strict=False,
    ),
    "rustfmt": spec(
        "",
        "--print-config!> --config-path! --config! --emit: --edition: --style-edition: --file-lines: --color:"
        " --backup= --check --verbose -v -q -l --files-with-diff --quiet --unstable-features --skip-children",
        strict=False,
    ),
    "go": spec("", " ".join(_GO), strict=False, one_dash=True),
    "gofmt": spec(
        "",
        "-cpuprofile> -w= -r: -l -d -e -s -lang: -modpath:",
        "n",
        strict=False,
        one_dash=True,
    ),
    "staticcheck": spec(
        "",
        "-debug.cpuprofile> -debug.memprofile> -debug.measure-analyzers> -debug.trace> -debug.version -matrix!"
        " -merge< -f: -checks: -explain: -fail: -go: -list-checks -show-ignored -tags: -tests -version",
        strict=False,
        one_dash=True,
    ),
    "zig": spec(
        "",
        "--build-runner! --build-file! --zig-lib-dir! --cache-dir] --global-cache-dir] -p> --prefix>"
        " --prefix-lib-dir> --prefix-exe-dir> --prefix-include-dir> --search-prefix/ --sysroot/ --libc! --maker-opt!"
        " --system/ --fetch! --debug-log: --summary: --color: --seed: -j: --maxrss: --watch --verbose -D!"
        " -freference-trace -fwine! -fqemu! -frosetta! -fdarling! -fwasmtime! --glibc-runtimes/ --libc-runtimes/"
        " --fuzz? --webui?",
        strict=False,
        one_dash=True,
    ),
    "bats": spec(
        "",
        "--formatter! -F! --report-formatter! -o> --output> --gather-test-outputs-in> -j: -f: --filter: --jobs: -c -r"
        " -t -p -T -x --filter-tags: --filter-status: --timing --tap --pretty --recursive --code-quote-style:"
        " --parallel-binary-name! --line-reference-format:",
        strict=False,
    ),
    "make": spec(
        "",
        "-f:! --file:! --makefile:! --eval:! -C/ --directory/ -I/ --include-dir/ -E:! -W: -o: --what-if: --new-file:"
        " --assume-new: --assume-old: --old-file: -j? -l? -O? --jobs? --load-average? --output-sync? --debug?"
        " --dry-run --just-print --recon --keep-going --silent --quiet --always-make --print-data-base --question"
        " --no-print-directory --print-directory --trace --touch --ignore-errors --version --help --shuffle? --stop"
        " --environment-overrides --no-builtin-rules --no-builtin-variables --check-symlink-times --no-keep-going"
        " --no-silent --warn-undefined-variables --max-load? --jobserver-style:",
        strict=False,
        sets=True,
    ),
    "cmake": spec(
        "",
        "-P! -E! -C! -D! --toolchain! -B> --graphviz> --trace-redirect> --profiling-output> --system-information>"
        " --help-full> --help-manual> --help-commands> --help-modules> --help-policies> --help-properties>"
        " --help-variables> --install! --open! --workflow! --preset! --install-prefix> --debugger-dap-log>"
        " --debugger-pipe! --debugger! --sarif-output> --build/ -S/ -G: -A: -T: -L? -t: --target: -j? --parallel?"
        " --config: -v -W? -N --fresh --clean-first --verbose --log-level: --log-context --trace --trace-expand"
        " --debug-output --debug-find --warn-uninitialized --check-system-vars --compile-no-warning-as-error"
        " --resolve-package-references: --use-stderr --trace-source: --trace-format: --debug-find-pkg: --project-file:"
        " --debug-find-var: --list-presets? --link-no-warning-as-error --profiling-format:",
        strict=False,
        sets=True,
        one_dash=True,
    ),
    "ctest": spec(
        "",
        "-S! --script! -SP! --script-new-process! --build-and-test! -D! --dashboard! -T! --test-action! -M!"
        " --test-model! --overwrite! --submit-index! --extra-submit! --add-notes! -A! --http1.0 -O> --output-log>"
        " --output-junit> --test-dir/ --build-makeprogram! --build-exe-dir/ --test-command! --resource-spec-file<"
        " --preset! --tests-from-file< --exclude-from-file< -C: --build-config: -R: -E: -L: -LE: -I: -j? -U -V -VV -Q"
        " -N -F --parallel? --timeout: --repeat: --stop-time: --tests-regex: --exclude-regex: --label-regex:"
        " --label-exclude: --output-on-failure --progress --stop-on-failure --rerun-failed --schedule-random"
        " --no-tests: --verbose --quiet --show-only? --print-labels --debug --test-load: --test-output-size-passed:"
        " --max-width: --test-output-size-failed: --extra-verbose --no-compress-output -FA: -FS: -FC:"
        " --instrumentation",
        strict=False,
        one_dash=True,
    ),
    "rspec": spec(
        "",
        "-r! --require! -I! -O! --options! -f! --format! -o> --out> --deprecation-out> --default-path/ -e: --example:"
        " --drb-port: -E: --example-matches: -t: --tag: -P: --pattern: --exclude-pattern: --seed: --order: -b -w -p?"
        " -d! -X! --drb! --failure-exit-code: --fail-fast? --init! --bisect? --only-failures -n --next-failure"
        " --dry-run --color --force-color --profile? --backtrace",
        strict=False,
    ),
    "rubocop": spec(
        "",
        "-r! --require! -c! --config! -f! --format! -o> --out> -a= -A= --autocorrect= --auto-correct="
        " --autocorrect-all= -x= --fix-layout= --auto-gen-config> --auto-gen-enforced-style --regenerate-todo> --init!"
        " --cache-root> --plugin! --start-server! --restart-server! --server! --lsp! --mcp! --editor-mode --only:"
        " --except: --fail-level: --display-only-fail-level-offenses -C: --cache: -s: --stdin: -d -D -E -S -F -P -L -V"
        " -v -l -n --parallel --display-cop-names --disable-uncorrectable= --force-exclusion --only-guide-cops"
        " --profile --memory",
        "n",
        strict=False,
    ),
    "rake": spec(
        "",
        "-e! -p! -E! -r! -f! -I! --execute! --execute-print! --execute-continue! --require! --rakefile! --libdir! -R!"
        " --rakelibdir! --rakelib! --load-system! -g! --system -C/ --directory/ -T? -W? -D? --job-stats? --trace?"
        " --suppress-backtrace: -j? --jobs? -t? --dry-run -n -q -s -v -m -N -P --quiet --silent --verbose --multitask",
        strict=False,
        sets=True,
    ),
    "phpunit": spec(
        "",
        "--bootstrap! -c! --configuration! --printer! --include-path! -d! --prepend! --extension! --loader!"
        " --log-junit> --log-teamcity> --log-otr> --log-events-text> --log-events-verbose-text> --testdox-html>"
        " --testdox-text> --testdox-xml> --coverage-html>^ --coverage-xml>^ --coverage-clover> --coverage-cobertura>"
        " --coverage-crap4j> --coverage-php> --coverage-text?> --coverage-openclover> --coverage-cache>"
        " --cache-directory] --cache-result-file> --generate-configuration! --migrate-configuration!"
        " --generate-baseline> --use-baseline< --list-tests-xml> --coverage-filter: --filter: --group:"
        " --exclude-group: --testsuite: --exclude-testsuite: --test-suffix: --exclude-filter: --order-by: --columns:"
        " --colors? --covers: --uses: --random-order-seed: --atleast-version: --debug --testdox --stop-on-failure"
        " --no-configuration",
        strict=False,
        one_dash=True,
    ),
    "mvn": spec(
        "",
        "-f! --file! -s! --settings! -gs! --global-settings! -t! --toolchains! -gt! --global-toolchains! -l>"
        " --log-file> -Djvm! -Dmaven.ext.class.path! -Dexec.executable! -Dmaven.repo.local> -DargLine!"
        " -DaltDeploymentRepository! -Dmaven.multiModuleProjectDirectory/ -Dorg.slf4j.simpleLogger.logFile>"
        " -Dmaven.compiler.executable! -DadditionalClasspathElements! -DbuildDirectory] -DreportsDirectory]"
        " -Dmaven.settings! -DjavaHome! -Dstyle.color: -DreportDirectory] -DdebugForkedProcess!"
        " -Dmaven.surefire.debug! -Dcheckstyle.config.location! -DskipTests -Dmaven.test.skip -pl: --projects: -am"
        " -amd -rf: --resume-from: -P: --activate-profiles: -T: --threads: -b: --builder: -color: -o -q"
        " -e -X -B -U -N -V -v -h -ff -fn -fae -nsu -ntp -C -c -cpu -npu -npr -Dtest -emp! -ep! -Djdk! -Dsurefire.jvm!"
        " -Dfailsafe.jvm! -Dproject.build.directory] -Dmaven.home!",
        strict=False,
        one_dash=True,
    ),
    "gradle": spec(
        "",
        "-I! --init-script! -b! --build-file! -c! --settings-file! -p/ --project-dir/ -g/ --gradle-user-home/ --scan!"
        " --project-cache-dir] --include-build! --write-verification-metadata! -M! --export-keys! --write-locks!"
        " -Dorg.gradle.jvmargs! -Dorg.gradle.java.home! --update-locks! --refresh-keys --refresh-dependencies -t"
        " --continuous --tests: -x: --exclude-task: --console: --max-workers: --warning-mode: --priority:"
        " --configuration: --dependency: --dependency-verification: -F: --profile --info -i --debug -d --stacktrace -s"
        " --full-stacktrace -S --warn -w --quiet -q --no-daemon --daemon --offline --dry-run -m --continue --parallel"
        " --build-cache --no-build-cache --configuration-cache --no-configuration-cache --rerun-tasks --rerun --status"
        " --stop --foreground --configure-on-demand --watch-fs --no-watch-fs --no-parallel -a"
        " --configuration-cache-problems:",
        strict=False,
        one_dash=True,
    ),
    "golangci-lint": spec(
        "",
        "--config! -c! --fix= --cpu-profile-path> --mem-profile-path> --trace-path> --path-prefix:"
        " --output.json.path> --output.text.path> --output.tab.path> --output.html.path> --output.checkstyle.path>"
        " --output.code-climate.path> --output.junit-xml.path> --output.teamcity.path> --output.sarif.path>"
        " --new-from-patch< --new-from-rev: --new-from-merge-base: -E: -D: -e: -p: -j: --enable: --disable: --presets:"
        " --enable-only: --exclude: --timeout: --concurrency: --skip-dirs: --skip-files: --build-tags:"
        " --modules-download-mode: --max-issues-per-linter: --max-same-issues: --go: --color: --issues-exit-code:"
        " --sort-results --verbose -v -h --fast --new -n --no-config --tests --whole-files --default: --path-mode:"
        " --show-stats --allow-parallel-runners",
        strict=False,
    ),
    "shellcheck": spec(
        "",
        "--rcfile! -x -a -s: -e: -i: -f: -S: -o: -W: -C? -P/ --source-path/ --shell: --exclude: --include: --format:"
        " --severity: --enable: --wiki-link-count: --external-sources --norc --color? --check-sourced --list-optional"
        " --extended-analysis:",
        strict=False,
    ),
    "hadolint": spec(
        "",
        "-c! --config! -t: -f: --format: --ignore: --trusted-registry: --error: --warning: --info: --style:"
        " --failure-threshold: --file-path-in-report: --require-label: --no-fail -V",
        strict=False,
    ),
    "dpkg": spec(
        "",
        "--pre-invoke! --post-invoke! --root/ --instdir/ --admindir/",
        strict=False,
    ),
}
