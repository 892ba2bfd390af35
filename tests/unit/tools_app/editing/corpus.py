"""Texts of real files with different line endings, and the changes that models make when they repeat a text."""

import random
from functools import cache
from pathlib import Path
from typing import Final

REPOSITORY: Final = Path(__file__).resolve().parents[4]
FILES: Final = (
    "sandbox/runner/tree.py",
    "tools_app/filekinds.py",
    "tools_app/permission/harmless.py",
    "deploy/bin/engine",
    "docs/sandbox.md",
    "frontend/package.json",
    "frontend/tsconfig.json",
    "Makefile",
    "pyproject.toml",
    "LICENSE",
)


@cache
def real_texts() -> tuple[str, ...]:
    """Return the first 200 lines of each of `FILES` that exists."""
    paths = [REPOSITORY / name for name in FILES]
    found = tuple("".join(path.read_text().splitlines(keepends=True)[:200]) for path in paths if path.is_file())
    assert len(found) > len(FILES) // 2
    return found


def shaped(text: str, dice: random.Random) -> str:
    """Return the text with random changes of its form: line endings, a byte order mark, invalid bytes, trailing
    spaces, or no final line break."""
    lines = text.split("\n")
    kind = dice.choice(("lf", "lf", "crlf", "mixed"))
    breaks = ["\r\n" if kind == "crlf" or (kind == "mixed" and dice.random() < 0.3) else "\n" for _ in lines]
    if dice.random() < 0.2:
        lines[dice.randrange(len(lines))] += "\udcff\udc80"
    if dice.random() < 0.2:
        lines[dice.randrange(len(lines))] += "  \t"
    text = "".join(line + end for line, end in zip(lines[:-1], breaks, strict=False)) + lines[-1]
    if dice.random() < 0.3:
        text = text.rstrip("\r\n")
    return "\ufeff" + text if dice.random() < 0.2 else text


def misremembered(old: str, dice: random.Random) -> str:
    """Return the text as a model may repeat it: white space, escapes and line ends may differ, but not the words."""
    match dice.choice(("same", "same", "indent", "dedent", "trailing", "runs", "lf", "around", "tabs")):
        case "indent":
            return "\n".join(f"  {line}" if line.strip() else line for line in old.split("\n"))
        case "dedent":
            return "\n".join(line.lstrip(" ") for line in old.split("\n"))
        case "trailing":
            return "\n".join(f"{line.rstrip()} " for line in old.split("\n"))
        case "runs":
            return old.replace(" = ", "  =  ").replace(", ", ",  ")
        case "lf":
            return old.replace("\r\n", "\n")
        case "around":
            return f"\n{old}\n"
        case "tabs":
            return old.replace("    ", "\t")
    return old
