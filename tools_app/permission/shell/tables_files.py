"""Argument tables for commands that read files, query the system or change files.

Sources: the manuals of GNU coreutils 9, grep, findutils, diffutils, ripgrep 14, jq 1.7, tree, file, curl and tar; the
options that run programs or write files include all that GTFOBins (gtfobins.github.io) lists. Commands in `STRICT` are
fully described: any other option makes the analysis incomplete.
"""

from collections.abc import Mapping
from typing import Final

from tools_app.permission.shell.options import ArgumentSpec, spec

_HELP: Final = " --help --version"
_GREP_OPTIONS: Final = (
    "-r^ -R^ --recursive^ --dereference-recursive^ -e: --regexp: -f< --file< -m: --max-count: -A: -B: -C:"
    " --after-context: --before-context: --context: --include: --exclude: --exclude-from< --exclude-dir: --color"
    " --colour --label: --binary-files: --extended-regexp --fixed-strings --basic-regexp --perl-regexp --ignore-case"
    " --no-ignore-case --invert-match --word-regexp --line-regexp --count --files-with-matches --files-without-match"
    " --only-matching --quiet --silent --no-messages --byte-offset --with-filename --no-filename --line-number"
    " --initial-tab --null --text --null-data --line-buffered" + _HELP
)
_GREP: Final = spec("EFGPivwxyZcLloqsbHhnTUaIzV", _GREP_OPTIONS, "tr", drops="-e --regexp -f --file", numeric=True)
_SUM: Final = spec("btwz", "--binary --tag --text --zero -c! --check!" + _HELP, "r")

STRICT: Final[Mapping[str, ArgumentSpec]] = {
    "ls": spec(
        "aAbBcCdDfFgGhHiklLmnNopqQrsStuUvxXZ1",
        "-R^ --all --almost-all --author --escape --ignore-backups --color --directory --classify --file-type --format:"
        " --full-time --group-directories-first --no-group --human-readable --si --dereference-command-line"
        " --dereference --hide: --hyperlink --indicator-style: --inode --ignore: -I: --literal --numeric-uid-gid"
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
        "qvz", "-n: -c: --lines: --bytes: --quiet --silent --verbose --zero-terminated" + _HELP, "r", numeric=True
    ),
    "tail": spec(
        "qvzfF",
        "-n: -c: --lines: --bytes: --quiet --silent --verbose --zero-terminated --follow --retry --pid: -s:"
        " --sleep-interval: --max-unchanged-stats:" + _HELP,
        "r",
        numeric=True,
    ),
    "wc": spec(
        "clLmw", "--bytes --chars --lines --words --max-line-length --total: --files0-from!" + _HELP, "r", safe=True
    ),
    "grep": _GREP,
    "egrep": _GREP,
    "fgrep": _GREP,
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
        " --block-buffered --line-buffered --byte-offset --max-columns-preview --auto-hybrid-regex" + _HELP,
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
        " --sort: --stable --check --merge --zero-terminated --ignore-leading-blanks --dictionary-order"
        " --ignore-nonprinting --debug" + _HELP,
        "r",
    ),
    "uniq": spec(
        "cdDiuz",
        "-f: -s: -w: --count --repeated --all-repeated --unique --ignore-case --skip-fields: --skip-chars:"
        " --check-chars: --zero-terminated --group" + _HELP,
        "rw",
    ),
    "cut": spec(
        "zsn",
        "-b: -c: -d: -f: --bytes: --characters: --delimiter: --fields: --complement --only-delimited"
        " --output-delimiter: --zero-terminated" + _HELP,
        "r",
    ),
    "tr": spec("cCdst", "--complement --delete --squeeze-repeats --truncate-set1" + _HELP, "t"),
    "diff": spec(
        "aBbcdeEilnNpqstTuwyZ",
        "-r^ --recursive^ -U: -C: -W: -x: -X< -I: -F: -L: -S: --unified --context --color --exclude: --exclude-from<"
        " --ignore-matching-lines: --brief --new-file --side-by-side --suppress-common-lines --width: --text"
        " --ignore-all-space --ignore-space-change --ignore-blank-lines --ignore-case --strip-trailing-cr --label:"
        " --report-identical-files --minimal --speed-large-files --no-dereference --show-c-function --normal --ed"
        " --from-file< --to-file< --ignore-trailing-space --ignore-tab-expansion --unidirectional-new-file" + _HELP,
        "r",
        numeric=True,
    ),
    "cmp": spec("bls", "-n: -i: --bytes: --ignore-initial: --print-bytes --silent --quiet --verbose" + _HELP, "r"),
    "comm": spec("123z", "--check-order --nocheck-order --output-delimiter: --total --zero-terminated" + _HELP, "r"),
    "stat": spec("Lft", "-c: --format: --printf: --dereference --file-system --terse --cached:" + _HELP, "n"),
    "file": spec(
        "bhiLNnprsvk0",
        "-m< --magic-file< -f! --files-from! -F: --separator: -e: --exclude: -P: --brief --mime --mime-type"
        " --mime-encoding --dereference --no-dereference --extension --keep-going --uncompress --no-pad --raw" + _HELP,
        "r",
    ),
    "du": spec(
        "abcDHhkLlmPSsx0",
        "-d: --max-depth: -t: --threshold: --exclude: -X< --exclude-from< --files0-from! -B: --block-size: --all"
        " --apparent-size --bytes --total --dereference --human-readable --inodes --count-links --separate-dirs --si"
        " --summarize --one-file-system --time --time-style: --null" + _HELP,
        "n",
        default="n",
        safe=True,
    ),
    "df": spec(
        "ahHiklPTv",
        "-t: -x: -B: --all --block-size: --human-readable --si --inodes --local --output --portability --sync --no-sync"
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
        "-s! --set! -d: --date: -r< --reference< -f< --file< -I --iso-8601 --rfc-3339: --rfc-email --utc"
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
    "iconv": spec("lcs", "-f: -t: -o> --from-code: --to-code: --list --output> --silent" + _HELP, "r"),
    "whereis": spec("bmsul", ""),
    "ss": spec(
        "tulnpaeimoHOr46swx",
        "-D! --diag! -K! --kill! -F! --filter! --tcp --udp --listening --numeric --processes --all --summary" + _HELP,
    ),
    "netstat": spec("tulnpaeirsco46vwx", "--tcp --udp --listening --numeric --programs --all"),
    "top": spec("bcHiSs1", "-n: -d: -p: -u: -o: -w:"),
    "sleep": spec("", _HELP),
    "seq": spec("w", "-f: -s: --format: --separator: --equal-width" + _HELP, numeric=True),
    "true": spec("", _HELP),
    "false": spec("", _HELP),
    "pwd": spec("LP", "--logical --physical" + _HELP),
    "whoami": spec("", _HELP),
    "id": spec("agGnruz", "--user --group --groups --name --real --zero" + _HELP),
    "groups": spec("", _HELP),
    "uname": spec("asnrvmpio", "--all --kernel-name --nodename --kernel-release --machine --operating-system" + _HELP),
    "hostname": spec("sfidIAy", "--short --fqdn --all-ip-addresses" + _HELP),
    "nproc": spec("", "--all --ignore:" + _HELP),
    "arch": spec("", _HELP),
    "uptime": spec("ps", "--pretty --since" + _HELP),
    "free": spec("bkmghtlwv", "-s: -c: --human --mega --giga --total --wide" + _HELP),
    "printenv": spec("0", "--null" + _HELP),
    "locale": spec("ackm", "--all-locales --charmaps" + _HELP),
    "cal": spec("13jmy", "", "t"),
    "md5sum": _SUM,
    "sha1sum": _SUM,
    "sha224sum": _SUM,
    "sha256sum": _SUM,
    "sha384sum": _SUM,
    "sha512sum": _SUM,
    "b2sum": _SUM,
    "cksum": spec("z", "-a: --algorithm: --untagged --raw --base64 -c! --check!" + _HELP, "r"),
    "od": spec(
        "bcdfilosxvh", "-A: -j: -N: -t: -w: --address-radix: --skip-bytes: --read-bytes: --format:" + _HELP, "r"
    ),
    "hexdump": spec("bcCdovxX", "-e: -n: -s: -f<" + _HELP, "r"),
    "xxd": spec("abeEipuvC", "-c: -g: -l: -s: -n: -o:" + _HELP, "rw"),
    "strings": spec(
        "afow", "-n: -t: -e: --all --bytes: --radix: --encoding: --print-file-name" + _HELP, "r", numeric=True
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
        "AaCcdeFfHhjLlMmNnOoPpqsTtuUVvwXxyZ", "-o: -p: -u: -C: -t: --sort: --forest --no-headers --pid: --ppid:" + _HELP
    ),
    "pgrep": spec("acflnovwxi", "-u: -U: -P: -d: --full --list-name --list-full" + _HELP),
    "lsof": spec("ntPl", "-i: -p: -u: -c:", "n"),
    "jq": spec(
        "CMSRncersjaV",
        "--compact-output --raw-output --raw-output0 --raw-input --null-input --slurp --exit-status --sort-keys"
        " --color-output --monochrome-output --tab --indent: --ascii-output --join-output --unbuffered --stream --seq"
        " -f! --from-file! -L! --library-path! --args --jsonargs" + _HELP,
        "tr",
    ),
    "test": spec(strict=False, safe=True),
    "[": spec(strict=False, safe=True),
    "mkdir": spec("pv", "-m: --mode: --parents --verbose" + _HELP, "w"),
    "touch": spec("acmh", "-d: -t: -r< --date: --reference< --time: --no-create --no-dereference" + _HELP, "w"),
    "tee": spec("aip", "--append --ignore-interrupts --output-error" + _HELP, "w"),
    "rmdir": spec("pv", "--parents --verbose --ignore-fail-on-non-empty" + _HELP, "w"),
}

KNOWN: Final[Mapping[str, ArgumentSpec]] = {
    "rm": spec("dfiIv", "-r^ -R^ --recursive^ --force --interactive --verbose --dir", "w", strict=False),
    "unlink": spec("", "", "w", strict=False),
    "shred": spec("fuvxz", "-n: -s:", "w", strict=False),
    "chmod": spec("cfv", "-R^ --recursive^ --reference<", "tw", drops="--reference", strict=False),
    "chown": spec("cfvhHLP", "-R^ --recursive^ --reference< --from:", "tw", drops="--reference", strict=False),
    "chgrp": spec("cfvhHLP", "-R^ --recursive^ --reference<", "tw", drops="--reference", strict=False),
    "truncate": spec("co", "-s: --size: -r< --reference<", "w", strict=False),
    "mktemp": spec("duqt", "-p> --tmpdir> --suffix: --directory --dry-run --quiet", "w", strict=False),
    "shuf": spec("erz", "-i: -n: -o> --output> --random-source<", "r", strict=False),
    "mkfifo": spec("", "-m: --mode:", "w", strict=False),
    "mknod": spec("", "-m: --mode:", "wt", strict=False),
    "split": spec("adex", "-l: -b: -n: -C: -a: --lines: --bytes: --number: --filter!", "rw", strict=False),
    "csplit": spec("ksz", "-f> -b: -n:", "rt", strict=False),
    "less": spec("", "-o> -O> -k< --log-file> -K", "r", strict=False),
    "more": spec("", "", "r", strict=False),
    "bat": spec("pnA", "-l: --style: --color: --paging: --pager!", "r", strict=False),
    "gzip": spec("cdfklnNqrtv", "", "w", strict=False),
    "gunzip": spec("cfklnNqrtv", "", "w", strict=False),
    "bzip2": spec("cdfkqtvz", "", "w", strict=False),
    "xz": spec("cdfkqtvz", "", "w", strict=False),
    "zcat": spec("f", "", "r", strict=False),
    "zgrep": spec("icnv", "-e:", "tr", strict=False),
    "zip": spec("rqjmu", "-i: -x: -@! -TT!", "w", strict=False),
    "unzip": spec("lotpqvn", "-d> -x:", "rt", strict=False),
    "curl": spec(
        "fsSLIkivgGjlNOJR#",
        "-o> --output> --output-dir> -K! --config! -T< --upload-file< -F@ --form@ -d@ --data@ --data-binary@"
        " --data-urlencode@ --data-raw: --json@ -X: --request: -H@ --header@ -u: --user: -A: --user-agent: -e: -b<"
        " -c> --cookie< --cookie-jar> -D> --dump-header> --cacert< --cert< --key< -E< -m: --max-time:"
        " --connect-timeout: --retry: -w@ --write-out@ -x: --proxy: --trace> --trace-ascii> --stderr> --url: -r: -z:"
        " --unix-socket< --etag-save> --etag-compare< --netrc-file< --capath<",
        strict=False,
    ),
    "wget": spec(
        "cqvSrN",
        "-O> --output-document> -o> --output-file> -a> -P> --directory-prefix> -i! --input-file! --post-file<"
        " --body-file< --config! -e! --execute! --use-askpass! -t: -T: -U: --header: --load-cookies< --save-cookies>",
        strict=False,
    ),
    "openssl": spec("", "", "t", strict=False),
    "man": spec("fk", "-P! --pager! -H! --html! -p! -C! -M<", strict=False),
    "patch": spec("NRbEfsu", "-e! --ed! -p: -i< --input< -d/ --directory/ -o> --output>", "w", strict=False),
    "mkfs": spec("", "", "w", strict=False),
    "mount": spec("", "", "n", strict=False),
}
"""Commands that are never harmless, listed for the paths they touch. Unknown options are searched for paths."""
