"""A program that `tests/unit/tools_app/web/test_process.py` starts as a guarded process: as its input demands, it
reports its environment or misbehaves."""

import os
import sys
import time

from tools_app.web.guarded.messages import send


def main() -> None:
    wanted = sys.stdin.readline().strip()
    if wanted == '{"do": "tell"}':
        open_files = sorted(os.listdir("/proc/self/fd"), key=int)  # noqa: PTH208 - names, not paths
        send("told", environ=dict(os.environ), files=open_files[:-1], session=os.getsid(0) == os.getpid())
    elif wanted == '{"do": "babble"}':
        sys.stdout.write("no JSON\n")
    elif wanted == '{"do": "promise"}':
        sys.stdout.write('{"size": 999999999999}\n')
    elif wanted == '{"do": "sleep"}':
        time.sleep(60)
    elif wanted == '{"do": "fail"}':
        raise SystemExit(3)


if __name__ == "__main__":
    main()
