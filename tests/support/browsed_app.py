"""A web app that agents try in a browser, using only the standard library: `python3 app.py`.

It writes its port to the file `port`. It is copied into workspaces, so it imports nothing of this repository.
"""

import time
from collections.abc import Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

PAGE = b"""<!doctype html><title>Tea shop</title>
<style>body { margin: 0; background: #ffffff } #tall { height: 3000px }</style>
<h1>Tea shop</h1>
<label>Name <input id="name" value="old"></label>
<label>Kind <select id="kind"><option>Green</option><option value="b">Black</option></select></label>
<label>Photo <input type="file" id="photo"></label>
<button id="save">Save</button><button>Twin</button><button>Twin</button>
<p id="saved" aria-live="polite"></p>
<a href="/second">Next page</a> <a href="/tab" target="_blank">New tab</a> <a href="/file">A file</a>
<button onclick="confirm('Sure?') || alert('Kept')">Remove</button>
<button onclick="location = 'file:///etc/passwd'">Open a file</button>
<button onclick="location = '/to-file'">Be sent to a file</button>
<script>
console.log("loaded", {cups: 2});
const box = (id) => document.getElementById(id);
box("save").onclick = async () => {
  const said = await (await fetch("/saved?name=" + box("name").value)).text();
  box("saved").textContent = `${said}, ${box("kind").value}`;
  await fetch("/missing");
  undefinedFunction();
};
box("name").onkeydown = (event) => { if (event.key === "Enter") box("saved").textContent = "Entered"; };
</script>"""
FLOOD = b"""<!doctype html><title>Flood</title><script>
const pour = () => { for (let i = 0; i < 500; i++) console.log("x".repeat(400)); };
setInterval(pour, 5);
</script>"""
HANG = b"<!doctype html><title>Hang</title><button onclick='for (;;);'>Hang</button>"


class Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        path, _, query = self.path.partition("?")
        match path:
            case "/":
                self._answer(PAGE)
            case "/second":
                self._answer(b"<!doctype html><title>Second</title><h1>The second page</h1>")
            case "/tall":
                self._answer(b"<!doctype html><title>Tall</title><div style='height:9000px'>tall</div>")
            case "/flood":
                self._answer(FLOOD)
            case "/hang":
                self._answer(HANG)
            case "/frame":
                self._answer(b"<!doctype html><title>Frame</title><iframe src='file:///etc/passwd'></iframe>")
            case "/saved":
                time.sleep(0.3)
                self._answer(f"Saved {query.removeprefix('name=')}".encode(), "text/plain")
            case "/file":
                self._answer(b"x", "application/octet-stream", Content_Disposition="attachment; filename=x.bin")
            case "/to-file" | "/elsewhere":
                there = "file:///etc/passwd" if path == "/to-file" else "http://elsewhere.example/"
                self._answer(b"", status=302, Location=there)
            case _:
                self._answer(b"nothing", status=404)

    def _answer(self, body: bytes, kind: str = "text/html", *, status: int = 200, **headers: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        pass


def main(arguments: Sequence[str] = ()) -> None:
    server = ThreadingHTTPServer(("127.0.0.1", int(arguments[0]) if arguments else 0), Handler)
    Path("port.new").write_text(str(server.server_port))
    Path("port.new").rename("port")
    server.serve_forever()


if __name__ == "__main__":
    main()
