"""Run a small HTTP server of a test in a thread."""

from collections.abc import Iterator
from contextlib import contextmanager
from http.server import HTTPServer
from threading import Thread
from typing import TypeVar

Server = TypeVar("Server", bound=HTTPServer)


@contextmanager
def served(server: Server) -> Iterator[Server]:
    """Run the server in a thread during the block; stop and close it at the end."""
    thread = Thread(target=server.serve_forever)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
