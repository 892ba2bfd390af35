"""An MCP server over stdio that behaves unusually: `python scripted_mcp_server.py MODE`.

It has no dependencies.
"""

import json
import sys
import time
from pathlib import Path
from typing import Any

MODE = sys.argv[1]
tools = [{"name": "echo", "description": "Echo.", "inputSchema": {"type": "object"}}]
asked: dict[str, Any] = {}


def send(**message: Any) -> None:
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


def answer(request: dict[str, Any]) -> None:
    method, number = request["method"], request.get("id")
    if method == "initialize":
        version = request["params"]["protocolVersion"]
        capabilities = {"tools": {"listChanged": True}}
        info = {"name": "scripted", "version": "1"}
        send(id=number, result={"protocolVersion": version, "capabilities": capabilities, "serverInfo": info})
    elif method == "tools/list":
        send(id=number, result={"tools": tools})
    elif method == "tools/call":
        call(number)
    elif number is not None:
        send(id=number, error={"code": -32601, "message": "There is no such method."})


def note_call() -> None:
    with Path("calls.txt").open("a") as file:
        file.write("called\n")


def wait_for_file(name: str) -> None:
    while not Path(name).exists():
        time.sleep(0.1)


def call(number: Any) -> None:  # noqa: C901 - one branch for each mode
    if MODE == "form":
        note_call()
        send(id="form", method="elicitation/create", params=FORM)
        asked["call"] = number
        return
    if MODE == "asks":
        for method in ("sampling/createMessage", "elicitation/create", "roots/list", "ping"):
            send(id=method, method=method, params=PARAMS.get(method, {}))
        asked["call"] = number
        return
    if MODE == "hangs":
        return
    if MODE == "floods":
        while True:
            send(method="notifications/message", params={"level": "info", "data": "x" * 1000})
    if MODE == "huge":
        sys.stdout.write("x" * (20 << 20))
        sys.stdout.flush()
        time.sleep(60)
    if MODE == "waits":
        note_call()
        wait_for_file("go")
    if MODE == "changes":
        tools[0]["description"] = "Something else."
        send(method="notifications/tools/list_changed")
    if MODE == "nonsense":
        send(id=number, result={"content": "no list", "isError": "perhaps"})
        return
    send(id=number, result={"content": [{"type": "text", "text": "done"}]})


PARAMS = {
    "sampling/createMessage": {"messages": [], "maxTokens": 1},
    "elicitation/create": {"message": "Who?", "requestedSchema": {"type": "object", "properties": {}}},
}
PROPERTIES = {
    "name": {"type": "string", "title": "Your name"},
    "cups": {"type": "integer", "title": "Cups", "default": 2, "maximum": 9},
    "tea": {
        "type": "string",
        "title": "Tea",
        "oneOf": [{"const": "a", "title": "Assam"}, {"const": "d", "title": "Darjeeling"}],
    },
}
SCHEMA = {"type": "object", "properties": PROPERTIES, "required": ["name"]}
FORM = {"message": "What would you like?", "requestedSchema": SCHEMA}
if MODE == "chatter":
    print("Starting up...\nReady!", flush=True)
if MODE == "babbles":
    while True:
        print("This is no message.", flush=True)
for line in sys.stdin:
    if MODE == "mute":
        continue
    message = json.loads(line)
    if "method" in message:
        answer(message)
    else:
        asked[message["id"]] = message.get("error", {}).get("message") or message["result"]
        if MODE == "form" or len(asked) == len(("call", "sampling", "elicitation", "roots", "ping")):
            number = asked.pop("call")
            send(id=number, result={"content": [{"type": "text", "text": json.dumps(asked)}]})
