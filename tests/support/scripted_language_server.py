"""A language server whose argument selects an unusual behaviour. It uses only the standard library.

It reports an error in every line that contains "wrong", and publishes its diagnostics twice.
"""

import json
import sys
import time
from typing import Any


def receive() -> dict[str, Any]:
    length = 0
    while line := sys.stdin.buffer.readline().strip():
        if line.lower().startswith(b"content-length:"):
            length = int(line.split(b":")[1])
    if not length:
        sys.exit(0)
    message: dict[str, Any] = json.loads(sys.stdin.buffer.read(length))
    return message


def send(message: dict[str, Any]) -> None:
    body = json.dumps({"jsonrpc": "2.0", **message}).encode()
    sys.stdout.buffer.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
    sys.stdout.buffer.flush()


def found_in(text: str) -> list[dict[str, Any]]:
    return [
        {
            "range": {"start": {"line": number, "character": 0}, "end": {"line": number, "character": 5}},
            "severity": 1,
            "message": f"{line} is wrong",
        }
        for number, line in enumerate(text.split("\n"))
        if "wrong" in line
    ]


def publish(mode: str, document: dict[str, Any], text: str) -> None:
    """Publish empty diagnostics for a document first, and then the real ones."""
    said = {"uri": document["uri"], "version": document["version"]}
    send({"method": "textDocument/publishDiagnostics", "params": {**said, "diagnostics": []}})
    if mode == "thoughtful":
        send({"method": "pyright/beginProgress", "params": [None]})
        time.sleep(0.5)
    send({"method": "textDocument/publishDiagnostics", "params": {**said, "diagnostics": found_in(text)}})
    if mode == "thoughtful":
        send({"method": "pyright/endProgress", "params": [None]})


def answer(mode: str, message: dict[str, Any]) -> None:
    method, params = message.get("method"), message.get("params") or {}
    if method == "initialize":
        send({"id": "c1", "method": "workspace/configuration", "params": {"items": [{"section": "python.analysis"}]}})
        send({"id": "c2", "method": "made/up", "params": {}})
        send({"id": message["id"], "result": {"capabilities": {"hoverProvider": True, "definitionProvider": True}}})
    elif method == "textDocument/didOpen" and mode != "mute":
        publish(mode, params["textDocument"], params["textDocument"]["text"])
    elif method == "textDocument/didChange" and mode != "mute":
        publish(mode, params["textDocument"], params["contentChanges"][0]["text"])
    elif method == "textDocument/hover":
        hover(mode, message["id"])
    elif method == "textDocument/definition":
        define(mode, message["id"], params)


def define(mode: str, number: int, params: dict[str, Any]) -> None:
    """Answer a request for a definition with a position in the same file, or in another file in mode "elsewhere". The
    answer is invalid if the request is not about the first line."""
    uri, place = params["textDocument"]["uri"], {"line": 0, "character": 0}
    if mode == "elsewhere":
        uri = f"{uri.rpartition('/')[0]}/internal/plan.txt"
    result = {"uri": uri, "range": {"start": place, "end": place}}
    nonsense = {"uri": "https://elsewhere/a", "range": {"start": 5}}
    send({"id": number, "result": nonsense if params["position"]["line"] else result})


def hover(mode: str, number: int) -> None:
    if mode == "mortal":
        sys.stderr.write("I had enough\n")
        sys.exit(7)
    send({"id": number, "result": {"contents": {"kind": "plaintext", "value": f"process {mode}"}}})


def main() -> None:
    mode = sys.argv[1]
    if mode == "stillborn":
        sys.stderr.write("no such module\n")
        sys.exit(1)
    if mode == "babbler":
        sys.stdout.write("Welcome to the server!\r\n\r\n")
        sys.stdout.flush()
    if mode == "asleep":
        time.sleep(600)
    while True:
        answer(mode, receive())


if __name__ == "__main__":
    main()
