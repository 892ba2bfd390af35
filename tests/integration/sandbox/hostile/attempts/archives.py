"""Archives that write outside of their folder, unpacked inside the sandbox."""

from tests.integration.sandbox.hostile.case import Category, Trap

MAKE = """
python3 - <<'X'
import io, os, stat, tarfile, zipfile
def member(name, kind=tarfile.REGTYPE, link="", data=b"evil", mode=0o644, uid=0):
    info = tarfile.TarInfo(name); info.type, info.linkname, info.mode, info.uid, info.gid = kind, link, mode, uid, uid
    info.size = len(data) if kind == tarfile.REGTYPE else 0
    info.devmajor, info.devminor = 1, 1
    tar.addfile(info, io.BytesIO(data))
tar = tarfile.open("/tmp/a.tar", "w", format=tarfile.GNU_FORMAT)
%s
tar.close()
X
"""
UNPACK = "mkdir -p /workspace/in && cd /workspace/in && tar -xPf /tmp/a.tar 2>/dev/null"
LOOK = """cat /etc/evil /run/runner/evil /opt/agentsite/evil /home/evil /usr/bin/evil /evil 2>/dev/null | head -1;
grep -l evil /etc/passwd /usr/bin/git /etc/ld.so.preload 2>/dev/null; find /workspace /home/agent -type b -o -type c 2>/dev/null | head -1;
find /workspace/in /home/agent -user 0 -newer /tmp/a.tar -print -quit 2>/dev/null | head -1; chmod -R u+rwX /workspace/in 2>/dev/null; rm -rf /workspace/in /tmp/a.tar; true"""


def tar(id: str, tries: str, members: str, *, unpack: str = UNPACK) -> Trap:
    return Trap(f"tar_{id}", tries, MAKE % members + unpack, LOOK, "", "snapshot")


def zipped(id: str, tries: str, code: str) -> Trap:
    setup = f"""
        python3 - <<'X'
        import zipfile, stat
        z = zipfile.ZipFile("/tmp/a.tar", "w", zipfile.ZIP_DEFLATED)
        {code}
        z.close()
        X
        mkdir -p /workspace/in && cd /workspace/in && timeout 5 unzip -:qo /tmp/a.tar >/dev/null 2>&1
        """
    return Trap(f"zip_{id}", tries, setup, LOOK, "", "snapshot")


CATEGORY = Category(
    "archives",
    "Archives",
    "unpacked by the tool user inside the container: read-only image, no devices, no foreign owners, quota and time",
    traps=(
        tar("dots", "Unpack a name with dots that climb out.", "member('../../../../etc/evil')"),
        tar(
            "absolute",
            "Unpack an absolute name.",
            "member('/etc/evil'); member('/run/runner/evil'); member('/opt/agentsite/evil')",
        ),
        tar(
            "link_then_file",
            "Unpack a link that leads out, then a file through it.",
            "member('d', tarfile.SYMTYPE, '/etc'); member('d/evil')",
        ),
        tar(
            "link_chain",
            "The same through a chain of links.",
            "member('a', tarfile.SYMTYPE, '..'); member('b', tarfile.SYMTYPE, 'a/../..'); member('c', tarfile.SYMTYPE, 'b/etc'); member('c/evil')",
        ),
        tar(
            "hard_link",
            "Unpack a hard link to a system file, then write to it.",
            "member('p', tarfile.LNKTYPE, '/etc/passwd'); member('p', data=b'evil')",
        ),
        tar(
            "hard_link_runner",
            "Unpack a hard link to the journal.",
            "member('j', tarfile.LNKTYPE, '/run/runner/journal'); member('j', data=b'evil')",
        ),
        tar(
            "device",
            "Unpack device nodes of memory and disk.",
            "member('mem', tarfile.CHRTYPE); member('disk', tarfile.BLKTYPE)",
        ),
        tar("fifo", "Unpack a pipe under the name of an ignore file.", "member('.gitignore', tarfile.FIFOTYPE)"),
        tar(
            "setuid",
            "Unpack a setuid program of root's.",
            "member('su', mode=0o6755, data=open('/bin/id', 'rb').read())",
            unpack=UNPACK + "; ./su -u | grep -x 0 >> /workspace/in/evil",
        ),
        tar(
            "owner",
            "Unpack files that belong to root.",
            "member('r', uid=0); member('s', uid=4294967294)",
            unpack=UNPACK.replace("-xPf", "--same-owner -xPf"),
        ),
        tar(
            "xattr",
            "Unpack a file with capabilities.",
            "info = tarfile.TarInfo('c'); info.pax_headers = {'SCHILY.xattr.security.capability': 'x' * 20}; tar.format = tarfile.PAX_FORMAT; tar.addfile(info)",
            unpack=UNPACK.replace("-xPf", "--xattrs --xattrs-include=* -xPf"),
        ),
        tar(
            "names",
            "Unpack names that look like options.",
            "member('--checkpoint=1'); member('--checkpoint-action=exec=sh evil.sh'); member('-rf')",
        ),
        tar(
            "repository",
            "Unpack a repository with hooks and a hostile configuration.",
            "member('.git/HEAD', data=b'ref: refs/heads/main'); member('.git/config', data=b'[core]\\n\\tfsmonitor = touch /tmp/evil; false\\n\\trepositoryformatversion = 0\\n'); member('.git/objects/x'); member('.git/refs/x')",
        ),
        tar(
            "workspace_itself",
            "Unpack something in the place of the folder it is unpacked to.",
            "member('../in', tarfile.SYMTYPE, '/etc'); member('evil')",
        ),
        tar(
            "bomb",
            "Unpack a gigabyte from a megabyte.",
            "member('z', data=bytes(50 << 20))",
            unpack=UNPACK + "; for i in $(seq 4); do cp z z$i; done; rm -f z*",
        ),
        zipped("dots", "Unzip a name with dots that climb out.", "z.writestr('../../../../etc/evil', 'evil')"),
        zipped("absolute", "Unzip an absolute name.", "z.writestr('/etc/evil', 'evil')"),
        zipped(
            "link",
            "Unzip a link that leads out, then a file through it.",
            "i = zipfile.ZipInfo('d'); i.create_system = 3; i.external_attr = (stat.S_IFLNK | 0o777) << 16; z.writestr(i, '/etc'); z.writestr('d/evil', 'evil')",
        ),
        zipped("bomb", "Unzip a thousand times its size.", "z.writestr('z', bytes(100 << 20))"),
        zipped("many", "Unzip two thousand files.", "[z.writestr(f'n/{n}', 'x') for n in range(2000)]"),
    ),
)
