"""A proxy that adds an API token to each request, for clients that cannot send one; all else passes unchanged."""

import asyncio
import contextlib
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import urlsplit


@contextmanager
def token_proxy(address: str, token: str) -> Iterator[str]:
    """Run a proxy in front of `address` during the block; yield its address."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    target = urlsplit(address)
    added = f"Authorization: Bearer {token}\r\nConnection: close\r\n\r\n".encode()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError, asyncio.IncompleteReadError):
            head = await reader.readuntil(b"\r\n\r\n")
            kept = [line for line in head.split(b"\r\n") if line and not line.lower().startswith(b"connection:")]
            site_reader, site_writer = await asyncio.open_connection(target.hostname, target.port)
            site_writer.write(b"\r\n".join(kept) + b"\r\n" + added)
            sending = asyncio.create_task(_pass_on(reader, site_writer))
            await _pass_on(site_reader, writer)
            sending.cancel()
            site_writer.close()
        writer.close()

    started = asyncio.run_coroutine_threadsafe(asyncio.start_server(serve, "127.0.0.1", 0), loop).result(10)
    try:
        yield f"http://127.0.0.1:{started.sockets[0].getsockname()[1]}"
    finally:
        asyncio.run_coroutine_threadsafe(_end(started), loop).result(10)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(10)


async def _pass_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(OSError):
        while piece := await reader.read(65536):
            writer.write(piece)
            await writer.drain()


async def _end(server: asyncio.Server) -> None:
    server.close()
    rest = asyncio.all_tasks() - {asyncio.current_task()}
    for task in rest:
        task.cancel()
    await asyncio.gather(*rest, return_exceptions=True)
