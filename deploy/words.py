"""Refuse private or old-fashioned words in texts that people read: `python -m deploy.words`, part of `make lint`.

It checks the descriptions of the API document, the generated pages of docs/, the messages and hints of errors, and the
first words of docstrings. The words and their replacements are taken from docs/vocabulary.md.
"""

import ast
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).resolve().parent.parent
PACKAGES: Final = ("agentsite", "deploy", "sandbox", "sessions_app", "tools_app")
PAGES_WITH_THE_WORDS: Final = ("vocabulary.md",)
WORDS: Final = {
    r"letters? (?:to|for|about|goes|went|was|is)\b": "e-mail",
    r"\banew\b": "again",
    r"\bpatience\b": "timeout",
    r"\bproviders? of identities\b": "identity provider",
    r"\bsecond factors?\b": "MFA",
    r"\bgiven form\b": "structured output",
    r"\bput away\b": "deactivated",
    r"\bwhoever\b": "a noun: the user, the member, the caller",
    r"\bis none of\b": "is not one of",
    r"\bas ever\b": "as always",
    r"\bnot (?:\w+ )?any more\b": "no longer",
    r"\bthe one of both\b": "the two names, and which of them",
    r"\band their kin\b": "and similar ones",
    r"(?:^|[.;] )(?-i:Who) (?:may|can|has|manages)\b": "people who",
}
DOCSTRING_STARTS: Final = re.compile(r"(?:Who|Whoever|Whom|Whose|What|How|Where|Why|When|That which)\b")
MIN_WORDS: Final = 3
"""Shorter string literals are identifiers, not sentences."""


def problems_of(text: str) -> list[str]:
    """Return the problems with the words of a public text, each with the words to write instead."""
    return [
        f"'{match[0]}': write {instead}"
        for word, instead in WORDS.items()
        if (match := re.search(word, re.sub(r"`[^`]*`", "``", " ".join(text.split())), re.IGNORECASE))
    ]


def _api_texts() -> Iterator[tuple[str, str]]:
    document = json.loads((ROOT / "tests/contract/openapi.json").read_text())
    yield from _descriptions(document, "openapi.json")


def _descriptions(node: Any, where: str) -> Iterator[tuple[str, str]]:
    if isinstance(node, dict):
        text = node.get("description")
        if isinstance(text, str):
            yield where, text
        for name, item in node.items():
            yield from _descriptions(item, f"{where} {name}")
    elif isinstance(node, list):
        for item in node:
            yield from _descriptions(item, where)


def _page_texts() -> Iterator[tuple[str, str]]:
    for page in (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))):
        if page.name not in PAGES_WITH_THE_WORDS:
            for number, line in enumerate(page.read_text().splitlines(), 1):
                yield f"{page.relative_to(ROOT)}:{number}", line


def _python_files() -> Iterator[Path]:
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            if "migrations" not in path.parts and "files" not in path.parts:
                yield path


def _error_texts(tree: ast.AST, where: str) -> Iterator[tuple[str, str]]:
    """Yield the texts that a `raise` passes to its error: the message, hint and fields."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Raise) and node.exc is not None:
            for part in ast.walk(node.exc):
                if (
                    isinstance(part, ast.Constant)
                    and isinstance(part.value, str)
                    and len(part.value.split()) >= MIN_WORDS
                ):
                    yield f"{where}:{part.lineno}", part.value


def starts_badly(docstring: str) -> bool:
    """Return whether a docstring begins with a clause instead of a verb or a noun."""
    return DOCSTRING_STARTS.match(docstring) is not None


def _docstrings(tree: ast.AST, where: str) -> Iterator[tuple[str, str]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            name = getattr(node, "name", "module")
            yield f"{where}:{getattr(node, 'lineno', 1)} {name}", ast.get_docstring(node) or ""


def all_problems() -> list[str]:
    """Return one line for each refused word in the public texts of the repository."""
    texts = [*_api_texts(), *_page_texts()]
    found: list[str] = []
    for path in _python_files():
        tree = ast.parse(path.read_text())
        where = str(path.relative_to(ROOT))
        docstrings = list(_docstrings(tree, where))
        texts += [*_error_texts(tree, where), *docstrings]
        found += [
            f"{place}: begin with a verb or a noun, not '{text[:40]}'"
            for place, text in docstrings
            if starts_badly(text)
        ]
    return found + [f"{where}: {problem}" for where, text in texts for problem in problems_of(text)]


def main() -> int:
    problems = all_problems()
    print("\n".join(problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
