import pytest

from tools_app.browser.addresses import AddressRefused, page_address, shown_address


@pytest.mark.parametrize(
    ("text", "judged"),
    [
        ("http://localhost:3000", "http://localhost:3000/"),
        ("http://localhost/", "http://localhost:80/"),
        ("https://LOCALHOST:8443/a b?c=d e", "https://localhost:8443/a%20b?c=d%20e"),
        ("http://127.0.0.1:3000/cart", "http://localhost:3000/cart"),
        ("http://127.9.9.9:3000/cart", "http://localhost:3000/cart"),
        ("http://[::1]:3000/a/../b", "http://localhost:3000/b"),
        ("http://0.0.0.0:3000/", "http://localhost:3000/"),
        ("http://shop.localhost:3000/#/cart", "http://localhost:3000/"),
    ],
)
def test_all_names_of_the_container_are_one_for_rules(text: str, judged: str) -> None:
    address = page_address(text)
    assert address.is_of_workspace
    assert address.judged == judged


@pytest.mark.parametrize(
    "text",
    [
        "http://localhost.example.com:3000/", "https://example.com/?http://localhost:3000/", "http://10.0.0.1:3000/",
        "http://169.254.169.254/", "http://[::ffff:127.0.0.1]:3000/", "http://localhost.:3000.example.com/",
    ],
)  # fmt: skip
def test_other_hosts_are_elsewhere(text: str) -> None:
    found = shown_address(text)
    assert found is None or not found.is_of_workspace


@pytest.mark.parametrize(
    "text",
    [
        "file:///etc/passwd", "FILE:///etc/passwd", " file:///workspace/.env", "chrome://settings", "view-source:file:///x",
        "view-source:http://localhost:3000/", "data:text/html,<script>", "javascript:alert(1)", "about:config",
        "blob:http://localhost/1", "devtools://devtools", "ftp://localhost/", "chrome-extension://x/", "filesystem:http://x",
    ],
)  # fmt: skip
def test_other_schemes_are_refused_by_name(text: str) -> None:
    with pytest.raises(AddressRefused, match=r"does not open [a-z-]+: addresses, only http:// and https://"):
        page_address(text)


@pytest.mark.parametrize(
    "text", ["", "localhost:3000", "/etc/passwd", "http://a@localhost:3000/", "http:\\\\localhost"]
)
def test_what_is_no_address_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(AddressRefused, match="An example: http://localhost:3000/"):
        page_address(text)


def test_the_fragment_is_opened_and_not_judged() -> None:
    assert str(page_address("http://localhost:3000/#/cart?x")) == "http://localhost:3000/#/cart?x"


@pytest.mark.parametrize("text", ["about:blank", "chrome-error://chromewebdata/", "file:///etc/passwd"])
def test_what_no_server_serves_has_no_address(text: str) -> None:
    assert shown_address(text) is None
