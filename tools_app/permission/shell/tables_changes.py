"""Argument tables for commands that change files, or reach the network.

Sources: the manuals of the tools, and GTFOBins (gtfobins.github.io).
"""

from collections.abc import Mapping
from typing import Final

from tools_app.permission.shell import tables_binaries
from tools_app.permission.shell.specs import ArgumentSpec, spec
from tools_app.permission.shell.specs_of_image import of_image

_HELP: Final = " --help --version"

_OWNER: Final = (
    "-R^ --recursive^ --changes --quiet --silent --verbose --dereference --no-dereference --preserve-root"
    " --no-preserve-root --from: --reference<" + _HELP
)
_CHMOD: Final = (
    "-R^ --recursive^ --changes --quiet --silent --verbose --preserve-root --no-preserve-root --reference< -r? -w? -x?"
    " -X? -s? -t? -u? -g? -o? -a? -+? -0? -1? -2? -3? -4? -5? -6? -7?" + _HELP
)
_PACK: Final = "--stdout --decompress --force --keep --test --quiet --verbose -1 -2 -3 -4 -5 -6 -7 -8 -9 --fast --best"

JUDGED: Final[Mapping[str, ArgumentSpec]] = {
    "mkdir": spec("pv", "-m: --mode: --parents --verbose -Z --context?" + _HELP, "w"),
    "touch": spec("acfmh", "-d: -t: -r< --date: --reference< --time: --no-create --no-dereference" + _HELP, "w"),
    "tee": spec("aip", "--append --ignore-interrupts --output-error?" + _HELP, "w"),
    "rmdir": spec("pv", "--parents --verbose --ignore-fail-on-non-empty" + _HELP, "w"),
    "rm": spec(
        "dfiIv",
        "-r^ -R^ --recursive^ --force --interactive? --verbose --dir --one-file-system --preserve-root?"
        " --no-preserve-root ---presume-input-tty" + _HELP,
        "w",
    ),
    "unlink": spec("", _HELP, "w"),
    "shred": spec(
        "fuvxz",
        "-n: -s: --force --iterations: --random-source< --size: --remove? --verbose --exact --zero" + _HELP,
        "w",
    ),
    "chmod": spec("cfv", _CHMOD, "tw", drops="--reference -r -w -x -X -s -t -u -g -o -a -+ -0 -1 -2 -3 -4 -5 -6 -7"),
    "chown": spec("cfvhHLP", _OWNER, "tw", drops="--reference"),
    "chgrp": spec("cfvhHLP", _OWNER, "tw", drops="--reference"),
    "truncate": spec("co", "-s: --size: -r< --reference< --no-create --io-blocks" + _HELP, "w"),
    "mktemp": spec("duqtV", "-p> --tmpdir?> --suffix: --directory --dry-run --quiet" + _HELP, "w"),
    "tempfile": spec("", "-d> -m: -n> -p: -s: --directory> --mode: --name> --prefix: --suffix:" + _HELP),
    "shuf": spec(
        "erz",
        "-i: -n: -o> --echo --input-range: --head-count: --output> --random-source< --repeat --zero-terminated" + _HELP,
        "r",
    ),
    "mkfifo": spec("Z", "-m: --mode: --context?" + _HELP, "w"),
    "mknod": spec("Z", "-m: --mode: --context?" + _HELP, "wt"),
    "split": spec(
        "dexu",
        "-l: -b: -n: -C: -a: -t: --lines: --bytes: --line-bytes: --number: --suffix-length: --separator:"
        " --elide-empty-files --unbuffered --numeric-suffixes? --hex-suffixes? --verbose --filter! --additional-suffix:"
        + _HELP,
        "rw",
        numeric=True,
    ),
    "csplit": spec(
        "ksqz",
        "-f> --prefix> -b: --suffix-format: -n: --digits: --quiet --silent --keep-files --elide-empty-files"
        " --suppress-matched" + _HELP,
        "rt",
    ),
    "less": spec(
        "",
        "-o> -O> --log-file> --LOG-FILE> -k! --lesskey-file! --lesskey-src! --lesskey-content! -t! --tag! -T!"
        " --tag-file! -K",
        "r",
        strict=False,
    ),
    "more": spec("", "", "r", strict=False),
    "bat": spec("pnA", "-l: --style: --color: --paging: --pager!", "r", strict=False),
    "gzip": spec(
        "acdfhHklLmMnNqtvVZ?",
        "-r^ --recursive^ -S: --suffix: -b: --bits: --ascii --to-stdout --uncompress --list --license --no-name --name"
        " --silent --synchronous --lzw --rsyncable ---presume-input-tty " + _PACK + _HELP,
        "c",
    ),
    "gunzip": spec("acfhklnNqtvVL", "-r^ --recursive^ -S: --suffix: " + _PACK + _HELP, "c"),
    "bzip2": spec("cdfhkLqstvVz", _PACK + " --compress --small --license" + _HELP, "c"),
    "bunzip2": spec("cfkLqstvV", _PACK + " --small --license" + _HELP, "c"),
    "unxz": spec("cfklqtvQT0e", _PACK + _HELP, "c"),
    "xz": spec(
        "cdefhHklqQtvVz0",
        "-S: --suffix: -F: --format: -C: --check: -M: --memlimit: --memory: -T: --threads: --files?! --files0?!"
        " --compress --uncompress --to-stdout --list --single-stream --no-sparse --ignore-check --block-size:"
        " --block-list: --memlimit-compress: --memlimit-decompress: --memlimit-mt-decompress: --no-adjust"
        " --flush-timeout: --extreme --no-warn --robot --info-memory --long-help " + _PACK + _HELP,
        "c",
    ),
    "zcat": spec("afhklLnNqtvV", "-r^ --recursive^ -S! --suffix!" + _HELP, "r"),
    "bzcat": spec("fkLqstvV", _HELP, "r"),
    "xzcat": spec("fkqtvQT0e", _HELP, "r"),
    "zip": spec(
        "qjmuvy0123456789ADFXSLcdefghklow",
        "-n: -t: -tt: -P: -s: -sp? -Z: --suffixes: --from-date: --before-date: --password: --split-size:"
        " --compression-method: --temp-path] -r^ --recurse-paths^ -R^ -i: -x: -@! --names-stdin! -T! -TT!"
        " --unzip-command! -O> --output-file> --out> -b]"
        " -m= --move= -lf> -la --logfile-path>",
        "cr",
        strict=False,
    ),
    "curl": spec(
        "fsSLIkivgGjlNOJR#",
        "-o> --output> --output-dir> -K! --config! -T< --upload-file< -F@ --form@ -d@ --data@ --data-binary@"
        " --data-urlencode@ --data-raw: --json@ -X: --request: -H@ --header@ -u: --user: -A: --user-agent: -e: -b<"
        " -c> --cookie< --cookie-jar> -D> --dump-header> --cacert< --cert< --key< -E< -m: --max-time:"
        " --connect-timeout: --retry: -w@ --write-out@ -x: --proxy: --trace> --trace-ascii> --stderr> --url: -r: -z<"
        " --unix-socket< --etag-save> --etag-compare< --netrc-file< --capath< --libcurl> --alt-svc> --hsts>"
        " --data-ascii@ --time-cond<"
        " --egd-file< --random-file< --crlfile< --pubkey< --proxy-cacert< --proxy-capath< --proxy-cert< --proxy-key<"
        " --proxy-crlfile< --proxy-header@ --url-query@ -Q! --quote! --engine! -P: --ftp-port: -U: -C: -Y: -y: -t:"
        " --proto-default! --ssl-sessions> --variable! --globoff",
        strict=False,
    ),
    "wget": spec(
        "cqvSrNbdFhVxpkEKHmLnD46",
        "-O> --output-document> -o> --output-file> -a> --append-output> -P] --directory-prefix] -i! --input-file!"
        " --post-file< --body-file< --config! -e! --execute! --use-askpass! -t: --tries: -T: --timeout: -U:"
        " --user-agent: --header: --load-cookies< --save-cookies> -l: --level: -A: -R: -D: -I: -X: -B: -w: -Q:"
        " --post-data: --body-data: --method: --user: --password: --limit-rate: --certificate< --private-key<"
        " --ca-certificate< --ca-directory/ --crl-file< --hsts-file> --warc-file> --warc-tempdir] --warc-dedup<"
        " --rejected-log> --pinnedpubkey< --preferred-location: --continue --quiet --verbose --no-verbose"
        " --timestamping"
        " --server-response --spider --no-check-certificate --recursive --mirror --page-requisites --force-directories"
        " --no-directories --no-host-directories --cut-dirs: --no-parent --content-disposition"
        " --trust-server-names --no-clobber --accept: --reject: --domains: --convert-links --adjust-extension"
        " --progress: --show-progress --waitretry: --wait: --read-timeout: --connect-timeout: --dns-timeout:"
        " --retry-connrefused --max-redirect: --inet4-only --inet6-only --compression: --https-only --no-cache"
        " --no-cookies --no-proxy --referer: --tries: --background --debug --force-html --help --version"
        " --span-hosts --backup-converted --relative --protocol-directories --backups?",
    ),
    "man": spec("fk", "-P! --pager! -H! --html! -p! -C! -M<", strict=False),
    "mkfs": spec("", "", "w", strict=False),
    "mount": spec("", "", "n", strict=False),
}

_SAME: Final = {"lzma": "xz", "unlzma": "unxz", "uncompress": "gunzip"}
"""Other names of programs, which have the same options."""

CHANGING: Final[Mapping[str, ArgumentSpec]] = {
    **tables_binaries.CHANGING,
    "hardlink": spec("", "", "c", default="d", strict=False),
    **{name: of_image(each, name) for name, each in JUDGED.items()},
    **{other: of_image(JUDGED[name], name) for other, name in _SAME.items()},
}
"""Commands that change files or reach the network. Those that are not strict are never harmless; their unknown options
are searched for paths."""
