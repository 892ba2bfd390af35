"""Pass one scenario of the conformance suite to the process that runs all scenarios: `python conformance_call.py SOCKET
URL`.

It imports little, because the suite starts dozens of these at once.
"""

import json
import os
import socket
import sys

with socket.socket(socket.AF_UNIX) as connection:
    connection.connect(sys.argv[1])
    context = json.loads(os.environ.get("MCP_CONFORMANCE_CONTEXT") or "{}")
    connection.sendall(json.dumps({"url": sys.argv[2], "context": context}).encode() + b"\n")
    problem = b"".join(iter(lambda: connection.recv(65_536), b"")).decode()
sys.exit(problem or 0)
