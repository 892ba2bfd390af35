"""Run in a container of the image: ask each program for its options and its version, and print the answers as JSON.

`names.json` in the same folder is a list of names such as "ls" and "git log". Programs that use getopt or argp are
asked through `spy.c`, which sees the table that the program itself uses. For all others, their own help texts are read.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

SECONDS = 10
HERE = Path(__file__).resolve().parent
GIT_COMPLETION = Path("/usr/share/bash-completion/completions/git")
RIPGREP_COMPLETION = Path("/usr/share/bash-completion/completions/rg")
ENVIRONMENT = {
    "PATH": "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin",
    "LC_ALL": "C",
    "HOME": "/nowhere",
    "COLUMNS": "200",
}

HELP = {
    "ps": ["--help", "all"],
    "curl": ["--help", "all"],
    "awk": ["-W", "help"],
    "unzip": ["-hh"],
}
VERSION = {"awk": ["-W", "version"], "unzip": ["-v"]}


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        spy = work / "spy.so"
        subprocess.run(["gcc", "-shared", "-fPIC", "-O1", "-o", spy, HERE / "spy.c", "-ldl"], check=True)
        subprocess.run(["git", "init", "-q", work / "repository"], check=True, env=ENVIRONMENT)
        found = {}
        for name in json.loads((HERE / "names.json").read_text()):
            words = name.split()
            if shutil.which(words[0], path=ENVIRONMENT["PATH"]) is not None:
                found[name] = git(words, work) if words[0] == "git" else program(name, spy, work)
        json.dump(found, sys.stdout)


def program(name: str, spy: Path, work: Path) -> dict[str, str]:
    """Return the help text, the first line of the version and, if there is one, the table of options of a program; for
    ripgrep also its shell completion."""
    report = work / "report"
    report.unlink(missing_ok=True)
    text = run([name, *HELP.get(name, ["--help"])], work, LD_PRELOAD=str(spy), OPTION_REPORT=str(report))
    answer = {"version": first_line(run([name, *VERSION.get(name, ["--version"])], work)), "help": text}
    if report.exists():
        answer["table"] = report.read_text()
    if name == "rg":
        answer["completion"] = RIPGREP_COMPLETION.read_text()
    return answer


def git(words: list[str], work: Path) -> dict[str, str]:
    """Return the version of git, and the help text and option names of git or of one of its commands."""
    repository = work / "repository"
    answer = {"version": first_line(run(["git", "--version"], repository))}
    if len(words) == 1:
        return {**answer, "help": run(["git", "-h"], repository)}
    inside = ["--no-index"] if words[1] == "diff" else []
    answer["help"] = run([*words, *inside, "-h" if inside else "--help-all"], repository)
    if "\n    -" not in answer["help"]:
        answer["help"] = run([*words, "-h"], repository)
    answer["names"] = run([*words, "--git-completion-helper-all"], repository, errors=False)
    if words[1] == "log":
        answer["completion"] = GIT_COMPLETION.read_text()
    return answer


def run(command: list[str], folder: Path, *, errors: bool = True, **environment: str) -> str:
    """Run a command that ends by itself, and return its output."""
    result = subprocess.run(
        command,
        cwd=folder,
        env={**ENVIRONMENT, **environment},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT if errors else subprocess.DEVNULL,
        timeout=SECONDS,
        check=False,
    )
    return result.stdout.decode(errors="replace")


def first_line(text: str) -> str:
    return next((line.strip() for line in text.splitlines() if line.strip()), "")


if __name__ == "__main__":
    os.umask(0o077)
    main()
