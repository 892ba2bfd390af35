"""Files that harm programs which read them later. Paths that lead out of the workspace are in test_boundary*.py."""

from tests.integration.sandbox.hostile.case import Category, Operation, Probe, Trap

CLEAN = "cd /workspace && find . -mindepth 1 -maxdepth 1 -exec rm -rf {} + 2>/dev/null; echo alive"


def made(
    id: str, tries: str, setup: str, operation: Operation = "snapshot", *, said: str = ".*", timeout: float = 15
) -> Trap:
    return Trap(id, tries, setup, CLEAN, "alive", operation, said, timeout)


CATEGORY = Category(
    "files",
    "Files",
    "paths opened beneath the root without links and never blocking, names as bytes, sizes and counts bounded, links "
    "between mounts impossible, device nodes refused",
    probes=(
        Probe(
            "hard_link_out",
            "Hard-link a file of the image into the workspace.",
            "os.link('/etc/passwd', '/workspace/p')",
            "EXDEV|EPERM|EACCES",
        ),
        Probe(
            "hard_link_home",
            "Hard-link between the workspace and the home.",
            "open('/workspace/a', 'w'); os.link('/workspace/a', '/home/agent/a')",
            "EXDEV|EPERM",
        ),
        Probe(
            "rename_out",
            "Move a folder from one mount to another.",
            "os.makedirs('/workspace/d', exist_ok=True); os.rename('/workspace/d', '/home/agent/d')",
            "EXDEV",
        ),
        Probe(
            "rename_mount", "Move the workspace itself.", "os.rename('/workspace', '/w')", "EROFS|EBUSY|EACCES|EXDEV"
        ),
        Probe(
            "exchange",
            "Exchange a mount with a folder of its own.",
            "sys_call(316, 276, -100, b'/workspace', -100, b'/tmp', 2)",
            "EROFS|EBUSY|EACCES|EXDEV|EINVAL",
        ),
        Probe("remove_mount", "Remove the workspace itself.", "os.rmdir('/workspace')", "EROFS|EBUSY|EACCES|ENOTEMPTY"),
        Probe(
            "block_device",
            "Make a block device in the workspace.",
            "os.mknod('/workspace/b', 0o60666, os.makedev(254, 0))",
            "EPERM",
        ),
        Probe(
            "char_device",
            "Make a character device in the home.",
            "os.mknod('/home/agent/c', 0o20666, os.makedev(1, 1))",
            "EPERM",
        ),
        Probe(
            "overlay_whiteout",
            "Make the device that hides files in overlays.",
            "os.mknod('/tmp/w', 0o20666, 0); opened('/tmp/w')",
            "ENXIO|EPERM|EACCES",
        ),
        Probe(
            "trusted_attribute",
            "Set an attribute that only the host trusts.",
            "os.setxattr('/workspace', 'trusted.overlay.opaque', b'y')",
            "EPERM|ENOTSUP",
        ),
        Probe(
            "acl",
            "Give a file to others by an access list of host ids.",
            "open('/tmp/l', 'w'); os.setxattr('/tmp/l', 'system.posix_acl_access', bytes([2, 0, 0, 0, 1, 0, 7, 0, 255, 255, 255, 255, 2, 0, 7, 0, 0, 0, 0, 0]))",
            "E[A-Z]+",
        ),
        Probe("name_too_long", "Make a name of 256 bytes.", "open('/workspace/' + 'x' * 256, 'w')", "ENAMETOOLONG"),
        Probe(
            "immutable",
            "Make a file that the host cannot remove.",
            "sys_call(16, 29, os.open('/workspace', os.O_RDONLY), 0x40086602, (0x10).to_bytes(8, 'little'))",
            "EPERM|ENOTTY|ENOTSUP",
        ),
        Probe(
            "project_id",
            "Leave its disk quota by another project id.",
            """
            import fcntl
            data = bytearray(28); fd = os.open("/workspace", os.O_RDONLY); fcntl.ioctl(fd, 0x801c581f, data)
            data[12:16] = (4242).to_bytes(4, "little"); fcntl.ioctl(fd, 0x401c5820, bytes(data))
            """,
            "EPERM|EACCES|EINVAL|ENOTTY|ENOTSUP",
        ),
        Probe(
            "verity",
            "Seal a file against everybody.",
            "sys_call(16, 29, os.open('/workspace', os.O_RDONLY), 0x40806685, bytes(128))",
            "E[A-Z]+",
        ),
        Probe(
            "file_system_ioctl",
            "Freeze the host's file system.",
            "sys_call(16, 29, os.open('/workspace', os.O_RDONLY), 0xC0045877, 0)",
            "EPERM|ENOTSUP|ENOTTY",
        ),
        Probe(
            "shutdown_ioctl",
            "Shut the host's file system down.",
            "sys_call(16, 29, os.open('/workspace', os.O_RDONLY), 0x8004587D, bytes(4))",
            "EPERM|EFAULT|ENOTSUP|ENOTTY",
        ),
        Probe(
            "trim_ioctl",
            "Have the host's disk trimmed.",
            "sys_call(16, 29, os.open('/workspace', os.O_RDONLY), 0xC0185879, bytes(24))",
            "EPERM|ENOTSUP|ENOTTY",
        ),
        Probe(
            "fibmap",
            "Learn where on the host's disk a file lies.",
            "sys_call(16, 29, os.open('/workspace/x', os.O_CREAT | os.O_RDWR), 1, bytes(8))",
            "EPERM|EINVAL|ENOTTY",
        ),
        Probe(
            "tty_push",
            "Push input into a terminal (TIOCSTI).",
            """
            import fcntl
            fcntl.ioctl(os.open("/dev/tty", os.O_RDWR), 0x5412, b"x")
            """,
            "ENXIO|EIO|EPERM|ENOTTY|EACCES|ENOENT",
        ),
    ),
    traps=(
        made(
            "sparse_giant",
            "Leave a sparse file of eight exabytes.",
            "truncate -s 8E a 2>/dev/null || truncate -s 15T a; truncate -s 1T b",
            said="snapshot",
        ),
        made(
            "sparse_grep",
            "Have a search read it.",
            "truncate -s 1T a; echo two > b",
            "grep",
            said="grep|limit_reached",
            timeout=40,
        ),
        made(
            "deep_tree",
            "Leave a tree too deep for any path.",
            "python3 -c \"import os\nfor n in range(1200):\n os.mkdir('d' * 20); os.chdir('d' * 20)\"",
            said="snapshot",
        ),
        made(
            "deep_list",
            "Have a search walk it.",
            "python3 -c \"import os\nfor n in range(1200):\n os.mkdir('d' * 20); os.chdir('d' * 20)\"",
            "glob",
        ),
        made(
            "wide_folder", "Leave a folder of 5,000 files.", "mkdir w; cd w; seq 5000 | xargs touch", "list", timeout=20
        ),
        made(
            "wide_patch",
            "Make a patch too large to send, so that nobody sees what changed.",
            "python3 -c \"[open(f'f{n}', 'w').write(('\\u00e9' * 60 + chr(10)) * 8000) for n in range(40)]\"",
            "diff",
            said="diff",
            timeout=20,
        ),
        made(
            "line_break_names",
            "Name files with line breaks, escapes, and what looks like other paths.",
            "touch $'a\\nb' $'\\e[2J' ' ' '-rf' '~' '$(id)' '`id`' $'\\x01' '\\\\' '\"' \"'\"",
            said="snapshot",
        ),
        made(
            "half_names",
            "Name files with bytes that are no text.",
            "touch $'\\xff' $'\\xed\\xa0\\x80' $'\\xc0\\xaf'",
            "list",
            said="list",
        ),
        made("longest_name", "Name a file with 255 bytes.", "touch $(printf 'x%.0s' $(seq 255))", "list", said="list"),
        made(
            "case_names",
            "Name files that differ only in case or composition.",
            "touch .ENV .env $'e\\xcc\\x81' $'\\xc3\\xa9'",
            "list",
            said="list",
        ),
        made(
            "fifo_everywhere",
            "Leave pipes, sockets and loops where files are expected.",
            "mkfifo a .hidden; ln -s loop loop; ln -s . self; python3 -c \"import socket; socket.socket(1).bind('s')\"",
            said="snapshot",
        ),
        made(
            "link_storm",
            "Leave thousands of links in circles.",
            "python3 -c \"import os\nfor n in range(2000): os.symlink(f'l{n % 7}', f'l{n}')\"; mkdir d; ln -s .. d/up",
            said="snapshot",
        ),
        made(
            "unreadable",
            "Leave files that their owner may not read.",
            "touch a b; chmod 000 a; mkdir c; touch c/d; chmod 000 c",
            said="snapshot",
        ),
        made(
            "changing",
            "Change files while they are recorded.",
            "for i in $(seq 200); do echo $i > f$i; done",
            said="snapshot",
        ),
        made(
            "attributes",
            "Hang large attributes on a file.",
            "python3 -c \"import os\nopen('a', 'w')\nfor n in range(20): os.setxattr('a', f'user.{n}', b'x' * 100)\"",
            said="snapshot",
        ),
        made(
            "old_times",
            "Date files before and after all time.",
            "touch -d '1901-12-14' a; touch -d '2446-05-10' b; touch -d @-1 c",
            "list",
            said="list",
        ),
        made(
            "git_bomb",
            "Leave a repository that claims a million files.",
            "git init -q . && python3 -c \"import struct; open('.git/index', 'wb').write(b'DIRC' + struct.pack('>II', 2, 1000000))\"",
            said="snapshot|[a-z_]+",
        ),
        made(
            "ignore_bomb",
            "Leave an ignore file of a million patterns.",
            "seq 20000 | sed 's/$/**a*b*/' > .gitignore; mkdir -p a/b/c; touch a/b/c/aaaa",
            "glob",
            said="glob|limit_reached",
            timeout=40,
        ),
    ),
)
