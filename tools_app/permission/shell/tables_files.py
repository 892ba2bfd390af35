"""Argument tables for commands that read files, query the system or change files.

Sources: the manuals of GNU coreutils 9, grep, findutils, diffutils, ripgrep 14, jq 1.7, tree, file, curl and tar; the
options that run programs or write files include all that GTFOBins (gtfobins.github.io) lists. Commands whose table is
`strict` are fully described: any other option makes the analysis incomplete.
"""

from collections.abc import Mapping
from typing import Final

from tools_app.permission.names import ordered_names
from tools_app.permission.shell import tables_binaries
from tools_app.permission.shell.specs import ArgumentSpec, spec
from tools_app.permission.shell.specs_of_image import of_image

_HELP: Final = " --help --version"
_GREP_OPTIONS: Final = (
    "-r^ -R^ --recursive^ --dereference-recursive^ -d:^ --directories:^ -e: --regexp: -f< --file< -m: --max-count:"
    " -A: -B:"
    " -C: -D: --devices: -X:"
    " --after-context: --before-context: --context: --include: --exclude: --exclude-from< --exclude-dir: --color?"
    " --colour? --label: --binary-files: --extended-regexp --fixed-strings --basic-regexp --perl-regexp --ignore-case"
    " --no-ignore-case --invert-match --word-regexp --line-regexp --count --files-with-matches --files-without-match"
    " --only-matching --quiet --silent --no-messages --byte-offset --with-filename --no-filename --line-number"
    " --initial-tab --null --text --null-data --line-buffered --binary --unix-byte-offsets --no-group-separator"
    " --group-separator:" + _HELP
)
_GREP: Final = spec("EFGPivwxyZcLloqsbHhnTUuaIzV", _GREP_OPTIONS, "tr", drops="-e --regexp -f --file", numeric=True)
_SUM: Final = spec(
    "btwz",
    "--binary --tag --text --zero --ignore-missing --quiet --status --strict -l: --length: -c! --check!" + _HELP,
    "r",
)

JUDGED: Final[Mapping[str, ArgumentSpec]] = {
    "ls": spec(
        "aAbBcCdDfFgGhHiklLmnNopqQrsStuUvxXZ1",
        "-R^ --all --almost-all --author --escape --ignore-backups --color? --directory --classify? --file-type"
        " --format:"
        " --full-time --group-directories-first --no-group --human-readable --si --dereference-command-line"
        " --dereference-command-line-symlink-to-dir --block-size: --dereference --hide: --hyperlink?"
        " --indicator-style: --inode --ignore: -I: --literal --numeric-uid-gid"
        " --hide-control-chars --show-control-chars --quote-name --quoting-style: --reverse --recursive^ --size --sort:"
        " --time: --time-style: -T: --tabsize: --width: -w: --context --zero" + _HELP,
        "d",
        default="d",
    ),
    "cat": spec(
        "AbeEnstTuv",
        "--show-all --number-nonblank --show-ends --number --squeeze-blank --show-tabs --show-nonprinting" + _HELP,
        "r",
    ),
    "head": spec(
        "qvz",
        "-n: -c: --lines: --bytes: --quiet --silent --verbose --zero-terminated ---presume-input-pipe" + _HELP,
        "r",
        numeric=True,
    ),
    "tail": spec(
        "qvzfF",
        "-n: -c: --lines: --bytes: --quiet --silent --verbose --zero-terminated --follow? --retry --pid: -s:"
        " --sleep-interval: --max-unchanged-stats: ---disable-inotify ---presume-input-pipe" + _HELP,
        "r",
        numeric=True,
    ),
    "wc": spec(
        "clLmw",
        "--bytes --chars --lines --words --max-line-length --total: --debug --files0-from!" + _HELP,
        "r",
        safe=True,
    ),
    "grep": _GREP,
    "egrep": _GREP,
    "fgrep": _GREP,
    "rgrep": _GREP,
    **dict.fromkeys(ordered_names("zgrep zegrep zfgrep bzgrep bzegrep bzfgrep xzgrep xzegrep xzfgrep lzgrep"), _GREP),
    "diff3": spec(
        "3AELTXaeimvx",
        "--diff-program:! -L: --label: --easy-only --ed --initial-tab --merge --overlap-only --show-all --show-overlap"
        " --strip-trailing-cr --text" + _HELP,
        "r",
    ),
    "rg": spec(
        "FivwxclqosSUuNnHIpzaPL0.bTVh",
        "-A: -B: -C: -e: -f< -g: -m: -t: -T: -r: -j: -E: -M: -d: --after-context: --before-context: --context:"
        " --regexp: --file< --glob: --iglob: --max-count: --type: --type-not: --type-add: --replace: --threads:"
        " --encoding: --max-columns: --max-depth: --max-filesize: --sort: --sortr: --color: --colors: --engine:"
        " --context-separator: --ignore-file< --path-separator: --pre! --pre-glob: --hostname-bin! --hidden"
        " --no-ignore --no-ignore-vcs --no-ignore-parent --no-ignore-dot --no-ignore-global --no-config --no-heading"
        " --heading --line-number --no-line-number --column --files --files-with-matches --files-without-match"
        " --ignore-case --smart-case --case-sensitive --fixed-strings --word-regexp --line-regexp --count"
        " --count-matches --only-matching --multiline --multiline-dotall --invert-match --json --pcre2 --pretty"
        " --quiet --stats --text --trim --type-list --unrestricted --vimgrep --with-filename --no-filename --null"
        " --null-data --passthru --follow --no-follow --no-messages --no-require-git --one-file-system --debug --crlf"
        " --block-buffered --line-buffered --byte-offset --max-columns-preview --auto-hybrid-regex -z! --search-zip!"
        " --binary --dfa-size-limit: --field-context-separator: --field-match-separator: --glob-case-insensitive"
        " --ignore-file-case-insensitive --include-zero --mmap --no-mmap --no-ignore-exclude --no-ignore-files"
        " --no-ignore-messages --no-pcre2-unicode --no-unicode --pcre2-version --regex-size-limit: --type-clear:"
        " --no-auto-hybrid-regex --no-binary --no-block-buffered --no-column --no-context-separator --no-crlf --trace"
        " --no-encoding --no-fixed-strings --no-glob-case-insensitive --no-hidden --no-ignore-file-case-insensitive"
        " --no-json --no-line-buffered --no-max-columns-preview --no-multiline --no-multiline-dotall --ignore"
        " --ignore-dot --ignore-exclude --ignore-files --ignore-global --ignore-messages --ignore-parent --ignore-vcs"
        " --messages --pcre2-unicode --require-git --unicode --no-one-file-system --no-pcre2 --no-pre --no-search-zip"
        " --sort-files --no-sort-files --no-stats --no-text --no-trim" + _HELP,
        "tR",
        default="R",
        drops="-e --regexp -f --file --files --type-list",
    ),
    "fd": spec(
        "HIuLsigpla0F1qh",
        "-x! -X! --exec! --exec-batch! -e: -E: -t: -d: -S: -c: -j: --extension: --exclude: --type: --max-depth: --size:"
        " --color: --hidden --no-ignore --glob --fixed-strings --ignore-case --case-sensitive --absolute-path"
        " --full-path"
        " --list-details --changed-within: --changed-before: --owner: --max-results: --print0 --base-directory/"
        + _HELP,
        "tn",
    ),
    "sort": spec(
        "bdfgiMhnRrVcCmsuz",
        "-k: -t: -o> --output> -S: -T> --temporary-directory> --compress-program! --files0-from! --parallel:"
        " --batch-size: --key: --field-separator: --buffer-size: --unique --numeric-sort --reverse --ignore-case"
        " --human-numeric-sort --version-sort --general-numeric-sort --month-sort --random-sort --random-source<"
        " --sort: --stable --check? --merge --zero-terminated --ignore-leading-blanks --dictionary-order"
        " --ignore-nonprinting --debug" + _HELP,
        "r",
    ),
    "uniq": spec(
        "cdDiuz0123456789",
        "-f: -s: -w: --count --repeated --all-repeated? --unique --ignore-case --skip-fields: --skip-chars:"
        " --check-chars: --zero-terminated --group?" + _HELP,
        "rw",
    ),
    "cut": spec(
        "zsn",
        "-b: -c: -d: -f: --bytes: --characters: --delimiter: --fields: --complement --only-delimited"
        " --output-delimiter: --zero-terminated" + _HELP,
        "r",
    ),
    "tr": spec("AcCdst", "--complement --delete --squeeze-repeats --truncate-set1" + _HELP, "t"),
    "diff": spec(
        "aBbcdeEfhilnNpqstTuwyZ",
        "-r^ --recursive^ -U: -C: -W: -x: -X< -I: -F: -L: -S: --unified? --context? --color? --exclude: --exclude-from<"
        " --ignore-matching-lines: --brief --new-file --side-by-side --suppress-common-lines --width: --text"
        " --ignore-all-space --ignore-space-change --ignore-blank-lines --ignore-case --strip-trailing-cr --label:"
        " --report-identical-files --minimal --speed-large-files --no-dereference --show-c-function --normal --ed"
        " --from-file< --to-file< --ignore-trailing-space --ignore-tab-expansion --unidirectional-new-file -P -v -D:"
        " --ifdef: -H"
        " --binary --changed-group-format: --new-group-format: --old-group-format: --unchanged-group-format:"
        " --line-format: --new-line-format: --old-line-format: --unchanged-line-format: --forward-ed --horizon-lines:"
        " --ignore-file-name-case --no-ignore-file-name-case --inhibit-hunk-merge --left-column --palette: --tabsize:"
        " --sdiff-merge-assist --suppress-blank-empty --expand-tabs --initial-tab --paginate --rcs"
        " --show-function-line: --starting-file: ---presume-output-tty" + _HELP,
        "r",
        numeric=True,
    ),
    "sdiff": spec(
        "aBbdEHilstvWZ",
        "-o> --output> -I: -w: --diff-program! --ignore-matching-lines: --width: --tabsize: --text --ignore-all-space"
        " --ignore-space-change --ignore-blank-lines --ignore-case --ignore-tab-expansion --ignore-trailing-space"
        " --left-column --suppress-common-lines --strip-trailing-cr --expand-tabs --minimal --speed-large-files"
        + _HELP,
        "r",
    ),
    "cmp": spec(
        "bcls", "-n: -i: --bytes: --ignore-initial: --print-bytes --print-chars --silent --quiet --verbose" + _HELP, "r"
    ),
    "comm": spec("123z", "--check-order --nocheck-order --output-delimiter: --total --zero-terminated" + _HELP, "r"),
    "stat": spec("Lft", "-c: --format: --printf: --dereference --file-system --terse --cached:" + _HELP, "n"),
    "file": spec(
        "bcdEhiLlNnprSsvk0",
        "-m: --magic-file: -f! --files-from! -F: --separator: -e: --exclude: -P: --brief --mime --mime-type"
        " --mime-encoding --dereference --no-dereference --extension --keep-going -z! --uncompress! -Z! -C!"
        " --compile! --no-pad --raw --list"
        " --exclude-quiet: --apple --no-sandbox --debug --checking-printout" + _HELP,
        "r",
    ),
    "du": spec(
        "abcDHhkLlmPSsx0",
        "-d: --max-depth: -t: --threshold: --exclude: -X< --exclude-from< --files0-from! -B: --block-size: --all"
        " --apparent-size --bytes --total --dereference --human-readable --inodes --count-links --separate-dirs --si"
        " --summarize --one-file-system --time? --time-style: --null" + _HELP,
        "n",
        default="n",
        safe=True,
    ),
    "df": spec(
        "ahHiklPTv",
        "-F: -m -t: -x: -B: --all --block-size: --human-readable --si --inodes --local --output? --portability"
        " --sync --no-sync"
        " --total --type: --print-type --exclude-type:" + _HELP,
        "n",
    ),
    "tree": spec(
        "adfilCnpsugDFqNQrtcUvxhJXSA",
        "-L: -P: -I: -H: -T: -o> --prune --noreport --dirsfirst --filesfirst --gitignore --charset: --filelimit:"
        " --timefmt: --du --si --inodes --device --sort: --ignore-case --matchdirs --info --metafirst --hintro<"
        " --houtro< --gitfile< --infofile< --fromfile! --fromtabfile!" + _HELP,
        "d",
        default="d",
        letters="apart",
    ),
    "basename": spec("az", "-s: --suffix: --multiple --zero" + _HELP),
    "dirname": spec("z", "--zero" + _HELP),
    "realpath": spec(
        "emsLPqz",
        "--canonicalize-existing --canonicalize-missing --no-symlinks --strip --logical --physical --quiet --zero"
        " --relative-to: --relative-base:" + _HELP,
        "n",
    ),
    "readlink": spec(
        "emfnqsvz",
        "--canonicalize --canonicalize-existing --canonicalize-missing --no-newline --quiet --silent --verbose --zero"
        + _HELP,
        "n",
    ),
    "date": spec(
        "uR",
        "-s! --set! -d: --date: -r< --reference< -f< --file< -I? --iso-8601? --resolution --rfc-3339: --rfc-email --utc"
        " --universal --debug" + _HELP,
        "t",
    ),
    "which": spec("as", "--all"),
    "type": spec("aftpP"),
    "echo": spec("neE", strict=False, safe=True),
    "wait": spec("nf", "-p!"),
    "expr": spec(strict=False, safe=True),
    "yes": spec("", _HELP, strict=False, safe=True),
    "bc": spec("lqsw", "--mathlib --quiet --standard --warn" + _HELP, "r"),
    "iconv": spec("lcs", "-f: -t: -o> --from-code: --to-code: --list --output> --silent --verbose" + _HELP, "r"),
    "whereis": spec("bfmsulhV", "-B:! -M:! -S:! --help --version"),
    "ss": spec(
        "tulnpaeimoHOr46swx",
        "-D>! --diag>! -K! --kill! -F<! --filter<! --tcp --udp --listening --numeric --processes --all --summary"
        + _HELP,
    ),
    "netstat": spec("tulnpaeirsco46vwx", "--tcp --udp --listening --numeric --programs --all"),
    "top": spec(
        "bcHhiOSsV1",
        "-n: -d: -p: -u: -U: -o: -w? -E: -e: --iterations: --delay: --pid: --sort-override: --width? --batch-mode"
        " --cmdline-toggle --threads-show --idle-toggle --list-fields --accum-time-toggle --secure-mode"
        " --single-cpu-toggle --scale-summary-mem: --scale-task-mem: --filter-any-user: --filter-only-euser:" + _HELP,
    ),
    "sleep": spec("", _HELP),
    "seq": spec("w", "-f: -s: --format: --separator: --equal-width" + _HELP, numeric=True),
    "true": spec("", _HELP),
    "false": spec("", _HELP),
    "pwd": spec("LP", "--logical --physical" + _HELP),
    "whoami": spec("", _HELP),
    "id": spec("agGnruzZ", "--context --user --group --groups --name --real --zero" + _HELP),
    "groups": spec("", _HELP),
    "uname": spec("asnrvmpio", "--all --kernel-name --nodename --kernel-release --machine --operating-system" + _HELP),
    "hostname": spec(
        "asfdhiIAVy?",
        "-F! --file! -b! --boot! --alias --short --fqdn --long --domain --ip-address --all-fqdns --nis --yp"
        " --all-ip-addresses" + _HELP,
    ),
    "nproc": spec("", "--all --ignore:" + _HELP),
    "arch": spec("", _HELP),
    "uptime": spec("ps", "--pretty --since" + _HELP),
    "free": spec(
        "bkmghtlwvV",
        "-s: -c: --human --bytes --kilo --mega --giga --tera --peta --kibi --mebi --gibi --tebi --pebi --si --lohi"
        " --committed --seconds: --count: --total --wide" + _HELP,
    ),
    "printenv": spec("0i", "-u: --null" + _HELP),
    "locale": spec("ackmv", "--all-locales --charmaps --category-name --keyword-name --verbose" + _HELP),
    "cal": spec("13jmy", "", "t"),
    "md5sum": _SUM,
    "sha1sum": _SUM,
    "sha224sum": _SUM,
    "sha256sum": _SUM,
    "sha384sum": _SUM,
    "sha512sum": _SUM,
    "b2sum": _SUM,
    "cksum": spec(
        "zwbt",
        "-a: --algorithm: -l: --length: --untagged --raw --base64 --zero --warn --ignore-missing --quiet --status"
        " --strict --tag --debug -c! --check!" + _HELP,
        "r",
    ),
    "od": spec(
        "aBbcDdeFfHhIiLlOosXxv",
        "-A: -j: -N: -t: -w? -S: --address-radix: --skip-bytes: --read-bytes: --format: --width? --strings?"
        " --output-duplicates --traditional --endian:" + _HELP,
        "r",
    ),
    "hexdump": spec("bcCdovxX", "-e: -n: -s: -f<" + _HELP, "r"),
    "xxd": spec(
        "abeEipuvC",
        "-c: -cols: -g: -group: -l: -len: -s: -skip: -seek: -n: -name: -o: -offset:",
        "rw",
        stops=True,
        letters="first",
    ),
    "strings": spec(
        "adfHhowVv",
        "-n: -t: -e: -s: -T: -U: --all --data --bytes: --radix: --encoding: --print-file-name --output-separator:"
        " --target: --unicode: --include-all-whitespace" + _HELP,
        "r",
        numeric=True,
    ),
    "base64": spec("di", "-w: --wrap: --decode --ignore-garbage" + _HELP, "r"),
    "base32": spec("di", "-w: --wrap: --decode --ignore-garbage" + _HELP, "r"),
    "nl": spec("p", "-b: -d: -f: -h: -i: -l: -n: -s: -v: -w: --body-numbering:" + _HELP, "r"),
    "tac": spec("br", "-s: --separator: --before --regex" + _HELP, "r"),
    "rev": spec("", _HELP, "r"),
    "fold": spec("bs", "-w: --width: --bytes --spaces" + _HELP, "r", numeric=True),
    "fmt": spec("cstu", "-w: -g: -p: --width:" + _HELP, "r", numeric=True),
    "column": spec("txeJLdn", "-s: -o: -c: -N: -H: -R: -W: -O: --table --separator: --output-separator:" + _HELP, "r"),
    "paste": spec("sz", "-d: --delimiters: --serial --zero-terminated" + _HELP, "r"),
    "join": spec("iz", "-a: -e: -1: -2: -j: -o: -t: -v: --header --check-order --nocheck-order" + _HELP, "r"),
    "expand": spec("i", "-t: --tabs: --initial" + _HELP, "r", numeric=True),
    "unexpand": spec("a", "-t: --tabs: --all --first-only" + _HELP, "r"),
    "ps": spec(
        "AacdeFfHhjLlMmNnPTVvwXxyZ",
        "-C: -G: -g: -o: -O: -p: -q: -s: -t: -u: -U: --sort: --forest --no-headers --headers --pid: --ppid: --Group:"
        " --group: --quick-pid: --sid: --tty: --user: --User: --format: --context --cols: --columns: --width: --rows:"
        " --lines: --deselect --cumulative --help: --version",
    ),
    "pgrep": spec(
        "acfilLnovVwxAh?",
        "-u: -U: -P: -d: -F< -g: -G: -O: -r: -s: -t: --full --list-name --list-full --newest --oldest --count --exact"
        " --inverse --ignore-case --lightweight --ignore-ancestors --logpidfile --echo --delimiter: --parent: --euid:"
        " --uid: --pidfile< --pgroup: --group: --older: --runstates: --session: --terminal: --cgroup: --ns: --nslist:"
        " --signal: --queue:" + _HELP,
    ),
    "lsof": spec("ntPl", "-i? -p: -u: -c:", "n"),
    "jq": spec(
        "CMSRncersjaV",
        "--compact-output --raw-output --raw-output0 --raw-input --null-input --slurp --exit-status --sort-keys"
        " --color-output --monochrome-output --tab --indent: --ascii-output --join-output --unbuffered --stream --seq"
        " -f! --from-file! -L! --library-path! --args --jsonargs" + _HELP,
        "tr",
    ),
    "test": spec(strict=False, safe=True),
    "[": spec(strict=False, safe=True),
}

_DIFFS: Final = "zdiff zcmp bzdiff bzcmp xzdiff xzcmp lzdiff lzcmp"
READING: Final[Mapping[str, ArgumentSpec]] = {
    **dict.fromkeys(("pod2text", "pod2man"), spec("", "--errors: -c: -d: -n: -r: -s: -q:", "rw", strict=False)),
    "pod2html": spec(
        "", "-i< -o> --infile< --outfile> --cachedir] --podroot/ --podpath: --title: --css:", "r", strict=False
    ),
    **tables_binaries.READING,
    **{name: of_image(each, name) for name, each in JUDGED.items()},
    **{name: of_image(JUDGED["ls"], "ls") for name in ("dir", "vdir")},
    **{name: of_image(JUDGED["diff"], "diff") for name in ordered_names(_DIFFS)},
}
