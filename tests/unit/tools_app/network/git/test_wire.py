"""The list of updates of a push: parsing, and the refusal of invalid lists."""

import pytest

from tools_app.network.git import wire
from tools_app.network.git.wire import FLUSH, BadPush, NeedMore, packet, read_push

NONE, OLD, NEW = "0" * 40, "a" * 40, "b" * 40


def line(ref: str, old: str = OLD, new: str = NEW) -> bytes:
    return packet(f"{old} {new} {ref}")


def test_updates_and_capabilities_are_read() -> None:
    first = packet(f"{NONE} {NEW} refs/heads/x\0 report-status side-band-64k agent=git/2")
    push = read_push(first + packet(f"shallow {OLD}") + line("refs/tags/v1", new=NONE) + FLUSH + b"PACK")
    assert [(each.name, each.creates, each.deletes) for each in push.updates] == [
        ("x", True, False), ("refs/tags/v1", False, True),
    ]  # fmt: skip
    assert "side-band-64k" in push.capabilities
    assert push.length == len(first) + 4 + 48 + len(line("refs/tags/v1")) + 4


def test_a_branch_that_looks_like_another_ref_keeps_its_whole_name() -> None:
    assert read_push(line("refs/heads/refs/tags/v1") + FLUSH).updates[0].name == "refs/heads/refs/tags/v1"


@pytest.mark.parametrize("cut", [0, 3, 10, 60])
def test_an_incomplete_list_needs_more(cut: int) -> None:
    with pytest.raises(NeedMore):
        read_push((line("refs/heads/x") + FLUSH)[:cut])


@pytest.mark.parametrize(
    "data",
    [b"zzzz", b"-001", b"+00a", b"0003", b"fff5", b"0005x", packet("push-cert\0caps"), packet(f"{OLD} {NEW}"),
     line("HEAD"), line("refs/heads/a:b"), line("refs/heads/../x"), line("refs/heads/a b"),
     line("refs/heads/" + "x" * 600),
     line("refs/heads/x", old="c"), line("refs/heads/x") * 2 + FLUSH,
     b"".join(line(f"refs/heads/{number}") for number in range(1_001)) + FLUSH],
)  # fmt: skip
def test_anything_else_is_no_push(data: bytes) -> None:
    with pytest.raises(BadPush):
        read_push(data)


def test_an_endless_list_is_refused() -> None:
    data = b"".join(line(f"refs/heads/{number:>0200}") for number in range(5_000))
    with pytest.raises(BadPush):
        read_push(data[: wire.MAX_COMMANDS + 10])


def test_a_refusal_without_a_side_band_is_a_report_alone() -> None:
    push = read_push(packet(f"{OLD} {NEW} refs/heads/x\0report-status") + FLUSH)
    answer = wire.refused_push(push, {"refs/heads/x": "denied"}, ["Never said."])
    assert answer == packet("unpack ok\n") + packet("ng refs/heads/x denied\n") + FLUSH
