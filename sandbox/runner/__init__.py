"""The program that runs inside a sandbox and does everything that is done there.

Standard library only, Python 3.11, small enough to audit in one sitting. In a container it is uid 0 with nothing but
SETUID, SETGID and KILL; files are touched and commands run as the tool user (uid 1000). It imports nothing from the
rest of the project, since the image holds only this package.

    frames      the wire format                    tree       paths, and opening exactly what was checked
    kernel      system calls Python does not wrap  files      stat, list, read, write, remove
    identity    who does what: root or tool user   search     glob and grep through ripgrep
    hardening   what the runner denies itself      processes  one thread that owns every child process
    calls       commands with an id that lasts     journal    what became of every call, outliving the container
    snapshots   states of the workspace            changes    what differs between two of them
    server      requests to answers                bridge     the same over one stdin/stdout stream
    selfcheck*  whether the walls and basic commands are as they must be, found out by a process of the tool user
"""
