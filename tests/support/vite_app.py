"""A small app that is served by Vite from the packages of the interface, without downloads."""

import json
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from tests.support.running_site import REPOSITORY

PACKAGES: Final = REPOSITORY / "frontend" / "node_modules"
START: Final = "node node_modules/vite/bin/vite.js"
PORT: Final = 5173  # Vite's own choice
TEA: Final = 'export const tea = "{}";\n'
STYLE: Final = "h1 {{ color: {}; }}\n"
MAIN: Final = """\
import "./style.css";
import { tea } from "./tea.js";

const show = (name) => { document.querySelector("h1").textContent = name; };
let cups = 0;
document.querySelector("button").onclick = ({ target }) => { target.textContent = `Cups: ${++cups}`; };
show(tea);
import.meta.hot.accept("./tea.js", (next) => show(next.tea));
"""
FILES: Final = {
    ".gitignore": "node_modules\n",
    "package.json": '{"name": "tea", "private": true, "type": "module"}\n',
    "index.html": '<!doctype html><h1></h1><button>Cups: 0</button><script type="module" src="/main.js"></script>\n',
    "main.js": MAIN,
    "tea.js": TEA.format("Green tea"),
    "style.css": STYLE.format("rgb(0, 128, 0)"),
}


def pack_vite_app(path: Path) -> Path:
    """Write the app with its packages as a zip file."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for name, text in FILES.items():
            archive.writestr(name, text)
        for package in _needed("vite"):
            for file in sorted((PACKAGES / package).rglob("*")):
                if file.is_file():
                    archive.write(file, f"node_modules/{file.relative_to(PACKAGES)}")
    return path


def _needed(package: str, found: set[str] | None = None) -> Iterator[str]:
    """Yield a package and its installed dependencies. Optional ones for other platforms are not installed."""
    found = set() if found is None else found
    description = PACKAGES / package / "package.json"
    if package in found or not description.exists():
        return
    found.add(package)
    yield package
    read = json.loads(description.read_text())
    for other in {**read.get("dependencies", {}), **read.get("optionalDependencies", {})}:
        yield from _needed(other, found)
