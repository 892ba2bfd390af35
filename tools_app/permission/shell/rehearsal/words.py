"""WordPlayer: expands words with the values of a scene. Unknown values are treated as empty."""

import re
from collections.abc import Iterable, Iterator, Sequence
from fnmatch import fnmatchcase
from typing import Final

from tools_app.permission.shell.ansi_quoting import decode
from tools_app.permission.shell.escapes import unescaped
from tools_app.permission.shell.guesses import changed
from tools_app.permission.shell.rehearsal.arithmetic import calculated
from tools_app.permission.shell.rehearsal.scene import MAX_CHARS, OPERATION, Scene, Stage
from tools_app.permission.shell.syntax_tree import Piece

_ZERO: Final = re.compile(r"\\(?:c@|0{1,3}(?![0-7])|x0{1,2}(?![0-9A-Fa-f])|[uU]0{1,8}(?![0-9A-Fa-f]))")
"""An escape for a zero byte, which ends `$'...'`."""
_ESCAPED: Final = re.compile(r"\\(\n?)(.?)", re.DOTALL)
_ESCAPED_IN_QUOTES: Final = re.compile(r"\\(?:\n|([$`\"\\]))")
_PARAMETER: Final = re.compile(r"\$\{(!|#)?([A-Za-z_]\w*|\d+|[@*#?$!-])?(?:\[([^\]]*)\])?(.*)\}", re.DOTALL)
_UNICODE: Final = re.compile("utf-?8", re.IGNORECASE)
_BEFORE_TILDE: Final = " \t\n=:;|&(<>{"
_BRACKETS: Final = re.compile(r"\$\(\((.*)\)\)|\$\[(.*)\]", re.DOTALL)
_BYTE: Final = re.compile(r"\\(?:([0-7]{3})|x\{([0-9A-Fa-f]{1,8})\})")
_OFFSET: Final = re.compile(r":(?![-=+?])([^:?]+|[^:?]*\?[^:]*:[^:]*|)(?::(.*))?", re.DOTALL)
_NAME: Final = re.compile(r"[A-Za-z_]\w*")
_CHANGES: Final = re.compile(r"\+\+|--|[^=!<>]=[^=]")
_IF_SET: Final = re.compile(r":?\+")
_SETS: Final = re.compile(r":?=")
_GLOB: Final = re.compile(r"[*?\[]")
_ALL_IN_ONE: Final = re.compile(r"\$\{?(?:\*|\w+\[\*)")
_MAX_FIELDS: Final = 100  # of one word
_SUBSTITUTIONS: Final = frozenset({"command_substitution", "process_substitution"})
_EXPANSIONS: Final = frozenset(
    {*_SUBSTITUTIONS, "simple_expansion", "expansion", "arithmetic_expansion", "string", "raw_string", "ansi_c_string"}
)


class WordPlayer:
    """The part of the simulation that expands words. `run` simulates a piece of a shell text and returns its output."""

    def __init__(self, stage: Stage) -> None:
        self.stage = stage

    def run(self, piece: Piece, scene: Scene, given: str) -> str:
        raise NotImplementedError

    def play_text(self, text: str, scene: Scene, given: str) -> str:
        raise NotImplementedError

    def fields(self, piece: Piece, scene: Scene) -> list[str]:
        """Return the words that a word expands to."""
        words: list[str] = []
        open_word: str | None = None
        for text, quoted in self._parts(piece, scene):
            pieces = [text] if quoted else self._split(text, scene)
            if not quoted and text[:1].isspace() and open_word is not None:
                words.append(open_word)
                open_word = None
            for number, each in enumerate(pieces):
                open_word = each if number or open_word is None else f"{open_word}{each}"[:MAX_CHARS]
                if number < len(pieces) - 1:
                    words.append(open_word)
                    open_word = None
        words += [open_word] if open_word is not None else []
        return [name for word in words[:_MAX_FIELDS] for name in self._names(word)]

    def value(self, piece: Piece | None, scene: Scene) -> str:
        """Return the expansion of a word without splitting it, for assignments and for targets of redirections."""
        if piece is None:
            return ""
        return "".join(text for text, _ in self._parts(piece, scene))[:MAX_CHARS]

    def _split(self, text: str, scene: Scene) -> list[str]:
        by = (scene.get("IFS") or [" \t\n"])[0]
        if not by.strip():
            return text.split()
        return [each for each in re.split(f"[{re.escape(by)}]", text) if each]

    def _names(self, word: str) -> Iterable[str]:
        """Return the files created by the shell text that match the glob `word`; if no file matches or `word` is no
        glob, return `word` itself."""
        if not _GLOB.search(word) or len(word) > MAX_CHARS // 10 or word == self.stage.unknown:
            return (word,)
        return [each for each in self.stage.made if fnmatchcase(each, word)] or (word,)

    # Parts of a word: texts, and whether each is kept as it is

    def _parts(self, piece: Piece, scene: Scene) -> Iterator[tuple[str, bool]]:
        self.stage.step()
        kind = piece.kind
        if kind == "raw_string":
            yield piece.text[1:-1], True
        elif kind == "ansi_c_string":
            found = decode(piece.text, 1, len(piece.text))
            yield (found[0] if found else _decoded(piece.text[2:-1])), True
        elif kind == "string":
            yield from self._in_quotes(piece, scene)
        elif kind in _EXPANSIONS:
            yield from ((each, False) for each in self._joined(self._expanded(piece, scene)))
        elif not piece.children:
            text = self._at_home(piece, scene) if piece.text[:1] == "~" else piece.text
            yield _ESCAPED.sub(lambda found: "" if found[1] else found[2], text), True
        elif kind == "concatenation" or kind in {"command_name", "translated_string"}:
            for each in piece.children:
                yield from self._parts(each, scene) if each.named else ()
        else:
            yield self.substituted(piece, scene), True

    def _at_home(self, piece: Piece, scene: Scene) -> str:
        """Expand `~`, `~+` or `~-` at the beginning of a text."""
        before, slash, rest = piece.text.partition("/")
        name = {"~": "HOME", "~+": "PWD", "~-": "OLDPWD"}.get(before)
        begins = not piece.start or piece.source[piece.start - 1] in _BEFORE_TILDE
        return f"{''.join(scene.get(name))}{slash}{rest}" if name and begins else piece.text

    def _in_quotes(self, piece: Piece, scene: Scene) -> Iterator[tuple[str, bool]]:
        """Yield the texts that a quoted word expands to, each with False if it comes from an expansion such as
        `"$@"`."""
        inner = [each for each in piece.children if each.named]
        if len(inner) == 1 and inner[0].kind in _EXPANSIONS and len(inner[0].text) == len(piece.text) - 2:
            several = self._expanded(inner[0], scene)
            if re.match(r"\$\{?(?:@|\w+\[@)", inner[0].text):
                yield from ((each, False) for each in self._joined(several))
                return
            yield _separator(inner[0], scene).join(several), True
            return
        start, text = piece.start + 1, ""
        for each in inner:
            if each.kind in _EXPANSIONS:
                text += self._unquoted(piece.source[start : each.start]) + _separator(each, scene).join(
                    self._expanded(each, scene)
                )
                start = each.end
        yield text + self._unquoted(piece.source[start : piece.end - 1]), True

    def _unquoted(self, text: str) -> str:
        return _ESCAPED_IN_QUOTES.sub(lambda found: found[1] or "", text)

    def _joined(self, several: Sequence[str]) -> Iterator[str]:
        """Yield several words joined by a space, so that the shell's word splitting separates them again."""
        yield " ".join(several)

    def substituted(self, piece: Piece, scene: Scene) -> str:
        """Return the source of a piece of a shell text with its expansions replaced by their values."""
        start, text = piece.start, ""
        for each in _outermost(piece):
            text += piece.source[start : each.start] + self.value(each, scene)
            start = each.end
            if len(text) > MAX_CHARS:
                break
        return (text + piece.source[start : piece.end])[:MAX_CHARS]

    # Expansions

    def _expanded(self, piece: Piece, scene: Scene) -> list[str]:
        self.stage.step()
        if piece.kind == "simple_expansion":
            return (
                _then(scene.get(piece.text[1:2]), piece.text[2:])
                if piece.text[1:2].isdigit()
                else scene.get(piece.text[1:])
            )
        if piece.kind == "expansion":
            return self._parameter(piece, scene)
        if piece.kind == "command_substitution":
            return [self._output(piece, scene).rstrip("\n")]
        if piece.kind == "process_substitution":
            return [self._process(piece, scene)]
        if piece.kind == "arithmetic_expansion":
            return [self.calculate(_BRACKETS.sub(r"\1\2", self._inside(piece, scene)), scene)]
        return [self.value(piece, scene)]

    def calculate(self, text: str, scene: Scene) -> str:
        """Evaluate an arithmetic expression, carry out its assignments, and return its value."""
        number = calculated(text, scene)
        return self.stage.unknown or str(number or 0)

    def _inside(self, piece: Piece, scene: Scene) -> str:
        """Return the source of an expansion, with the expansions nested in it replaced by their values."""
        start, text = piece.start, ""
        for each in _outermost_in(piece):
            text += piece.source[start : each.start] + self.value(each, scene)
            start = each.end
        return text + piece.source[start : piece.end]

    def _output(self, piece: Piece, scene: Scene) -> str:
        printed = ""
        for each in piece.children:
            if each.kind == "file_redirect":
                printed += self.stage.files.get(self.value(each.child("destination"), scene).removeprefix("./"), "")
            elif each.named:
                printed += self.run(each, scene, "")
        return printed[:MAX_CHARS]

    def _process(self, piece: Piece, scene: Scene) -> str:
        path = f"/dev/fd/{60 + len(self.stage.files) + len(self.stage.readers)}"
        if piece.text.startswith("<"):
            self.stage.write(path, self._output(piece, scene), append=False)
        else:
            self.stage.readers[path] = piece
        return path

    def _parameter(self, piece: Piece, scene: Scene) -> list[str]:
        found = _PARAMETER.fullmatch(self._inside(piece, scene))
        if not found or not found[2]:
            return scene.get("#") if found and found[1] == "#" and not found[4] else [self.stage.any_text]
        sign, name, index, rest = found[1], found[2], found[3] or "", found[4]
        if sign == "!" and (rest in {"@", "*"} or (index in {"@", "*"} and not rest)):
            return _names_of(name, index, scene)
        values = scene.get(name, self._index(index, scene))
        if sign == "#":
            return [str(len(values[0]) if values and index not in {"@", "*"} else len(values))]
        if sign == "!" and values and not index:
            target = re.fullmatch(r"(\w+|[@*])(?:\[([^\]]*)\])?", values[0])
            values = scene.get(target[1], target[2] or "") if target else []
        if _SETS.match(rest) and not values:
            scene.set(name, rest.lstrip(":="))
        is_list = index in {"@", "*"} or name in {"@", "*"}
        values = ["", *values] if name in {"@", "*"} and _OFFSET.fullmatch(rest.removeprefix(OPERATION)) else values
        return self._operated(values, rest.removeprefix(OPERATION), scene, is_list=is_list)

    def _operated(self, values: list[str], rest: str, scene: Scene, *, is_list: bool) -> list[str]:
        """Return the values of a variable after applying the operator `rest` to them, as `${x<rest>}` does."""
        if _IF_SET.match(rest) and not values:
            return []
        if rest.startswith("@"):
            return [self._transformed(each, rest[1:2], scene) for each in values]
        if offset := _OFFSET.fullmatch(rest):
            first, length = calculated(offset[1], scene), calculated(offset[2], scene) if offset[2] else None
            if self.stage.unknown and any("*" in "".join(scene.get(each)) for each in _NAME.findall(rest)):
                return [self.stage.unknown]
            first = first or 0
            if is_list:
                return values[first:][:length]
            rest = f":{first}" if length is None else f":{first}:{length}"
        return (
            [self._changed(each, rest.strip("\"'"), scene)[:MAX_CHARS] for each in values or [""]] if rest else values
        )

    def _changed(self, value: str, operation: str, scene: Scene) -> str:
        """Return the value of `${x<operation>}`. Without Unicode, bash counts and changes bytes. An unknown value stays
        unknown."""
        if value and value == self.stage.unknown:
            return value
        locale = next((each for name in ("LC_ALL", "LC_CTYPE", "LANG") if (each := "".join(scene.get(name)))), "UTF-8")
        if value.isascii() or _UNICODE.search(locale):
            return changed(value, operation)
        return (
            changed(value.encode().decode("latin-1"), operation).encode("latin-1", "ignore").decode("utf-8", "ignore")
        )

    def _index(self, index: str, scene: Scene) -> str:
        if index in {"@", "*"}:
            return index
        if _CHANGES.search(index):
            return str(calculated(index, scene) or 0)
        if scene.values.get(index, "").isdigit():
            return scene.values[index]
        number = re.sub(r"[A-Za-z_]\w*", lambda found: scene.values.get(found[0], found[0]), index)
        if re.fullmatch(r"[\d\s]*[-+*/%<>&|^][-+*/%<>&|^()\d\s]*", number) and not re.fullmatch(r"-\d+", number):
            return str(calculated(number, scene) or 0)
        return index.strip("'\"")

    def _transformed(self, value: str, how: str, scene: Scene) -> str:
        """Return a variable's value after the bash transformation `how`, as `${x@how}` does."""
        if how == "L":
            return value.lower()
        if how in {"U", "u"}:
            return value.upper() if how == "U" else value[:1].upper() + value[1:]
        if how == "E":
            return unescaped(value)
        return self.play_text(f'echo "{value}"', scene, "").rstrip("\n") if how == "P" else value


def _names_of(name: str, index: str, scene: Scene) -> list[str]:
    """Return `${!name@}`, the variables whose names begin with `name`, or `${!name[@]}`, the keys of an array."""
    if index:
        return list(scene.arrays.get(name, {}))
    return [each for each in (*scene.values, *scene.arrays) if each.startswith(name)]


def _separator(piece: Piece, scene: Scene) -> str:
    """Return the separator of the values of `"$*"` and `"${x[*]}"`: the first character of IFS."""
    by = scene.get("IFS") if _ALL_IN_ONE.match(piece.text) else []
    return by[0][:1] if by else " "


def _then(values: Sequence[str], rest: str) -> list[str]:
    """Return the expansion of `$1rest`, which tree-sitter reads as one name."""
    return [*values[:-1], f"{values[-1] if values else ''}{rest}"]


def _outermost(piece: Piece) -> Iterator[Piece]:
    """Yield the outermost expansions in a piece of a word; expansions nested in another one are left out."""
    if piece.kind in _EXPANSIONS:
        yield piece
        return
    yield from _outermost_in(piece)


def _outermost_in(piece: Piece) -> Iterator[Piece]:
    for each in piece.children:
        yield from _outermost(each)


def _decoded(text: str) -> str:
    """Return the text of a `$'...'` that `decode` cannot read: a zero byte ends the text, and numeric escapes are
    bytes."""
    text = _BYTE.sub(lambda found: f"\\x{int(found[1] or found[2], 8 if found[1] else 16) & 0xFF:02x}", text)
    return unescaped(_ZERO.split(text)[0])
