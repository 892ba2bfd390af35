"""Argument tables for programs that read or change compiled files, archives and encoded texts.

Sources: the manuals of binutils, perl, util-linux and zip. Each table lists the options of everyday use. Any other
option makes the analysis incomplete: some of these programs load code (`json_pp -f eval`), write more files (`objcopy
--dump-section`) or read files that are named in another file (`objdump -S`).
"""

from collections.abc import Mapping
from typing import Final

from tools_app.permission.names import ordered_names
from tools_app.permission.shell.specs import ArgumentSpec, spec

_HELP: Final = " --help --version"
_PAGERS: Final = spec("eEfFiIMmNnQRrSsXx", "-o> -O> --log-file>" + _HELP, "r")

READING: Final[Mapping[str, ArgumentSpec]] = {
    "getfacl": spec(
        "acdeEsRLPtpnvh",
        "-R^ --access --default --omit-header --all-effective --no-effective --skip-base --recursive^ --logical"
        " --physical --tabular --absolute-names --numeric" + _HELP,
        "n",
    ),
    "objdump": spec(
        "aCdDfhpQrRstTwxz",
        "-b: -j: -m: -M: --archive-headers --file-headers --private-headers --headers --section-headers"
        " --all-headers --disassemble? --disassemble-all --full-contents --reloc --dynamic-reloc --syms --dynamic-syms"
        " --section: --demangle? --wide --start-address: --stop-address: --no-show-raw-insn --show-raw-insn"
        " --disassembler-options: --architecture: --no-addresses" + _HELP,
        "r",
    ),
    "nm": spec(
        "aABCDegjlnopPrSsuvV",
        "-f: -t: --format: --radix: --debug-syms --print-file-name --demangle? --no-demangle --dynamic --extern-only"
        " --undefined-only --defined-only --numeric-sort --no-sort --size-sort --reverse-sort --print-size"
        " --print-armap --portability --line-numbers --just-symbols" + _HELP,
        "r",
    ),
    "readelf": spec(
        "aAcCdeghIlnrsStTuVW",
        "-p: -R: -x: --all --file-header --program-headers --segments --section-headers --sections --section-groups"
        " --section-details --headers --syms --symbols --dyn-syms --notes --relocs --unwind --dynamic --version-info"
        " --arch-specific --archive-index --histogram --wide --silent-truncation --hex-dump: --string-dump:"
        " --relocated-dump: --demangle?" + _HELP,
        "r",
    ),
    "size": spec("ABdotxG", "--format: --radix: --common --totals" + _HELP, "r"),
    "addr2line": spec(
        "aCfipsH",
        "-e< -j: --exe< --section: --addresses --demangle? --functions --basenames --inlines --pretty-print" + _HELP,
        "t",
    ),
    "c++filt": spec("_inp", "-s: --format: --strip-underscore --no-params --no-verbose" + _HELP, "t"),
    "gcov-dump": spec("hlprsv", "--long --positions --raw --stable" + _HELP, "r"),
    "sum": spec("rs", "--sysv" + _HELP, "r"),
    "shasum": spec("01bstUQqw", "-a: --algorithm: --binary --text --tag --strict -c! --check!" + _HELP, "r"),
    "md5sum.textutils": spec("btz", "--binary --text --tag --zero -c! --check!" + _HELP, "r"),
    "pr": spec(
        "abcdfFJmrtTv",
        "-D: -e? -h: -i? -l: -n? -N: -o: -s? -S? -w: -W: --header: --length: --width:" + _HELP,
        "r",
        numeric=True,
    ),
    "ptx": spec(
        "AfOrRT",
        "-G= --traditional= -b< -i< -o< -F: -g: -M: -S: -w: -W: --width: --format: --ignore-case" + _HELP,
        "r",
    ),
    "tsort": spec("", _HELP, "r"),
    "podchecker": spec("", "-warnings --warnings" + _HELP, "r"),
    "splain": spec("v", "", "r"),
    "funzip": spec("", "", "r"),
    **dict.fromkeys(ordered_names("zless bzless xzless lzless zmore bzmore xzmore lzmore"), _PAGERS),
    "zipdetails": spec("v", "--version --scan --walk -h", "r"),
    "infocmp": spec("1CIKLcdnqrtuxV", "", "t"),
    "utmpdump": spec("f", "-o> --output> --follow" + _HELP, "r"),
    "fincore": spec("Jbnr", "-o: --json --bytes --noheadings --raw --output:" + _HELP, "r"),
    "filefrag": spec("BbeksvxX", "", "r"),
    "lsattr": spec("aDdlVpv", "-R^", "d", default="d"),
    "scriptreplay": spec(
        "",
        "-t< -T< -I< -O< -B< -s< -d: -m: -c: -x: --timing< --log-timing< --log-in< --log-out< --log-io< --divisor:"
        " --maxdelay:" + _HELP,
        "rrt",
    ),
    "basenc": spec(
        "di",
        "-w: --wrap: --decode --ignore-garbage --base64 --base64url --base32 --base32hex --base16 --base2msbf"
        " --base2lsbf --z85" + _HELP,
        "r",
    ),
    "piconv": spec("hl", "-f: -t: --from: --to: --list" + _HELP, "r"),
    "json_pp": spec("vV", "-json_opt: --json_opt:", "t"),
    "encguess": spec("h", "-s: -u:", "r"),
    "lzcat": spec("fkqtvQT0e", _HELP, "r"),
}  # fmt: skip
"""Programs whose operands are files that they read."""

CHANGING: Final[Mapping[str, ArgumentSpec]] = {
    "strip": spec(
        "dDgpsSUvwxX",
        "-F: -I: -K: -N: -O: -R: -o> --strip-all --strip-debug --strip-unneeded --discard-all --discard-locals"
        " --only-keep-debug --keep-file-symbols --keep-symbol: --strip-symbol: --remove-section: --preserve-dates"
        " --wildcard --verbose" + _HELP,
        "c",
    ),
    "objcopy": spec(
        "DgpSUvwxX",
        "-B: -F: -G: -I: -j: -K: -L: -N: -O: -R: -W: --strip-all --strip-debug --strip-unneeded --only-keep-debug"
        " --only-section: --remove-section: --input-target: --output-target: --binary-architecture: --redefine-sym:"
        " --rename-section: --set-section-flags: --set-start: --gap-fill: --pad-to: --keep-symbol: --strip-symbol:"
        " --globalize-symbol: --localize-symbol: --weaken --prefix-symbols: --preserve-dates --wildcard --verbose"
        + _HELP,
        "c",
    ),
    "ranlib": spec("DUtvV", _HELP, "c"),
    "fallocate": spec("cdinpvxz", "-l: -o: --length: --offset: --keep-size --verbose" + _HELP, "c"),
    "chattr": spec("VfadijsuAcCDeFPSTtx", "-R^ -p: -v:", "c"),
    "chcon": spec("hHLPv", "-R^ -u: -r: -t: -l: --reference< --recursive^ --verbose" + _HELP, "c"),
    "setfacl": spec(
        "bkndRLPvh",
        "-R^ -m: -M< -x: -X< --modify: --modify-file< --remove: --remove-file< --remove-all --remove-default --set:"
        " --set-file< --mask --no-mask --default --recursive^ --logical --physical --restore! --test" + _HELP,
        "w",
    ),
    "zic": spec("v", "-d] -l: -L< -p: -t> -b: -r: -y:" + _HELP, "r"),
    "gencat": spec("", "-o> -H> --output> --header> --new" + _HELP, "c"),
}
"""Programs whose operands are files that they change."""
