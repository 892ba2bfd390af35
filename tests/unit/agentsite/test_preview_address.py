"""Addresses of previews: the values that operators may set, and the preview that a host name refers to."""

import uuid

import pytest

from agentsite.base.preview_address import PreviewPlace, framing_origins, place_of_host, preview_address

WORKSPACE = uuid.UUID("01a21ed0-5c07-75d9-9eba-6b5b38ebc40f")
PATTERN = "https://{id}.preview.example.net"


@pytest.mark.parametrize(
    ("given", "site", "address"),
    [
        ("", "http://localhost:8000", "http://{id}.preview.localhost:8001"),
        ("", "https://agents.example.org", ""),
        ("none", "http://localhost:8000", ""),
        (f"{PATTERN}/", "https://agents.example.org", PATTERN),
        ("https://{id}.example.net:8443", "https://agents.example.org", "https://{id}.example.net:8443"),
        ("http://{id}.tea.localhost:9000", "http://localhost:8000", "http://{id}.tea.localhost:9000"),
    ],
)
def test_an_address_is_given_or_below_localhost(given: str, site: str, address: str) -> None:
    assert preview_address(given, 8001, site) == address


@pytest.mark.parametrize(
    "given",
    [
        "https://preview.example.net",
        "https://x{id}.example.net",
        "https://{id}.example.net/path",
        "https://user@{id}.example.net",
        "ftp://{id}.example.net",
        "http://{id}.example.net",
        "https://{id}",
    ],
)
def test_another_form_is_refused_at_the_start(given: str) -> None:
    with pytest.raises(SystemExit, match="AGENTSITE_PREVIEW_URL"):
        preview_address(given, 8001, "https://agents.example.org")


def test_a_host_names_a_port_of_a_workspace() -> None:
    place = PreviewPlace(5173, WORKSPACE)
    for host in (f"{place.label}.preview.example.net", f"{place.label.upper()}.Preview.Example.net:443"):
        assert place_of_host(host, PATTERN) == place


@pytest.mark.parametrize(
    "host",
    [
        "preview.example.net",
        "5173.preview.example.net",
        f"70000-{WORKSPACE.hex}.preview.example.net",
        f"05173-{WORKSPACE.hex}.preview.example.net",
        f"5173-{WORKSPACE.hex}.preview.example.org",
        f"5173-{WORKSPACE.hex}.x.preview.example.net",
        f"5173-{WORKSPACE.hex}",
        "",
    ],
)
def test_any_other_host_names_none(host: str) -> None:
    assert place_of_host(host, PATTERN) is None


def test_pages_of_the_site_under_each_of_its_names_may_show_previews() -> None:
    assert framing_origins("http://localhost:8000") == "http://localhost:8000 http://127.0.0.1:8000"
    assert framing_origins("https://agents.example.org/") == "https://agents.example.org"
