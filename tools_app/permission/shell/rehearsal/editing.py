"""EditingPlayer: simulates programs that change files in place, such as `sed -i`, `ed` and `dd of=`.

It only changes files that the text itself writes. The new content of a file may be code, so it is recorded, too.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from tools_app.permission.names import names
from tools_app.permission.shell.rehearsal.filters import filtered, operands_of
from tools_app.permission.shell.rehearsal.guess import Guess
from tools_app.permission.shell.rehearsal.macros import included_files, run_by_m4
from tools_app.permission.shell.rehearsal.reading import ReadingPlayer
from tools_app.permission.shell.rehearsal.scene import MAX_CHARS, MAX_ROUNDS, Scene, plain_name

_IN_PLACE: Final = re.compile(r"-[a-zA-Z]*i.*|--in-place.*|inplace|--inplace")
_EDITORS: Final = names("ed ex vi vim nvim view emacs kak sd rpl patch")
_BY_OPTION: Final = names("sed gsed perl ruby awk gawk yq jq crudini toml")
_CODE: Final = re.compile(r"(?:python|perl|ruby|node|nodejs|php|lua|deno|bun)[\d.]*")
_REPLACES: Final = re.compile(
    r"(?:sub|replace\w*)!?\(\s*(?:/([^/\n]{1,100})/\w*|['\"]([^'\"\n]{1,100})['\"])\s*,\s*['\"]([^'\"\n]{0,100})['\"]"
)
_TRANSLATES: Final = re.compile(r"\btr(?=([/|,#])[^\n]{1,80}?\1[^\n]{0,80}?\1)")
_FOUND: Final = re.compile(r"\$(?:&|\{?([1-9])\}?)")
"""What an expression of Perl matched, in a replacement."""
_WORDS: Final = names("sd rpl")
_RUNS: Final = re.compile(
    r"s([^\w\s\\])(?:(?!\1)[^\\]|\\.)*\1(?:(?!\1)[^\\]|\\.)*\1[gIipmM0-9]*e|(?:^|[;{}\s\d$/])e\s*(?:[;}\n]|$)"
)
_WITHOUT_INPUT: Final = names("expr seq numfmt basename dirname realpath")
_WITHOUT_INPUT_IF: Final = {
    "shuf": re.compile("-e|--echo"), "jq": re.compile("-[a-zA-Z]*n|--null-input"),
    **dict.fromkeys(("awk", "gawk", "mawk"), re.compile(r"\s*BEGIN\b")),
}  # fmt: skip
"""Programs that read no input if an argument begins in this way."""
_OF_C: Final = names("cpp gcc g++ cc c++ clang clang++ c89 c99 tcc")
_BY: Final = "\x01"


class EditingPlayer(ReadingPlayer):
    """The part of the simulation of a script that edits files which the script itself has written."""

    def write(self, name: str, text: str, *, append: bool) -> None:
        """Record the content of a file; for `>(...)`, give the text to the command that reads it."""
        raise NotImplementedError

    def editors(self) -> dict[str, Callable[[list[str], Scene, str], str]]:
        """Return the functions that simulate programs which write files by themselves, by the names of the programs."""
        return {
            "tee": self._tee, "sponge": self._sponge, "dd": self._dd, "truncate": self._truncate, "find": self._find,
            "sed": self._sed, "gsed": self._sed, **dict.fromkeys(("split", "csplit"), self._split_file),
            **dict.fromkeys(_WORDS, self._replace),
        }  # fmt: skip

    def edit(self, words: Sequence[str], scene: Scene, given: str) -> None:
        """Simulate an editing command: change the files that it edits in place, if the shell text itself has written
        these files."""
        name = words[0].rpartition("/")[2]
        by_option = name in _BY_OPTION and any(map(_IN_PLACE.fullmatch, words[1:]))
        if not (name in _EDITORS or by_option or _CODE.fullmatch(name)) or not self.stage.files:
            return
        script = _script(name, words, given)
        text = " ".join(words[1:])
        for file, content in tuple(self.stage.files.items()):
            named = re.search(rf"(?<![\w.-]){re.escape(file)}(?![\w.-])", text)
            if named and (changed := (filtered(script, content) or "")) != content:
                self._change(file, changed, scene)

    def replaced(self, words: Sequence[str], given: str) -> str:
        """Return the text `given` after the replacements that a command such as `perl -pe` or `sed` makes in it."""
        if not given.strip():
            return ""
        return filtered(_script(words[0].rpartition("/")[2], words, ""), given) or ""

    def or_any_text(self, printed: str, words: Sequence[str], given: str) -> str:
        """Return what a command prints for an input; any text if that is a guess, unless the input is unknown, too."""
        if not isinstance(printed, Guess) or not self.stage.unknown:
            return printed
        is_known = given.strip("*\n ") if given else _reads_nothing(words)
        return self.stage.any_text if is_known else self.stage.unknown

    def _change(self, file: str, content: str, scene: Scene) -> None:
        self.stage.files[file] = content[:MAX_CHARS]
        self.stage.add(content[:MAX_CHARS], scene.folder)

    def _tee(self, words: list[str], _scene: Scene, given: str) -> str:
        for each in operands_of(words):
            self.write(each, given, append=any(re.fullmatch(r"-\w*a\w*|--append", word) for word in words))
        return given

    def _replace(self, words: list[str], scene: Scene, given: str) -> str:
        self.edit(words, scene, given)
        return self.replaced(words, given)

    def _sponge(self, words: list[str], scene: Scene, given: str) -> str:
        self._tee(words, scene, given)
        return "" if operands_of(words) else given

    def _dd(self, words: list[str], _scene: Scene, given: str) -> str:
        options = dict(each.split("=", 1) for each in words[1:] if "=" in each)
        source, target = options.get("if", ""), options.get("of", "")
        text = self.stage.files.get(plain_name(source), given)
        printed = self.or_any_text(filtered(words, text) or "", words, text)
        if not target or target.startswith("/dev/"):
            return printed
        size, skipped = (_number(options.get(each, "")) for each in ("bs", "seek"))
        at = (size or 512) * skipped
        before = self.stage.files.get(plain_name(target), "")
        behind = before[at + len(printed) :] if "notrunc" in options.get("conv", "") else ""
        self.write(target, f"{before[:at]}{printed}{behind}", append=False)
        return ""

    def _truncate(self, words: list[str], _scene: Scene, _given: str) -> str:
        size = next((each for each in re.findall(r"-s\s?(-?\d{1,5})\b", " ".join(words))), "0")
        for each in operands_of(words):
            if (content := self.stage.files.get(plain_name(each))) is not None:
                self.stage.files[plain_name(each)] = content[: int(size)] if int(size) else ""
        return ""

    def _split_file(self, words: list[str], _scene: Scene, given: str) -> str:
        """Write the whole text that `split` or `csplit` would split, from a written file or the input, into each file
        that these programs may create."""
        operands = operands_of(words)
        content = next((text for each in operands if (text := self.stage.files.get(plain_name(each)))), given)
        prefix = operands[-1] if words[0] == "split" and len(operands) > 1 else ""
        for each in (f"{prefix or 'x'}{end}" for end in ("aa", "ab", "ac", "00", "01", "02", "x00", "x01", "x02")):
            self.write(each, content, append=False)
        return ""

    def _find(self, words: list[str], scene: Scene, given: str) -> str:
        """Simulate the command behind `-exec` for each file written so far. Returns the output of `find`."""
        starts = [at for at, each in enumerate(words) if each in {"-exec", "-execdir", "-ok", "-okdir"}]
        for at in starts[:MAX_ROUNDS]:
            command = list(_until_end(words[at + 1 :]))
            for file in list(self.stage.files)[:MAX_ROUNDS]:
                self.play([each.replace("{}", file) for each in command], scene, "")
        return self._printed(words, given)

    def _sed(self, words: list[str], scene: Scene, given: str) -> str:
        self.edit(words, scene, given)
        printed = self._printed(words, given)
        if any(map(_RUNS.search, words[1:])):
            printed = self.play_text(printed, scene, "")
        return printed

    def play_macros(self, words: Sequence[str], scene: Scene, given: str) -> None:
        """Simulate what `m4` runs, and record the files that it or a C compiler includes under names from macros."""
        name = words[0].rpartition("/")[2]
        if name != "m4" and name not in _OF_C:
            return
        files = (self.stage.files.get(plain_name(each)) for each in operands_of(words))
        text = "\n".join(filter(None, files)) or given
        texts, read = run_by_m4(words[1:], text) if name == "m4" else ((), included_files(words[1:], text))
        for each in read:
            self.stage.add(f"cat {each}", scene.folder)
        for each in texts:
            self.play_text(each, scene.copy(), "")

    def _printed(self, words: list[str], given: str) -> str:
        """Return the simulated output of a filter such as `sed`. Its input may be files that the simulated script has
        written."""
        raise NotImplementedError


def _script(name: str, words: Sequence[str], given: str) -> list[str]:
    """Return a `sed` command that makes the replacements of the program `name`, which gets `words` and the input
    `given`."""
    operands = operands_of(words)
    plain = name in {"sed", "gsed"} and not any(re.fullmatch(r"-\w*[Er]\w*", each) for each in words)
    if name in _WORDS and len(operands) > 1:
        return ["sed", "-E", "-e", f"s{_BY}{re.escape(operands[0])}{_BY}{operands[1]}{_BY}g"]
    is_code = _CODE.fullmatch(name) is not None
    text = f"{' ; '.join(each for each in words[1:] if not is_code or each[:1] != '-')}\n{given}"
    is_perl = name.startswith("perl")
    text = _FOUND.sub(lambda found: f"\\{found[1] or 0}", text) if is_perl else text
    replaced = [f"s{_BY}{each[1] or re.escape(each[2])}{_BY}{each[3]}{_BY}g" for each in _REPLACES.finditer(text)]
    return ["sed", *["-P" if is_perl else "-E"] * (not plain), "-e", ";".join([_TRANSLATES.sub("y", text), *replaced])]


def _reads_nothing(words: Sequence[str]) -> bool:
    """Return whether a command makes its output of its arguments alone."""
    name = words[0].rpartition("/")[2]
    return name in _WITHOUT_INPUT or any(
        _WITHOUT_INPUT_IF[name].match(each) for each in words if name in _WITHOUT_INPUT_IF
    )


def _until_end(words: Sequence[str]) -> Iterator[str]:
    for each in words:
        if each in {";", "+"}:
            return
        yield each


def _number(text: str) -> int:
    return int(text) if re.fullmatch(r"\d{1,5}", text) else 0
