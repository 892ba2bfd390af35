"""Usage of `python -m module`, for tools of projects and for modules of the standard library."""

from collections.abc import Sequence
from typing import Final

from tools_app.permission.names import names
from tools_app.permission.shell.project_tools import usage_by_appearance
from tools_app.permission.shell.tables_projects import PROJECT
from tools_app.permission.shell.tables_wrappers import MODULES_THAT_RUN
from tools_app.permission.shell.usage import CommandUsage, UnnamedTree
from tools_app.permission.shell.whole_folders import touch_whole_folders
from tools_app.permission.shell.words import Field

_PACKS: Final = names("tarfile zipfile")
_FOLDERS: Final = names("venv virtualenv")
_READS: Final = names("ast tokenize symtable pickletools tabnanny pyclbr json calendar platform sysconfig")


def usage_of_module(name: str, args: Sequence[Field]) -> CommandUsage:
    """Return the usage of `python -m name`. If no table describes the module, the usage is incomplete, and its words
    may be any files."""
    usage = usage_by_appearance(name, args)
    touch_whole_folders(name, args, usage)
    usage.spellings.append([Field(name.replace("_", "-")), *args])
    folder, *rest = name.split(".")
    usage.words += [Field(folder), Field(f"{'/'.join((folder, *rest))}.py")] if rest else []
    values = [value for each in args for value in _values(each)]
    usage.follows += [] if name in PROJECT or name in _READS else values
    if name in MODULES_THAT_RUN:
        return usage.doubt(f"the module {name} runs code")
    if name in PROJECT or name in _READS:
        return usage
    if name in _FOLDERS:
        usage.touch(values, "folder")
        return usage
    usage.touch(values, "any")
    if name not in _PACKS:
        return usage.doubt(f"what the module {name} does is not analysed")
    if any(each.text.startswith(("-e", "--e")) for each in args):
        tops = [each for each in values if each.known and each.pattern is None]
        usage.trees += [UnnamedTree(top, "write", "nothing") for top in [*tops, Field(".")]]
    return usage


def _values(word: Field) -> list[Field]:
    """Return the part of a word that may name a file: the word itself, or the value that is joined to an option."""
    text = word.text
    if text.startswith("-"):
        text = text.partition("=")[2] if text.startswith("--") else text[2:].removeprefix("=")
    return [Field(text, word.known, pattern=word.pattern if text == word.text else None)] if text else []
