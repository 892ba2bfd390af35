"""Programs for compiled files, archives and encoded texts: unusual options make the analysis incomplete."""

import pytest

from tests.unit.tools_app.permission.shell.support import analyzed, touched


@pytest.mark.parametrize(
    "command",
    [
        # code
        """echo 'system("git push")' | json_pp -f eval""",
        "pod2usage -formatter 'Pod::Text; system(q(git push))' x.pod",
        "rename 's/x/y/' a.txt",
        "c++ -fmodules-ts -fmodule-mapper='|git push' -c m.cc",
        "nm --plugin ./x.so a.o",
        # files that another file names
        "objdump -S a.o",
        "objdump --source a.o",
        "ar p thin.a",
        "soelim notes",
        "pygettext3 --input-file=list",
        "less -t x",
        "less -T tags --tag x",
        "gcov x.gcda",
        "c++filt @list",
        "ld -r -b binary -Linternal -l:plan.txt -o x.o",
        "ld x.ld -o a",
        "as x.s -o x.o",
        "x86_64-linux-gnu-as x.s -o x.o",
        "c99 -E -imacrosinternal/plan.txt x.c",
        "curl -T '{a,b}' http://localhost",
        # files that are written under names of their own
        "ar -M < script",
        "ar x lib.a",
        "rename.ul X . yarnXlock",
        "savelog -n -l -d -D lock yarn",
        "ptar -xf a.tar",
        "ptargrep x a.tar",
        "rmt-tar",
        "dpkg-source -x a.dsc",
        "objcopy --dump-section=.text=out a.o",
        "c99 -MD -MF out -c x.c",
        "c99 -aux-info out -c x.c",
        "c99 -Wp,-MD,out -c x.c",
        "musl-gcc -MD -MF out -c x.c",
        "x86_64-linux-gnu-gcc-12 -Wl,-Map,out x.o",
        "g++-12 -save-temps x.cc -o a",
        "cpp x.c out",
        "cpp -MF out -MD x.c",
    ],
)
def test_what_is_no_everyday_use_is_incomplete(command: str) -> None:
    assert not analyzed(command).complete


@pytest.mark.parametrize(
    "command",
    [
        "objdump -d a.out",
        "objdump -t -C a.o | head",
        "objdump -d -M intel --no-show-raw-insn a.out",
        "nm -C --defined-only a.o",
        "readelf -d a.out",
        "readelf -Ws lib.so",
        "size -A a.out",
        "ar rcs libx.a x.o y.o",
        "ar t libx.a",
        "ar -tv libx.a",
        "strip --strip-unneeded lib.so",
        "objcopy -O binary a.elf a.bin",
        "ranlib libx.a",
        "shasum -a 256 x.tar.gz",
        "cat a.json | json_pp",
        "zipinfo -1 x.zip",
        "zless x.gz",
        "c++filt _Z1fv",
        "addr2line -e a.out -f 0x10",
        "g++-12 -c x.cc -o x.o",
        "musl-gcc -O2 -o a x.c",
        "cpp -DX=1 x.c",
        "less -R notes",
    ],
)
def test_everyday_use_is_complete(command: str) -> None:
    assert analyzed(command).complete


@pytest.mark.parametrize(
    ("command", "path"),
    [
        ("cpp x.c yarn.lock", "yarn.lock"),
        ("ar rcs yarn.lock a.o", "yarn.lock"),
        ("ar -M < script", "."),
        ("ptar -xf a.tar", "."),
        ("rename.ul X . yarnXlock", "."),
        ("zic -d out zones", "out"),
        ("ptx -G notes other", "other"),
        ("gencat -Hout x.cat x.msg", "out"),
        ("dpkg -b src yarn.lock", "yarn.lock"),
        ("dpkg -e a.deb out", "out"),
        ("zip -P x new.lock a", "new.lock"),
        ("zip --split-size 64k new.zip a", "new.zip"),
        ("zip --temp-path out x.zip a", "out"),
        ("lzma -kS .lock yarn", "yarn.lock"),
        ("uncompress -S .lock yarn.lock", "yarn"),
        ("pytest --rootdir=out", "out"),
        ("cargo fix --allow-dirty", "."),
        ("go fix", "."),
        ("terraform fmt -recursive", "."),
        ("typos -w", "."),
    ],
)
def test_what_is_written_without_being_called_a_target(command: str, path: str) -> None:
    assert f"/workspace/{path}" in touched(command, "write")


@pytest.mark.parametrize("command", ["ag x", "ug x", "ast-grep run -p x", "codespell", "ctags -R"])
def test_a_search_without_a_folder_reads_the_working_directory(command: str) -> None:
    assert "/workspace/." in touched(command, "read")
