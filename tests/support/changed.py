"""Run the tests of the files that have changed: `python -m tests.support.changed [REVISION]`.

Tests mirror the source: the tests of `sessions_app/webhooks/outbox.py` are those below `tests/*/sessions_app` whose
path contains `webhooks` or `outbox`. A change in a folder without such tests runs the unit tests of its package. Docker
is not needed; `make test` runs the rest.
"""

import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[2]
PACKAGES: Final = ("agentsite", "deploy", "sandbox", "sessions_app", "tools_app")
ALIASES: Final = {"agentsite/tenancy": ("tenancy",), "deploy/demo_model": ("demo_model",)}
NO_TESTS_COLLECTED: Final = 5
"""Exit status of pytest when the selection contains no test."""


def changed_files(since: str) -> list[str]:
    """Return the existing paths that differ from `since`, including files that git does not track yet."""
    differs = _git("diff", "--name-only", "--diff-filter=d", since)
    return sorted({*differs, *_git("ls-files", "--others", "--exclude-standard")})


def select_tests(files: Iterable[str], tests: Iterable[str]) -> list[str]:
    """Return the entries of `tests` (paths of test modules) that belong to the changed `files`."""
    known = sorted(tests)
    found: set[str] = set()
    for file in files:
        path = Path(file)
        if path.parts[0] == "tests":
            found |= {file} & set(known)
        elif path.suffix == ".py" and path.parts[0] in PACKAGES:
            found |= set(_beside(path, known))
    return sorted(found)


def _beside(path: Path, tests: list[str]) -> list[str]:
    folders = {
        path.parts[0],
        *(alias for start, names in ALIASES.items() if str(path).startswith(start) for alias in names),
    }
    package = [test for test in tests if folders & set(Path(test).parts)]
    words = {path.stem, *path.parts[1:-1]} - {"__init__"}
    named = [test for test in package if words & {*Path(test).parts, Path(test).stem.removeprefix("test_")}]
    return named or [test for test in package if Path(test).parts[1] == "unit"]


def _git(*arguments: str) -> list[str]:
    result = subprocess.run(["git", *arguments], cwd=ROOT, check=True, capture_output=True, text=True)
    return result.stdout.split()


def main() -> int:
    since = sys.argv[1] if len(sys.argv) > 1 else "HEAD"
    known = [str(path.relative_to(ROOT)) for path in (ROOT / "tests").rglob("test_*.py") if "e2e" not in path.parts]
    chosen = select_tests(changed_files(since), known)
    if not chosen:
        print(f"No tests are beside what differs from {since}.")
        return 0
    print(f"{len(chosen)} test modules are beside what differs from {since}.")
    marks = "not docker and not bench and not languages and not full"
    status = subprocess.call([str(ROOT / ".venv/bin/pytest"), "-n", "2", "-q", "-m", marks, *chosen], cwd=ROOT)
    return 0 if status == NO_TESTS_COLLECTED else status


if __name__ == "__main__":
    sys.exit(main())
