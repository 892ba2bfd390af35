"""Tool descriptions live in text files beside the code, so that they read and diff like prose."""

from pathlib import Path


def description_beside(module_file: str) -> str:
    """The text in the .txt file of the same name as `module_file`."""
    return Path(module_file).with_suffix(".txt").read_text(encoding="utf-8").strip()
