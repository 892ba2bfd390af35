"""A web app like those that agents write, using only the standard library: `python3 app.py [PORT]`.

It writes its port to the file `port`. It is copied into workspaces, so it imports nothing of this repository.
"""

import base64
import hashlib
import json
import sys
import time
from collections.abc import Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
PAGE = """<!doctype html><title>Tea shop</title><h1>Tea shop</h1><p id="news">no news</p>
<p id="cookie"></p><script src="/app.js"></script>"""
SCRIPT = """
const socket = new WebSocket(`ws://${location.host}/socket`);
socket.onopen = () => socket.send("changed");
socket.onmessage = (event) => { document.getElementById("news").textContent = `news: ${event.data}`; };
"""

EVIL = """<!doctype html><title>Evil</title><p id="done">trying</p><script>
const site = new URLSearchParams(location.search).get("site");
const results = {};
const attempt = async (name, work) => {
  try { results[name] = String(await work()); } catch (error) { results[name] = `refused: ${error.name}`; }
};
const answer = (socket) => new Promise((resolve) => {
  socket.onopen = () => resolve("open");
  socket.onerror = () => resolve("refused");
});
(async () => {
  await attempt("cookie", () => document.cookie);
  await attempt("parent", () => parent.document.title);
  await attempt("storage", () => { parent.localStorage.getItem("x"); return "read"; });
  await attempt("navigate", () => { top.location.href = "/taken"; return "taken"; });
  await attempt("api", async () => (await fetch(`${site}/api/v1/me`, {credentials: "include"})).status);
  const blind = {credentials: "include", mode: "no-cors"};
  await attempt("blind", async () => (await fetch(`${site}/api/v1/me`, blind)).type);
  await attempt("script", () => new Promise((resolve) => {
    const script = document.createElement("script");
    script.onload = () => resolve("loaded");
    script.onerror = () => resolve("refused");
    script.src = `${site}/api/v1/me`;
    document.body.append(script);
  }));
  await attempt("socket", () => answer(new WebSocket(`${site.replace("http", "ws")}/ws/me`)));
  const frame = document.createElement("iframe");
  frame.id = "site";
  frame.src = site;
  document.body.append(frame);
  document.getElementById("done").textContent = JSON.stringify(results);
})();
</script>"""


class App(BaseHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        pass

    def do_GET(self) -> None:
        pages = {
            "/": self.page, "/app.js": self.script, "/headers": self.headers_seen, "/redirect": self.redirect,
            "/cookies": self.cookies, "/big": self.big, "/endless": self.endless, "/socket": self.echo,
            "/silent": self.hang_up, "/evil": self.attack,
        }  # fmt: skip
        pages.get(self.path.partition("?")[0], self.nothing)()

    def page(self) -> None:
        self.answer(PAGE, "text/html", [("X-Frame-Options", "DENY")])

    def script(self) -> None:
        self.answer(SCRIPT, "text/javascript")

    def headers_seen(self) -> None:
        self.answer(json.dumps(dict(self.headers.items())), "application/json")

    def redirect(self) -> None:
        port = Path("port").read_text()
        self.answer("", "text/plain", [("Location", f"http://localhost:{port}/next?a=b")], status=302)

    def cookies(self) -> None:
        given = ["a=1; Domain=localhost; SameSite=Lax; HttpOnly", "__Host-agentsite-preview=stolen; Path=/; Secure"]
        self.answer("", "text/plain", [("Set-Cookie", each) for each in given])

    def big(self) -> None:
        self.send_response(200)
        self.end_headers()
        for number in range(64):
            self.wfile.write(bytes([number]) * 65_536)

    def endless(self) -> None:
        self.send_response(200)
        self.end_headers()
        while True:
            self.wfile.write(b"data: x\n\n")
            self.wfile.flush()
            time.sleep(0.1)

    def attack(self) -> None:
        self.answer(EVIL, "text/html")

    def hang_up(self) -> None:
        self.close_connection = True

    def nothing(self) -> None:
        self.answer(f"there is no {self.path}", "text/plain", status=404)

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.answer(hashlib.sha256(body).hexdigest(), "text/plain")

    def answer(self, text: str, kind: str, more: Sequence[tuple[str, str]] = (), status: int = 200) -> None:
        body = text.encode()
        self.send_response(status)
        for name, value in [("Content-Type", kind), ("Content-Length", str(len(body))), *more]:
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def echo(self) -> None:
        """Send short messages of a WebSocket back to the client."""
        key = self.headers["Sec-WebSocket-Key"] + GUID
        accepted = base64.b64encode(hashlib.sha1(key.encode(), usedforsecurity=False).digest()).decode()
        self.send_response(101)
        for name, value in (("Upgrade", "websocket"), ("Connection", "Upgrade"), ("Sec-WebSocket-Accept", accepted)):
            self.send_header(name, value)
        self.end_headers()
        self.wfile.flush()
        self.close_connection = True
        while len(head := self.rfile.read(2)) == 2 and head[0] & 0x0F != 8:
            mask = self.rfile.read(4)
            text = bytes(each ^ mask[at % 4] for at, each in enumerate(self.rfile.read(head[1] & 0x7F)))
            self.wfile.write(bytes([head[0], len(text)]) + text)
            self.wfile.flush()


if __name__ == "__main__":
    server = ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1]) if sys.argv[1:] else 0), App)
    server.daemon_threads = True
    fresh = Path("port.new")
    fresh.write_text(str(server.server_address[1]))
    fresh.rename("port")
    server.serve_forever()
