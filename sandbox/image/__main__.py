"""Make sure that the engine has the sandbox image, building it if needed, and print its tag: `python -m
sandbox.image`."""

import argparse
import os
import sys
from pathlib import Path
from typing import Final

from sandbox.errors import SandboxUnavailable
from sandbox.image import recipe
from sandbox.image.build import ensure_image

TRUE: Final = frozenset({"1", "on", "ok", "true", "y", "yes"})


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m sandbox.image", description=__doc__)
    parser.add_argument(
        "--cache",
        type=Path,
        default=Path("var/cache"),
        help="directory in which the base image is cached (default: var/cache)",
    )
    parser.add_argument(
        "--base",
        default=os.environ.get("SANDBOX_BASE_IMAGE"),
        help="base image to build on (default: SANDBOX_BASE_IMAGE, else chosen automatically)",
    )
    parser.add_argument("--languages", action="store_true", help="include language servers and formatters")
    parser.add_argument("--browser", action="store_true", help="include a browser, for the agents' tool `browser`")
    parser.add_argument(
        "--services", action="store_true", help="build the further ready image, with Go, Java and servers"
    )
    parser.add_argument(
        "--certificates",
        type=Path,
        default=os.environ.get("NETWORK_CERTIFICATES") or None,
        help="PEM file with further certificate authorities to trust (default: NETWORK_CERTIFICATES)",
    )
    arguments = parser.parse_args()
    services = recipe.service_packages() if arguments.services else []
    browser = recipe.browser_packages() if arguments.browser or _is_on("SANDBOX_BROWSER") else []
    try:
        tag = ensure_image(
            arguments.cache,
            base=arguments.base,
            languages=arguments.languages or _is_on("SANDBOX_LANGUAGES"),
            further=[*services, *browser],
            certificates=arguments.certificates.read_bytes() if arguments.certificates else b"",
            report=lambda line: sys.stderr.write(f"{line}\n"),
        )
    except SandboxUnavailable as error:
        sys.stderr.write(f"{error.message}\n")
        return 1
    except OSError as error:
        sys.stderr.write(f"The certificates could not be read: {error}\n")
        return 1
    sys.stdout.write(f"{tag}\n")
    return 0


def _is_on(variable: str) -> bool:
    return os.environ.get(variable, "").strip().lower() in TRUE


if __name__ == "__main__":
    sys.exit(main())
