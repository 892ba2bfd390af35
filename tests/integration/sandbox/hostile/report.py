"""Generate the table of escape attempts in docs/threat-model.md from the attempts of the hostile test suite."""

from pathlib import Path
from typing import Final

from tests.integration.sandbox.hostile.attempts import CATEGORIES

DOCUMENT: Final = Path(__file__).resolve().parents[4] / "docs" / "threat-model.md"
BEGIN: Final = "<!-- hostile suite: made by python -m tests.integration.sandbox.hostile report -->"
END: Final = "<!-- end of the hostile suite -->"

INTRODUCTION: Final = (
    "Code in a workspace makes {attempts} attempts. {as_root} of them are repeated as the root of the container, "
    "because an attacker who takes over the runner has its rights."
)


def table() -> str:
    """Return the table of attempts as Markdown, between the marks that enclose it in docs/threat-model.md."""
    attempts = sum(len(category.cases) for category in CATEGORIES)
    as_root = sum(category.as_root for category in CATEGORIES)
    lines = [
        BEGIN,
        "",
        INTRODUCTION.format(attempts=attempts, as_root=as_root),
        "",
        "| category | attempts | as root | examples | barriers |",
        "|---|---|---|---|---|",
    ]
    for category in CATEGORIES:
        examples = " ".join(case.tries.replace("|", "\\|") for case in category.cases[:3])
        lines.append(
            f"| {category.title} | {len(category.cases)} | {category.as_root or ''} | {examples} | {category.holds} |"
        )
    holes = [case for category in CATEGORIES for case in category.cases if case.hole]
    if holes:
        lines += ["", "These attempts succeed. Each is a test that is expected to fail:", ""]
        lines += [f"* {case.tries} ({case.id}) {case.hole[0].upper()}{case.hole[1:]}." for case in holes]
    return "\n".join([*lines, "", END])


def with_table(document: str) -> str:
    """Return the document with its table of attempts replaced by the output of `table`."""
    before, _, rest = document.partition(BEGIN)
    return before + table() + rest.partition(END)[2]
