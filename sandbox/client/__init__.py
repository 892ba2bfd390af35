"""Client of the runner: implements `Runtime` over a connection. All answers of the runner are untrusted input."""

from sandbox.client.checks import CheckContext
from sandbox.client.runtime import RunnerRuntime
from sandbox.client.stream import StreamCarrier
from sandbox.client.transport import Carrier, Channel
from sandbox.client.unix_socket import UnixSocketCarrier

__all__ = ["Carrier", "Channel", "CheckContext", "RunnerRuntime", "StreamCarrier", "UnixSocketCarrier"]
