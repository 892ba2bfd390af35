"""Measure the cost of permissions: one decision, and the analysis of a command compared with a plain `shlex.split`."""

import shlex
import time
from collections.abc import Callable
from pathlib import PurePosixPath
from typing import Final

from tools_app.permission.engine import decide
from tools_app.permission.model import Action, Layer, Request, Rule
from tools_app.permission.shell import analyze

TYPICAL: Final = "cd src && git status --short | head -20 && grep -rn 'def main' --include='*.py' . 2>/dev/null"
LONG: Final = {
    "100 kB of commands": "ls -la src/app.py && " * 5_000 + "true",
    "100 kB of a file": "cat > notes.md <<'EOF'\n" + "some words of a text, 'quoted' $(not run)\n" * 2_400 + "EOF\n",
    "100 kB of words": "echo " + "word " * 20_000,
    "100 kB of nesting": "$(" * 50_000,
    "100 kB of pipes": "a|" * 50_000,
    "100 kB of quotes": "'\"" * 50_000,
}
_ACTIONS: Final[tuple[Action, ...]] = ("allow", "ask", "deny")


def rules(layers: int = 10, each: int = 50) -> list[Layer]:
    return [
        Layer(
            f"layer {number}",
            [
                Rule("bash", f"tool{index} {number} *" if index % 2 else f"tool{index} {number}", _ACTIONS[index % 3])
                for index in range(each - 2)
            ]
            + [Rule("*", "*", "ask"), Rule("bash", "git *", "allow")],
        )
        for number in range(layers)
    ]


def analyzed(text: str) -> object:
    return analyze(
        text, cwd=PurePosixPath("/workspace"), root=PurePosixPath("/workspace"), home=PurePosixPath("/home/agent")
    )


def split(text: str) -> object:
    try:
        return shlex.split(text)
    except ValueError:
        return None


def measure(run: Callable[[], object], *, times: int) -> float:
    """Return the seconds of one run, from the best of a few rounds."""
    rounds = []
    for _ in range(3):
        began = time.perf_counter()
        for _ in range(times):
            run()
        rounds.append((time.perf_counter() - began) / times)
    return min(rounds)


def main() -> None:
    layers = rules()
    took = measure(lambda: decide(Request("bash", "git status --short"), layers), times=2_000)
    print(f"decide, 500 rules in 10 layers     {took * 1e6:8.1f} µs   (target: <= 50 µs)")
    texts = {"a typical line": (TYPICAL, 200, "<= 1 ms"), **{name: (text, 1, "<= 1 s") for name, text in LONG.items()}}
    for name, (text, times, target) in texts.items():
        took = measure(lambda text=text: analyzed(text), times=times)  # type: ignore[misc]
        plain = measure(lambda text=text: split(text), times=times)  # type: ignore[misc]
        print(f"analyze, {name:25} {took * 1e3:8.2f} ms   {took / plain:7.1f} x shlex.split   (target: {target})")


if __name__ == "__main__":
    main()
