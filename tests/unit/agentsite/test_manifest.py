"""The site can be installed on a phone: its manifest, icons and media type."""

import json
import struct
from pathlib import Path
from urllib.parse import urljoin

from django.conf import settings
from whitenoise.media_types import MediaTypes

FRONTEND = Path(__file__).resolve().parents[3] / "frontend"
PUBLIC = FRONTEND / "public"
MANIFEST = json.loads((PUBLIC / "app.webmanifest").read_text())


def test_it_starts_at_the_site_wherever_that_is() -> None:
    for address in ("https://a.example/static/app.webmanifest", "https://a.example/agents/static/app.webmanifest"):
        home = address.removesuffix("static/app.webmanifest")
        assert {urljoin(address, MANIFEST[name]) for name in ("id", "start_url", "scope")} == {home}
        assert [urljoin(address, each["url"]) for each in MANIFEST["shortcuts"]] == [f"{home}inbox"]


def test_its_icons_have_the_sizes_that_it_says() -> None:
    purposes = set()
    for icon in MANIFEST["icons"]:
        width, height = struct.unpack(">II", (PUBLIC / icon["src"]).read_bytes()[16:24])
        assert icon["sizes"] == f"{width}x{height}"
        purposes.add((icon["purpose"], width))
    assert purposes >= {("any", 192), ("any", 512), ("maskable", 512)}


def test_pages_name_it_and_browsers_get_its_type() -> None:
    assert '<link rel="manifest" href="/static/app.webmanifest" />' in (FRONTEND / "index.html").read_text()
    types = MediaTypes(extra_types=settings.WHITENOISE_MIMETYPES)
    assert types.get_type("static/app.webmanifest") == "application/manifest+json"
