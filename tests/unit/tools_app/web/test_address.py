import pytest
from hypothesis import given
from hypothesis import strategies as st

from tools_app.web.address import BadAddress, parse_address


@pytest.mark.parametrize(
    ("written", "canonical"),
    [
        ("https://example.org", "https://example.org/"),
        ("  https://example.org/a\n", "https://example.org/a"),
        ("HTTPS://Example.ORG:443/A?b=C#part", "https://example.org/A?b=C"),
        ("http://example.org:80", "http://example.org/"),
        ("http://example.org:/x", "http://example.org/x"),
        ("http://example.org:8080/x", "http://example.org:8080/x"),
        ("http://example.org./x", "http://example.org/x"),
        ("http://bücher.example/über?q=ü", "http://xn--bcher-kva.example/%C3%BCber?q=%C3%BC"),
        ("http://example.org/a b", "http://example.org/a%20b"),
        ("http://example.org/%7euser/%41?%2f", "http://example.org/~user/A?%2F"),
        ("http://example.org/a/../b/./c/", "http://example.org/b/c/"),
        ("http://example.org/a/%2e%2e/%2E%2e/b", "http://example.org/b"),
        ("http://example.org/../..", "http://example.org/"),
        ("http://[2606:2800:0220:0001::1]:8080/", "http://[2606:2800:220:1::1]:8080/"),
        ("http://93.184.216.34/", "http://93.184.216.34/"),
        ("https://my_host.example.org/", "https://my_host.example.org/"),
    ],
)
def test_each_place_has_one_spelling(written: str, canonical: str) -> None:
    assert str(parse_address(written)) == canonical


@pytest.mark.parametrize(
    ("written", "word"),
    [
        ("example.org", "http://"),
        ("ftp://example.org/", "http://"),
        ("http:/example.org/", "http://"),
        ("http://user@example.org/", "user name"),
        ("http://example.org\\@127.0.0.1/", "backslash"),
        ("http://exa\tmple.org/", "control"),
        ("http:///path", "no host"),
        ("http://./", "no host"),
        ("http://exa mple.org/", "not a valid name"),
        ("http://-a.example/", "not a valid name"),
        (f"http://{'a' * 64}.example/", "not a valid name"),
        ("http://%65xample.org/", "escapes"),
        ("http://0x7f.1/", "number"),
        ("http://127.1/", "number"),
        ("http://010.0.0.1/", "number"),
        ("http://1.2.3.4.5/", "number"),
        ("http://[::1/", "bracket"),
        ("http://[1.2.3.4]/", "not an IPv6"),
        ("http://[fe80::1%eth0]/", "zone"),
        ("http://example.org:0/", "port"),
        ("http://example.org:65536/", "port"),
        ("http://example.org:٨٠/", "port"),
        ("http://a\u200db.example/", "not a valid internationalised"),
        (f"http://example.org/{'a' * 5000}", "longer"),
    ],
)
def test_what_has_several_readings_or_none_is_refused_with_a_reason(written: str, word: str) -> None:
    with pytest.raises(BadAddress, match=word):
        parse_address(written)


@given(st.text(max_size=60))
def test_whatever_is_written_is_an_address_or_refused_and_an_address_reads_as_itself(rest: str) -> None:
    try:
        address = parse_address(f"http://{rest}")
    except BadAddress:
        return
    assert str(address).isascii()
    assert parse_address(str(address)) == address
