"""The Runtime that speaks to a runner. What the runner answers is untrusted input."""

from sandbox.client.checks import Ground
from sandbox.client.runtime import RunnerRuntime
from sandbox.client.stream import StreamCarrier
from sandbox.client.transport import Carrier, Channel
from sandbox.client.unix_socket import UnixSocketCarrier

__all__ = ["Carrier", "Channel", "Ground", "RunnerRuntime", "StreamCarrier", "UnixSocketCarrier"]
