"""The runner: the process inside a sandbox that executes tool calls and touches the workspace's files.

Standard library only, Python 3.11, kept small so that it can be audited. In a container it is uid 0 with only the
capabilities SETUID, SETGID and KILL; it accesses files and runs commands as the tool user (uid 1000). It imports
nothing from the rest of the project, because the image contains only this package.

Requests
    server           accepts connections and dispatches requests to the modules below
    bridge           many requests over one stdin and stdout, instead of the server's socket
    frames, streams  the wire format, and long byte streams within one request
    errors           error codes and messages

Privileges
    privileges       what runs as root and what runs as the tool user
    hardening        restrictions that the runner puts on itself
    unprotected      the server of a runner that could not restrict itself
    kernel           system calls that Python does not wrap
    retries          retrying after temporary errors of the kernel

Commands
    processes        one thread that owns every child process
    process_cleanup, shared_objects  kill and remove what commands leave behind
    calls, journal   commands that run under a call id, and their results on disk
    limits, meters   configured limits and current usage
    limit_watch      detects that a limit was reached
    stdio, pump, stdio_buffers  programs that clients talk to over stdin and stdout
    programs         runs the runner's own helper programs: ripgrep, git and diff

Files
    tree, tree_walk  path resolution, and opening exactly the path that was resolved
    files            stat, list, read, write and remove
    change_sets      several file changes applied as one
    search           glob and grep through ripgrep, with globs, matches and blocking_files
    snapshots, manifests, changes  recorded states of the workspace, and diffs between them
    reviews, comparisons, line_diffs, folding, renames  the list of changes for a reviewer
    archive, archive_restore, tar, gzip_stream  tar.gz archives of the workspace and the home
    digests, disk_use  SHA-256, and the number of bytes and names in a folder
    budgets          bounds the memory that requests use for names of files

Self-check
    selfcheck*       checks the sandbox's isolation and basic commands, in a process of the tool user
"""
