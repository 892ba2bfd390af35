"""Commands that look at files or at the system, and those that change files: which arguments are paths.

Sources: the manuals of GNU coreutils 9, grep, findutils, diffutils, ripgrep 14, jq 1.7, tree, file, curl and tar;
the options that run programs or write files are those that GTFOBins (gtfobins.github.io) lists, and more.
A command that stands in `STRICT` is fully known: any other option is a reason for doubt.
"""

from collections.abc import Mapping
from typing import Final

from tools_app.permission.shell.options import Form, form

_HELP: Final = " --help --version"
_GREP_OPTIONS: Final = (
    "-r^ -R^ --recursive^ --dereference-recursive^ -e: --regexp: -f< --file< -m: --max-count: -A: -B: -C:"
    " --after-context: --before-context: --context: --include: --exclude: --exclude-from< --exclude-dir: --color"
    " --colour --label: --binary-files: --extended-regexp --fixed-strings --basic-regexp --perl-regexp --ignore-case"
    " --no-ignore-case --invert-match --word-regexp --line-regexp --count --files-with-matches --files-without-match"
    " --only-matching --quiet --silent --no-messages --byte-offset --with-filename --no-filename --line-number"
    " --initial-tab --null --text --null-data --line-buffered" + _HELP
)
_GREP: Final = form("EFGPivwxyZcLloqsbHhnTUaIzV", _GREP_OPTIONS, "tr", drops="-e --regexp -f --file", numeric=True)
_SUM: Final = form("btwz", "--binary --tag --text --zero -c! --check!" + _HELP, "r")

STRICT: Final[Mapping[str, Form]] = {
    "ls": form(
        "aAbBcCdDfFgGhHiklLmnNopqQrsStuUvxXZ1",
        "-R^ --all --almost-all --author --escape --ignore-backups --color --directory --classify --file-type --format:"
        " --full-time --group-directories-first --no-group --human-readable --si --dereference-command-line"
        " --dereference --hide: --hyperlink --indicator-style: --inode --ignore: -I: --literal --numeric-uid-gid"
        " --hide-control-chars --show-control-chars --quote-name --quoting-style: --reverse --recursive^ --size --sort:"
        " --time: --time-style: -T: --tabsize: --width: -w: --context --zero" + _HELP,
        "d",
        default="d",
    ),
    "cat": form(
        "AbeEnstTuv",
        "--show-all --number-nonblank --show-ends --number --squeeze-blank --show-tabs --show-nonprinting" + _HELP,
        "r",
    ),
    "head": form(
        "qvz", "-n: -c: --lines: --bytes: --quiet --silent --verbose --zero-terminated" + _HELP, "r", numeric=True
    ),
    "tail": form(
        "qvzfF",
        "-n: -c: --lines: --bytes: --quiet --silent --verbose --zero-terminated --follow --retry --pid: -s:"
        " --sleep-interval: --max-unchanged-stats:" + _HELP,
        "r",
        numeric=True,
    ),
    "wc": form(
        "clLmw", "--bytes --chars --lines --words --max-line-length --total: --files0-from!" + _HELP, "r", safe=True
    ),
    "grep": _GREP,
    "egrep": _GREP,
    "fgrep": _GREP,
    "rg": form(
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
        " --block-buffered --line-buffered --byte-offset --max-columns-preview --auto-hybrid-regex" + _HELP,
        "tR",
        default="R",
        drops="-e --regexp -f --file --files --type-list",
    ),
    "fd": form(
        "HIuLsigpla0F1qh",
        "-x! -X! --exec! --exec-batch! -e: -E: -t: -d: -S: -c: -j: --extension: --exclude: --type: --max-depth: --size:"
        " --color: --hidden --no-ignore --glob --fixed-strings --ignore-case --case-sensitive --absolute-path"
        " --full-path"
        " --list-details --changed-within: --changed-before: --owner: --max-results: --print0 --base-directory/"
        + _HELP,
        "tn",
    ),
    "sort": form(
        "bdfgiMhnRrVcCmsuz",
        "-k: -t: -o> --output> -S: -T> --temporary-directory> --compress-program! --files0-from! --parallel:"
        " --batch-size: --key: --field-separator: --buffer-size: --unique --numeric-sort --reverse --ignore-case"
        " --human-numeric-sort --version-sort --general-numeric-sort --month-sort --random-sort --random-source<"
        " --sort: --stable --check --merge --zero-terminated --ignore-leading-blanks --dictionary-order"
        " --ignore-nonprinting --debug" + _HELP,
        "r",
    ),
    "uniq": form(
        "cdDiuz",
        "-f: -s: -w: --count --repeated --all-repeated --unique --ignore-case --skip-fields: --skip-chars:"
        " --check-chars: --zero-terminated --group" + _HELP,
        "rw",
    ),
    "cut": form(
        "zsn",
        "-b: -c: -d: -f: --bytes: --characters: --delimiter: --fields: --complement --only-delimited"
        " --output-delimiter: --zero-terminated" + _HELP,
        "r",
    ),
    "tr": form("cCdst", "--complement --delete --squeeze-repeats --truncate-set1" + _HELP, "t"),
    "diff": form(
        "aBbcdeEilnNpqstTuwyZ",
        "-r^ --recursive^ -U: -C: -W: -x: -X< -I: -F: -L: -S: --unified --context --color --exclude: --exclude-from<"
        " --ignore-matching-lines: --brief --new-file --side-by-side --suppress-common-lines --width: --text"
        " --ignore-all-space --ignore-space-change --ignore-blank-lines --ignore-case --strip-trailing-cr --label:"
        " --report-identical-files --minimal --speed-large-files --no-dereference --show-c-function --normal --ed"
        " --from-file< --to-file< --ignore-trailing-space --ignore-tab-expansion --unidirectional-new-file" + _HELP,
        "r",
        numeric=True,
    ),
    "cmp": form("bls", "-n: -i: --bytes: --ignore-initial: --print-bytes --silent --quiet --verbose" + _HELP, "r"),
    "comm": form("123z", "--check-order --nocheck-order --output-delimiter: --total --zero-terminated" + _HELP, "r"),
    "stat": form("Lft", "-c: --format: --printf: --dereference --file-system --terse --cached:" + _HELP, "n"),
    "file": form(
        "bhiLNnprsvk0",
        "-m< --magic-file< -f! --files-from! -F: --separator: -e: --exclude: -P: --brief --mime --mime-type"
        " --mime-encoding --dereference --no-dereference --extension --keep-going --uncompress --no-pad --raw" + _HELP,
        "r",
    ),
    "du": form(
        "abcDHhkLlmPSsx0",
        "-d: --max-depth: -t: --threshold: --exclude: -X< --exclude-from< --files0-from! -B: --block-size: --all"
        " --apparent-size --bytes --total --dereference --human-readable --inodes --count-links --separate-dirs --si"
        " --summarize --one-file-system --time --time-style: --null" + _HELP,
        "n",
        default="n",
        safe=True,
    ),
    "df": form(
        "ahHiklPTv",
        "-t: -x: -B: --all --block-size: --human-readable --si --inodes --local --output --portability --sync --no-sync"
        " --total --type: --print-type --exclude-type:" + _HELP,
        "n",
    ),
    "tree": form(
        "adfilCnpsugDFqNQrtcUvxhJXSA",
        "-L: -P: -I: -H: -T: -o> --prune --noreport --dirsfirst --filesfirst --gitignore --charset: --filelimit:"
        " --timefmt: --du --si --inodes --device --sort: --ignore-case --matchdirs --info --metafirst --hintro<"
        " --houtro< --gitfile< --infofile< --fromfile! --fromtabfile!" + _HELP,
        "d",
        default="d",
    ),
    "basename": form("az", "-s: --suffix: --multiple --zero" + _HELP),
    "dirname": form("z", "--zero" + _HELP),
    "realpath": form(
        "emsLPqz",
        "--canonicalize-existing --canonicalize-missing --no-symlinks --strip --logical --physical --quiet --zero"
        " --relative-to: --relative-base:" + _HELP,
        "n",
    ),
    "readlink": form(
        "emfnqsvz",
        "--canonicalize --canonicalize-existing --canonicalize-missing --no-newline --quiet --silent --verbose --zero"
        + _HELP,
        "n",
    ),
    "date": form(
        "uR",
        "-s! --set! -d: --date: -r< --reference< -f< --file< -I --iso-8601 --rfc-3339: --rfc-email --utc"
        " --universal --debug" + _HELP,
        "t",
    ),
    "which": form("as", "--all"),
    "type": form("aftpP"),
    "echo": form("neE", strict=False, safe=True),
    "wait": form("nf", "-p!"),
    "expr": form(strict=False, safe=True),
    "yes": form("", _HELP, strict=False, safe=True),
    "bc": form("lqsw", "--mathlib --quiet --standard --warn" + _HELP, "r"),
    "iconv": form("lcs", "-f: -t: -o> --from-code: --to-code: --list --output> --silent" + _HELP, "r"),
    "whereis": form("bmsul", ""),
    "ss": form(
        "tulnpaeimoHOr46swx",
        "-D! --diag! -K! --kill! -F! --filter! --tcp --udp --listening --numeric --processes --all --summary" + _HELP,
    ),
    "netstat": form("tulnpaeirsco46vwx", "--tcp --udp --listening --numeric --programs --all"),
    "top": form("bcHiSs1", "-n: -d: -p: -u: -o: -w:"),
    "sleep": form("", _HELP),
    "seq": form("w", "-f: -s: --format: --separator: --equal-width" + _HELP, numeric=True),
    "true": form("", _HELP),
    "false": form("", _HELP),
    "pwd": form("LP", "--logical --physical" + _HELP),
    "whoami": form("", _HELP),
    "id": form("agGnruz", "--user --group --groups --name --real --zero" + _HELP),
    "groups": form("", _HELP),
    "uname": form("asnrvmpio", "--all --kernel-name --nodename --kernel-release --machine --operating-system" + _HELP),
    "hostname": form("sfidIAy", "--short --fqdn --all-ip-addresses" + _HELP),
    "nproc": form("", "--all --ignore:" + _HELP),
    "arch": form("", _HELP),
    "uptime": form("ps", "--pretty --since" + _HELP),
    "free": form("bkmghtlwv", "-s: -c: --human --mega --giga --total --wide" + _HELP),
    "printenv": form("0", "--null" + _HELP),
    "locale": form("ackm", "--all-locales --charmaps" + _HELP),
    "cal": form("13jmy", "", "t"),
    "md5sum": _SUM,
    "sha1sum": _SUM,
    "sha224sum": _SUM,
    "sha256sum": _SUM,
    "sha384sum": _SUM,
    "sha512sum": _SUM,
    "b2sum": _SUM,
    "cksum": form("z", "-a: --algorithm: --untagged --raw --base64 -c! --check!" + _HELP, "r"),
    "od": form(
        "bcdfilosxvh", "-A: -j: -N: -t: -w: --address-radix: --skip-bytes: --read-bytes: --format:" + _HELP, "r"
    ),
    "hexdump": form("bcCdovxX", "-e: -n: -s: -f<" + _HELP, "r"),
    "xxd": form("abeEipuvC", "-c: -g: -l: -s: -n: -o:" + _HELP, "rw"),
    "strings": form(
        "afow", "-n: -t: -e: --all --bytes: --radix: --encoding: --print-file-name" + _HELP, "r", numeric=True
    ),
    "base64": form("di", "-w: --wrap: --decode --ignore-garbage" + _HELP, "r"),
    "base32": form("di", "-w: --wrap: --decode --ignore-garbage" + _HELP, "r"),
    "nl": form("p", "-b: -d: -f: -h: -i: -l: -n: -s: -v: -w: --body-numbering:" + _HELP, "r"),
    "tac": form("br", "-s: --separator: --before --regex" + _HELP, "r"),
    "rev": form("", _HELP, "r"),
    "fold": form("bs", "-w: --width: --bytes --spaces" + _HELP, "r", numeric=True),
    "fmt": form("cstu", "-w: -g: -p: --width:" + _HELP, "r", numeric=True),
    "column": form("txeJLdn", "-s: -o: -c: -N: -H: -R: -W: -O: --table --separator: --output-separator:" + _HELP, "r"),
    "paste": form("sz", "-d: --delimiters: --serial --zero-terminated" + _HELP, "r"),
    "join": form("iz", "-a: -e: -1: -2: -j: -o: -t: -v: --header --check-order --nocheck-order" + _HELP, "r"),
    "expand": form("i", "-t: --tabs: --initial" + _HELP, "r", numeric=True),
    "unexpand": form("a", "-t: --tabs: --all --first-only" + _HELP, "r"),
    "ps": form(
        "AaCcdeFfHhjLlMmNnOoPpqsTtuUVvwXxyZ", "-o: -p: -u: -C: -t: --sort: --forest --no-headers --pid: --ppid:" + _HELP
    ),
    "pgrep": form("acflnovwxi", "-u: -U: -P: -d: --full --list-name --list-full" + _HELP),
    "lsof": form("ntPl", "-i: -p: -u: -c:", "n"),
    "jq": form(
        "CMSRncersjaV",
        "--compact-output --raw-output --raw-output0 --raw-input --null-input --slurp --exit-status --sort-keys"
        " --color-output --monochrome-output --tab --indent: --ascii-output --join-output --unbuffered --stream --seq"
        " -f! --from-file! -L! --library-path! --args --jsonargs" + _HELP,
        "tr",
    ),
    "test": form(strict=False, safe=True),
    "[": form(strict=False, safe=True),
    "mkdir": form("pv", "-m: --mode: --parents --verbose" + _HELP, "w"),
    "touch": form("acmh", "-d: -t: -r< --date: --reference< --time: --no-create --no-dereference" + _HELP, "w"),
    "tee": form("aip", "--append --ignore-interrupts --output-error" + _HELP, "w"),
    "rmdir": form("pv", "--parents --verbose --ignore-fail-on-non-empty" + _HELP, "w"),
}

KNOWN: Final[Mapping[str, Form]] = {
    "rm": form("dfiIv", "-r^ -R^ --recursive^ --force --interactive --verbose --dir", "w", strict=False),
    "unlink": form("", "", "w", strict=False),
    "shred": form("fuvxz", "-n: -s:", "w", strict=False),
    "chmod": form("cfv", "-R^ --recursive^ --reference<", "tw", drops="--reference", strict=False),
    "chown": form("cfvhHLP", "-R^ --recursive^ --reference< --from:", "tw", drops="--reference", strict=False),
    "chgrp": form("cfvhHLP", "-R^ --recursive^ --reference<", "tw", drops="--reference", strict=False),
    "truncate": form("co", "-s: --size: -r< --reference<", "w", strict=False),
    "mktemp": form("duqt", "-p> --tmpdir> --suffix: --directory --dry-run --quiet", "w", strict=False),
    "shuf": form("erz", "-i: -n: -o> --output> --random-source<", "r", strict=False),
    "mkfifo": form("", "-m: --mode:", "w", strict=False),
    "mknod": form("", "-m: --mode:", "wt", strict=False),
    "split": form("adex", "-l: -b: -n: -C: -a: --lines: --bytes: --number: --filter!", "rw", strict=False),
    "csplit": form("ksz", "-f> -b: -n:", "rt", strict=False),
    "less": form("", "-o> -O> -k< --log-file> -K", "r", strict=False),
    "more": form("", "", "r", strict=False),
    "bat": form("pnA", "-l: --style: --color: --paging: --pager!", "r", strict=False),
    "gzip": form("cdfklnNqrtv", "", "w", strict=False),
    "gunzip": form("cfklnNqrtv", "", "w", strict=False),
    "bzip2": form("cdfkqtvz", "", "w", strict=False),
    "xz": form("cdfkqtvz", "", "w", strict=False),
    "zcat": form("f", "", "r", strict=False),
    "zgrep": form("icnv", "-e:", "tr", strict=False),
    "zip": form("rqjmu", "-i: -x: -@! -TT!", "w", strict=False),
    "unzip": form("lotpqvn", "-d> -x:", "rt", strict=False),
    "curl": form(
        "fsSLIkivgGjlNOJR#",
        "-o> --output> --output-dir> -K! --config! -T< --upload-file< -F@ --form@ -d@ --data@ --data-binary@"
        " --data-urlencode@ --data-raw: --json@ -X: --request: -H@ --header@ -u: --user: -A: --user-agent: -e: -b<"
        " -c> --cookie< --cookie-jar> -D> --dump-header> --cacert< --cert< --key< -E< -m: --max-time:"
        " --connect-timeout: --retry: -w@ --write-out@ -x: --proxy: --trace> --trace-ascii> --stderr> --url: -r: -z:"
        " --unix-socket< --etag-save> --etag-compare< --netrc-file< --capath<",
        strict=False,
    ),
    "wget": form(
        "cqvSrN",
        "-O> --output-document> -o> --output-file> -a> -P> --directory-prefix> -i! --input-file! --post-file<"
        " --body-file< --config! -e! --execute! --use-askpass! -t: -T: -U: --header: --load-cookies< --save-cookies>",
        strict=False,
    ),
    "openssl": form("", "", "t", strict=False),
    "man": form("fk", "-P! --pager! -H! --html! -p! -C! -M<", strict=False),
    "patch": form("NRbEfsu", "-e! --ed! -p: -i< --input< -d/ --directory/ -o> --output>", "w", strict=False),
    "mkfs": form("", "", "w", strict=False),
    "mount": form("", "", "n", strict=False),
}
"""Commands that nobody calls harmless, for the paths they touch; what stands in no table here is judged by its look."""
