"""The progress of the fuzz test with one random seed, kept in a file, so that the test can be stopped and continued."""

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path

from tests.contract.shell.fuzz.hunt import Hunt


@dataclass(slots=True)
class Progress:
    """The totals of all searches that use the same progress file. `left` contains the numbers of the texts that were
    not tried yet."""

    seed: int
    left: range
    file: Path | None = None
    texts: int = 0
    ran: int = 0
    cut: int = 0
    failures: list[str] = field(default_factory=list)

    @classmethod
    def of(cls, file: Path | None, seed: int, numbers: range) -> "Progress":
        """Read the progress from a file. Raises ValueError if it belongs to another seed."""
        if file is None or not file.exists():
            return cls(seed, numbers, file)
        kept = json.loads(file.read_text())
        if kept.pop("seed") != seed:
            raise ValueError(f"{file} keeps the progress of another seed")
        return cls(seed, range(kept.pop("next"), numbers.stop), file, **kept)

    def add(self, found: Hunt) -> None:
        self.left = range(min(self.left.start + found.texts, self.left.stop), self.left.stop)
        self.texts += found.texts
        self.ran += found.ran
        self.cut += found.cut
        self.failures += map(str, found.failures)
        if self.file is not None:
            kept = {name: value for name, value in asdict(self).items() if name not in {"left", "file"}}
            part = self.file.with_suffix(".part")
            part.write_text(json.dumps({**kept, "next": self.left.start}))
            part.replace(self.file)

    def __str__(self) -> str:
        return f"seed {self.seed}, next {self.left.start}, in all {self.texts} texts, {self.ran} run"
