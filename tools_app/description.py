"""Load tool descriptions from the text files beside the code, where they can be read and compared as prose."""

from pathlib import Path


def description_beside(module_file: str) -> str:
    """Return the text of the .txt file with the same name as `module_file`."""
    return Path(module_file).with_suffix(".txt").read_text(encoding="utf-8").strip()
