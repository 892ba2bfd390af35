#!/usr/bin/python3 -IS
"""Sign a commit or tag. git runs this program instead of ssh-keygen; it asks the door, which has the key.

git calls it with `-Y sign -n git -f KEY FILE` and reads the signature from FILE.sig. All other calls are passed on to
ssh-keygen.
"""

import os
import socket
import sys

DOOR = "http://127.0.0.1:3128"
REQUEST = "POST /git/signature HTTP/1.1\r\nHost: door\r\nContent-Length: {}\r\nConnection: close\r\n\r\n"
TIMEOUT = 30.0  # seconds


def main() -> int:
    arguments = sys.argv[1:]
    if arguments[:2] != ["-Y", "sign"]:
        try:
            os.execvp("ssh-keygen", ["ssh-keygen", *arguments])  # noqa: S606
        except OSError:
            return failed("ssh-keygen is not in the image, so signatures cannot be verified here.")
    with open(arguments[-1], "rb") as file:  # noqa: PTH123 - pathlib takes longer to import than the rest takes
        payload = file.read()
    try:
        status, body = ask(payload)
    except (OSError, ValueError, IndexError):
        return failed("The door does not answer, so the commit is not signed. Try again in a moment.")
    if status != 200:
        return failed(body.decode("utf-8", "replace").strip())
    with open(f"{arguments[-1]}.sig", "wb") as file:  # noqa: PTH123
        file.write(body)
    return 0


def ask(payload: bytes) -> tuple[int, bytes]:
    """Ask the door to sign a commit. Returns the status and the body of the door's response."""
    host, _, port = os.environ.get("HTTP_PROXY", DOOR).rpartition("/")[2].rpartition(":")
    with socket.create_connection((host, int(port)), timeout=TIMEOUT) as door:
        door.sendall(REQUEST.format(len(payload)).encode() + payload)
        answer = b""
        while piece := door.recv(1 << 16):
            answer += piece
    head, _, body = answer.partition(b"\r\n\r\n")
    return int(head.split()[1]), body


def failed(sentence: str) -> int:
    sys.stderr.write(f"{sentence}\n")
    return 1


if __name__ == "__main__":
    sys.exit(main())
