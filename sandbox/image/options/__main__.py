"""Print the options of the sandbox image's programs as JSON: `python -m sandbox.image.options`.

Uses the engine at DOCKER_HOST, and builds the image if the engine does not have it.
"""

import os
import sys
from pathlib import Path

from sandbox.errors import SandboxUnavailable
from sandbox.image.build import ensure_image
from sandbox.image.options.ask import as_json, ask


def main() -> int:
    try:
        image = ensure_image(Path("var/cache"), report=lambda line: sys.stderr.write(f"{line}\n"))
        found = ask(image, os.environ.get("DOCKER_HOST"))
    except SandboxUnavailable as error:
        sys.stderr.write(f"{error.message}\n")
        return 1
    sys.stdout.write(as_json(found))
    return 0


if __name__ == "__main__":
    sys.exit(main())
