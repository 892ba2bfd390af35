"""The kernel's table of sockets, as the runner reads it."""

import os
import socket
from contextlib import ExitStack

from sandbox.runner.listeners import Listener, listeners, parse

HEAD = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n"


def line(address: str, state: str, uid: int) -> str:
    return f"   0: {address} 00000000:0000 {state} 00000000:00000000 00:00000000 00000000  {uid}        0 1234 1\n"


def test_only_reachable_listeners_of_the_user_count() -> None:
    table = [
        HEAD,
        line("0100007F:1435", "0A", 1000),
        line("00000000:0BB8", "0A", 1000),
        line("0100007F:0C38", "0A", 0),  # the runner's own, for the door
        line("0100007F:1F90", "01", 1000),  # a connection
        line("0200007F:1F91", "0A", 1000),  # another address of the machine
    ]
    assert parse(table, 4, 1000) == [Listener(5173, 4), Listener(3000, 4)]


def test_addresses_of_version_six_are_read() -> None:
    table = [
        line("00000000000000000000000001000000:1435", "0A", 1000),
        line("00000000000000000000000000000000:1F90", "0A", 1000),
        line("0000000000000000FFFF00000100007F:1F91", "0A", 1000),
        line("B80D0120000000000000000001000000:1F92", "0A", 1000),
    ]
    assert [each.port for each in parse(table, 6, 1000)] == [5173, 8080, 8081]


def test_a_table_in_another_form_is_no_error() -> None:
    assert parse(["", "nonsense", "a b c d e f g h"], 4, 1000) == []


def test_a_port_is_found_beside_many_others() -> None:
    with ExitStack() as stack:
        opened = [stack.enter_context(socket.create_server(("127.0.0.1", 0))) for _ in range(150)]
        ports = {each.getsockname()[1] for each in opened}
        assert ports <= {each.port for each in listeners(os.getuid())}
