"""PathWalker: records the paths that commands touch or may name."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice, takewhile
from pathlib import PurePosixPath
from typing import Final

from tools_app.permission.shell import paths
from tools_app.permission.shell.model import Known, Mode, PathUse
from tools_app.permission.shell.named import named_files
from tools_app.permission.shell.path_like import OPTION_ENDS, has_calls, is_protected, name_parts
from tools_app.permission.shell.record import Record
from tools_app.permission.shell.specs import COMPOSED, WRITING, ArgumentKind
from tools_app.permission.shell.state import State
from tools_app.permission.shell.usage import PLAIN_GLOB, CommandUsage, Copied
from tools_app.permission.shell.uses import tree_or_path, use_of_path, without_kinds
from tools_app.permission.shell.words import UNKNOWN, Field

_PARTS: Final = re.compile("[=,:;]")
_UPWARDS: Final = re.compile(r"(?<!/)/*(?:\.\./+)+")
_GLOB: Final = re.compile(r"[*?\[]")
_BLANK: Final = re.compile(r"\s")
_NAME: Final = re.compile(r"[\w@+.][\w@+.,-]{0,99}")
_ANY_FILE: Final = "…"
_NAMED_BY_GIT: Final = frozenset({"index", "worktree", "revisions"})
_MAX_NAMED: Final = 50  # files that a text may name which a program gets


class PathWalker:
    """The part of the walker that records the paths that commands touch."""

    def __init__(self, record: Record) -> None:
        self.record = record

    def list_globs(self, fields: Iterable[Field], state: State) -> None:
        """Record the directories that bash lists to expand globs, whatever the command does with the names."""
        for each in fields:
            if each.globs and each.split:
                self.record.doubt(f"`{each.source}` may contain globs, and so list any directory")
            if each.pattern is not None and each.source != "{}":
                if "/" in each.pattern:
                    self.touch(each, "names", state)
                else:
                    self._list_working_directory(each.pattern, state)

    def _list_working_directory(self, glob: str, state: State) -> None:
        """Record that a glob lists the matching names in the working directory."""
        only = (glob,) if PLAIN_GLOB.fullmatch(glob) else ()
        for folder in state.folders or tuple(self.record.visited):
            use = PathUse(folder, "read", recursive=True, directory=True, contents=False, only=only, flat=True)
            self.record.paths.setdefault(use, self.record.number)

    def may_become_options(self, args: Iterable[Field]) -> None:
        """Record that a file whose name begins with a dash may become an option, if a glob among `args` may match such
        a file."""
        words = takewhile(lambda each: each.text != "--" or not each.known, args)
        globs = (each.pattern for each in words if each.pattern is not None)
        self.record.has_globs = self.record.has_globs or any(each[0] in "*?[" for each in globs)

    def touch(
        self, field: Field, kind: ArgumentKind, state: State, *, deep: bool = False, hidden: bool = True,
        only: tuple[str, ...] = (), follow: bool = False,
    ) -> None:  # fmt: skip
        if kind in COMPOSED:
            for part in COMPOSED[kind]:
                self.touch(field, part, state, deep=deep, hidden=hidden, only=only, follow=follow)
            return
        if not field.known:
            self.record.doubt(f"it is not known which path `{field.source or 'a word'}` is")
            folder, slash, _ = field.before.rpartition("/")
            if slash and kind != "enter" and not folder.startswith("-"):  # any file in it, which a rule may name
                self.touch(Field(f"{folder}/{_ANY_FILE}"), kind, state)
            end = field.text.rpartition(UNKNOWN)[2]
            self.record.code([field.source, end.lstrip("/"), _UPWARDS.sub("", end)], state.folders)
            self.is_through_process(field.text.replace(UNKNOWN, "0"), "write" if kind in WRITING else "read")
            self._touch_piped(field, kind)
            self._touch_found(field, kind, state, deep=deep)
            return
        if field.text == "-" and kind == "read":
            return
        given = field.text if field.pattern is None else field.pattern
        if not state.folders and not given.startswith("/"):
            self.record.doubt(f"the working directory is not known, so `{field.source or field.text}` may be any path")
        for folder in state.folders or tuple(self.record.visited):
            path = paths.join(folder, given)
            if kind == "enter":
                self.record.visit(path)
            if paths.is_device(path) or self.is_through_process(path, "write" if kind in WRITING else "read"):
                continue
            deep_here = deep and kind != "place"
            is_glob = field.pattern is not None or (not state.folders and bool(_GLOB.search(folder)))
            use = use_of_path(path, kind, is_glob=is_glob, deep=deep_here)
            # `find` chose a `{}`, whatever it is called
            only_here = () if field.source == "{}" else only
            use = replace(use, hidden=hidden, only=only_here, follow=follow or field.links)
            self.record.path(tree_or_path(replace(use, through=follow or field.through)))

    def _touch_found(self, field: Field, kind: ArgumentKind, state: State, *, deep: bool) -> None:
        """Record that a word may become a path near a file that `find` finds, such as its folder or a file beside it.

        If the command writes the file, the file need not exist yet.
        """
        for glob in field.globs_of_found if kind != "enter" else ():
            for folder in state.folders or (self.record.root,):
                use = tree_or_path(use_of_path(paths.join(folder, glob), kind, is_glob=True, deep=deep))
                self.record.path(replace(use, follow=True, through=True))
                if use.mode == "write" and use.recursive:
                    self.record.path(replace(use, glob=False, known="made"))

    def _touch_piped(self, field: Field, kind: ArgumentKind) -> None:
        """Record that an unknown word may be one of the file names recorded from pipes and inserted output."""
        mode: Mode = "write" if kind in WRITING else "read"
        below = "/" in field.text.partition(UNKNOWN)[2]
        kept = self.record.kept_names if "$" in field.source else ()
        for use in (self.record.piped if field.is_input else (*self.record.inserted, *kept)) if kind != "enter" else ():
            contents = kind not in {"list", "names"}
            known: Known = "shown" if use.known in _NAMED_BY_GIT else use.known
            self.record.path(replace(use, known=known, mode=mode, contents=contents, whole=use.whole or below))

    def glob_use(self, word: Field, folder: str) -> PathUse:
        """Return a `PathUse` that reads the files whose names a glob matches."""
        return PathUse(paths.join(folder, without_kinds(word.pattern or word.text)), "read", glob=True)

    def _read_piped(self, state: State) -> None:
        """Record that a program which no table describes may read the files whose names are its input, and may run its
        input."""
        self._use_entered_folder(state)
        for use in self.record.piped:
            self.record.path(replace(use, mode="read", contents=True))
        texts = [Field(each) for each in self.record.input_texts]
        self.record.fed += self.record.input_texts
        if any(map(has_calls, self.record.input_texts)):
            self.record.doubt("a program that no table describes gets an input that may be code")
        self._may_touch(texts, state)
        self._may_name(texts, state)

    def _use_entered_folder(self, state: State) -> None:
        """Record that a program which no table describes may read and write any file in its working directory, if that
        is a folder of the workspace or the home directory.

        The root of the workspace is left out, because most programs run there.
        """
        for folder in map(paths.normal, state.folders):
            if folder == state.home:
                self.touch(Field(f"{folder}/{_ANY_FILE}"), "place", state)
            elif folder != self.record.root and paths.is_under(folder, self.record.root):
                self.record.words.setdefault(folder)
                self.record.possibly(f"{folder}/{_ANY_FILE}")

    def is_through_process(self, path: str, mode: Mode) -> bool:
        """Record that a path below /proc/<process> may lead to any file of the workspace. Returns False for any other
        path."""
        if not paths.leads_through_process(path):
            return False
        self.record.doubt(f"only a process knows where `{path}` leads")
        self.record.path(PathUse(self.record.root, mode, recursive=True, directory=True, known="nothing"))
        return True

    def _may_touch(self, words: Iterable[Field], state: State) -> None:
        """Record the words, or parts of words, that may name files protected by presets."""
        for word in {(each.text, each.pattern): each for each in words}.values() if words else ():
            is_text = bool(_BLANK.search(word.text))
            for part, is_likely in name_parts(word):
                for folder in state.folders or (self.record.root,):
                    path = paths.join(folder, part)
                    if (is_likely and not is_text) or is_protected(path, self.record.root, secrets_only=is_text):
                        self.record.possibly(path)

    def _may_name(self, words: Iterable[Field], state: State) -> None:
        """Record words that may be file names, because a command that the analysis does not know may read or write
        such files."""
        for word in words:
            if not word.known:
                continue
            if _BLANK.search(word.text):
                named = named_files([word.text], (state.folders or (self.record.start,))[:1], state.home or "")
                self.record.words |= dict.fromkeys(islice(named, _MAX_NAMED))
                continue
            for text in _names_of(word.pattern or word.text):
                for folder in (state.folders or (self.record.start,))[:1]:
                    self.record.words.setdefault(paths.join(folder, text))

    def _may_be_links(self, words: Iterable[Field], state: State) -> None:
        """Record plain words as possible links, because a link with such a name may lead to a file."""
        for word in words:
            name = word.text.rpartition("=")[2].lstrip("@%") if word.known and word.pattern is None else ""
            for each in _names_of(name) if name[:1] == "-" else (name,):
                for folder in (state.folders or (self.record.start,)) if _NAME.fullmatch(each) else ():
                    self.record.may_be_link(paths.join(folder, each))

    def _may_follow(self, words: Iterable[Field], state: State) -> None:
        """Record words that may be folders, because the command may follow links in them."""
        for word in words:
            for each in _names_of(word.pattern or word.text) if word.known else ():
                for folder in (state.folders or (self.record.start,))[:1]:
                    self.record.may_follow(paths.join(folder, each))

    def _print_names(self, names: Sequence[Field], state: State) -> None:
        """Record the files whose names a command prints."""
        for each in names if names and all(one.known for one in names) else ():
            for folder in state.folders:
                use = PathUse(paths.join(folder, each.pattern or each.text), "read", glob=each.pattern is not None)
                use = replace(tree_or_path(use), follow=True, through=each.through)  # names of links, too
                self.record.printed_names.append(use)

    def _touch_trees(self, usage: CommandUsage, state: State) -> None:
        """Record the directory trees in which a command uses files that it does not name."""
        for tree in usage.trees:
            top = tree.top or Field(".")
            for path in self._paths_of(top, state):
                if tree.elsewhere and paths.normal(path) == self.record.root:
                    continue
                use = PathUse(path, tree.mode, recursive=True, directory=True, known=tree.known, only=tree.only)
                use = replace(use, contents=tree.contents, follow=tree.follow)
                self.record.path(replace(use, repository=tree.top is None, flat=tree.flat))

    def _touch_copies(self, copies: Iterable[Copied], state: State) -> None:
        """Record files that are copied or moved into a folder under their old names."""
        for each in copies:
            target = each.target.text if each.target.pattern is None else each.target.pattern
            source = each.source.text if each.source.pattern is None else each.source.pattern
            if not each.source.known:  # any name, which a rule about the whole folder matches
                self.touch(Field(f"{target.rstrip('/')}/{_ANY_FILE}"), "place", state)
                continue
            for folder in state.folders:
                read = PathUse(
                    paths.join(folder, source), "read", glob=each.source.pattern is not None, recursive=each.deep
                )
                use = PathUse(paths.join(folder, target), "write", each.target.pattern is not None, recursive=each.deep)
                copied = replace(tree_or_path(use), known="copied", source=tree_or_path(read), flat=not each.deep)
                copied = replace(copied, only=_names_in(read))
                anywhere = replace(copied, known="made", source=None, flat=False)
                self.record.path(anywhere if "**" in target else copied)

    def _paths_of(self, field: Field, state: State) -> list[str]:
        """Return the absolute paths of a word. For a glob or an unknown word, return the folders that contain the
        possible paths."""
        given = (
            (field.text if field.pattern is None else paths.fixed_part(f"./{field.pattern}")) if field.known else "."
        )
        return [paths.fixed_part(paths.join(folder, given)) for folder in state.folders or ("/",)]

    def _leads_to(self, link: Field, target: Field, state: State, *, copied: bool = False) -> None:
        """Record the target of a new link, or the source of a copy.

        A link's target is relative to the link's folder or, with some options, to the current folder; a copy's source
        is relative to the current folder.
        """
        if link.known and target.known and link.pattern is None and target.pattern is None:
            for folder in state.folders:
                place = paths.join(folder, link.text)
                if copied:
                    source = paths.normal(paths.join(folder, target.text))
                    self.record.copied[paths.normal(place), source] = self.record.number
                for start in () if copied else (place.rpartition("/")[0], folder):
                    self.record.linked[paths.normal(place), paths.normal(paths.join(start, target.text))] = None

    def _may_link(self, link: Field, state: State) -> None:
        if link.known and link.pattern is None:
            for folder in state.folders:
                self.record.link(paths.join(folder, link.text))

    def _read_in_repository(self, files: Sequence[Field], state: State, *, lists: bool) -> None:
        """Record files whose paths are relative to the root of a repository, which may be the working directory or any
        folder above it. With `lists`, also record that a folder's names are listed."""
        if not files:
            return
        roots: dict[str, None] = {}
        for folder in map(PurePosixPath, map(paths.normal, state.folders)):
            above = map(str, (folder, *folder.parents))
            roots |= dict.fromkeys(each for each in above if paths.is_under(each, self.record.root))
        for each in files:
            for root in roots:
                self.touch(each, "read", state.in_folders((root,)))
                if lists:
                    listed = PathUse(
                        paths.join(root, each.text), "read", directory=True, contents=False, known="revisions"
                    )
                    self.record.path(replace(listed, recursive=True, flat=True))


def _names_of(text: str) -> Iterator[str]:
    """Yield the parts of a word that may be the name of a file: the word, the value that is joined to an option, or a
    part of it such as `out` in `type=local,dest=out`."""
    if text[:1] != "-":
        names = [text]
    elif "=" in text:
        names = [text.partition("=")[2]]
    else:
        names = [text[end:] for end in OPTION_ENDS] if text[1:2] != "-" else []
    pieces = (piece for name in names if _PARTS.search(name) for piece in _PARTS.split(name)[1:])
    yield from filter(None, (*names, *pieces))


def _names_in(use: PathUse) -> tuple[str, ...]:
    """Return the glob in the last part of the used path, such as `*.py`; empty if there is none or if folders are used
    with their contents."""
    name = use.path.rpartition("/")[2]
    return (name,) if use.glob and not use.recursive and PLAIN_GLOB.fullmatch(name) else ()
