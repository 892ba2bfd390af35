"""rehearse(): simulate a text, command by command. All branches are simulated, and a few iterations of each loop."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import islice, takewhile
from typing import Final

from tools_app.permission.names import names
from tools_app.permission.shell import parse
from tools_app.permission.shell.rehearsal.any_words import possible_actions
from tools_app.permission.shell.rehearsal.arithmetic import calculated
from tools_app.permission.shell.rehearsal.comparisons import compared, matched_parts
from tools_app.permission.shell.rehearsal.documents import quoted_documents
from tools_app.permission.shell.rehearsal.redirections import RedirectionPlayer
from tools_app.permission.shell.rehearsal.scene import (
    MAX_CHARS,
    MAX_COMMANDS,
    MAX_DEPTH,
    MAX_NAMES,
    MAX_PARSED_CHARS,
    MAX_PLAYED_ROUNDS,
    MAX_ROUNDS,
    MAX_STEPS,
    MAX_TEXT_CHARS,
    OPERATION,
    Exhausted,
    Rehearsed,
    Scene,
    Stage,
    plain_name,
)
from tools_app.permission.shell.rehearsal.unbraced import unbraced
from tools_app.permission.shell.syntax_tree import Piece

_WORDS: Final = names(
    "word number concatenation string raw_string ansi_c_string translated_string simple_expansion expansion"
    " command_substitution process_substitution arithmetic_expansion brace_expression extglob_pattern"
)
_LOOPS: Final = names("while_statement until_statement")
_WITH_BRANCHES: Final = names("list if_statement case_statement")
_BRANCHES: Final = names("elif_clause else_clause case_item")
_UNKNOWN_OPERATION: Final = re.compile(r"\$\{(?:[A-Za-z_]\w*(?:\[[^\]]*\])?|[@*]|\d+)(?=~|:(?![-=+?]))")
_BACKTICKS: Final = re.compile(r"(?<!\\)`([^`\\]*)`")
"""A substitution in backticks. The grammar splits words at the backticks, which bash does not."""
_HEADER: Final = re.compile(r"for\s*\(\((.*?);(.*?);(.*?)\)\)\s*(?:;|\n|\{|do\b)", re.DOTALL)
_ASSIGNED_NAMES: Final = re.compile(r"\b([A-Za-z_]\w*)\s*=")
_CLASS: Final = re.compile(r"(?<=[\w.])\[[^\]\s/]+\]|\[[^\]\s/]+\](?=[\w.])")
"""A class of characters in a glob, for one character that is not known."""
_SHELL: Final = re.compile(r"\|\s*(?:\w+\s+)?(?:/\w+/)*(?:ba|da|z|k)?sh\b")
"""A shell that runs what another program prints."""
_SAYS_SOMETHING: Final = re.compile(r"[\w.]\*|\*[\w.]")


def rehearse(text: str, *, folder: str, home: str) -> Sequence[Rehearsed]:
    """Return the commands that a shell text would run in `folder`, and the targets of redirections. Never raises an
    exception."""
    found = dict.fromkeys(_played(text, folder, home, ""))
    if any(each in text for each in ("$", "`", "parallel", "xargs", "make", "{", "|", "bin/")):
        loose = _played(text, folder, home, "*")
        found |= dict.fromkeys(filter(None, map(_telling, loose)))
        actions = possible_actions(loose, text, folder, any_program=bool(_SHELL.search(text)))
        found |= dict.fromkeys(islice(actions, MAX_COMMANDS))
    classes = [each for each in found if _CLASS.search(each.text)]
    return (*found, *(replace(each, text=_CLASS.sub("?", each.text)) for each in classes))


def _played(text: str, folder: str, home: str, unknown: str) -> Sequence[Rehearsed]:
    stage = Stage(unknown=unknown)
    for name, document in quoted_documents(text):
        stage.files[plain_name(name)] = stage.documents[plain_name(name)] = document
    player = _Player(stage)
    scene = Scene(stage, folder, {"HOME": home})
    try:
        player.play_text(text, scene, "")
        for later, its in tuple(player.traps):
            player.play_text(later, its, "")
    except (Exhausted, RecursionError):
        pass
    return tuple(stage.found)


def _telling(command: Rehearsed) -> Rehearsed | None:
    """Return a command without its unknown words.

    Returns None if the command has unknown words, but no partly known word such as `.$x`.
    """
    if "*" not in command.text:
        return command
    words = command.text.split(" ")
    kept = [each for each in words if "*" not in each or _SAYS_SOMETHING.search(_value(each))]
    text = " ".join(kept).replace(".*", ".?*")  # not like `.*` of an expression that is searched for
    return Rehearsed(text, command.folder) if "*" in text else None


def _value(word: str) -> str:
    """Return the part of a word that may name a file: the value of an option, or a word that is not an option."""
    if word[:1] != "-":
        return word
    return word.partition("=")[2] if word[1:2] == "-" else word[2:]


class _Player(RedirectionPlayer):
    def __init__(self, stage: Stage) -> None:
        super().__init__(stage)
        self._traps: list[tuple[str, Scene]] = []
        self._trees: dict[str, Piece | None] = {}
        self._chars = 0

    @property
    def traps(self) -> list[tuple[str, Scene]]:
        return self._traps

    def play_text(self, text: str, scene: Scene, given: str) -> str:
        if not text.strip() or len(text) > MAX_TEXT_CHARS or self.stage.depth >= MAX_DEPTH:
            return ""
        self.stage.depth += 1
        try:
            plain = _UNKNOWN_OPERATION.sub(rf"\g<0>{OPERATION}", text.replace("\\\n", ""))
            plain = _BACKTICKS.sub(r"$(\1)", plain)
            trees = [self._tree(each) for each in dict.fromkeys((plain, unbraced(plain)))]
            return [self.run(tree, scene, given) if tree else "" for tree in trees].pop()
        finally:
            self.stage.depth -= 1

    def _tree(self, text: str) -> Piece | None:
        """Return the syntax tree of a text, which is parsed only once; None if too much has already been parsed."""
        if text not in self._trees:
            self._chars += len(text)
            self._trees[text] = parse.syntax_tree(text) if self._chars <= MAX_PARSED_CHARS else None
        return self._trees[text]

    def run(self, piece: Piece, scene: Scene, given: str) -> str:
        self.stage.step()
        if piece.kind in _WORDS:
            self.value(piece, scene)
            return ""
        play = self._plays().get(piece.kind)
        return play(piece, scene, given) if play else self._all(piece.children, scene, given)

    def _plays(self) -> dict[str, Callable[[Piece, Scene, str], str]]:
        return {
            "program": self._program, "command": self._command, "redirected_statement": self.play_redirected,
            "pipeline": self._pipeline,
            "variable_assignment": self._assign, "declaration_command": self._declaration,
            "function_definition": self._define, "for_statement": self._for, "subshell": self._subshell,
            "compound_statement": self._compound, "c_style_for_statement": self._counted,
            "unset_command": self._unset, "test_command": self._compare,
            **dict.fromkeys(_LOOPS, self._while), **dict.fromkeys(_WITH_BRANCHES, self._branches),
        }  # fmt: skip

    def _program(self, piece: Piece, scene: Scene, given: str) -> str:
        """Simulate a whole shell text. After `exec > file`, the output of its commands is written into the file."""
        printed = ""
        for each in piece.children:
            part = self._all([each], scene, given)
            is_kept = self.stage.depth == 1 and "1" in self.stage.descriptors
            printed += "" if is_kept else part
            if is_kept:
                self.write(self.stage.descriptors["1"], part, append=True)
        return printed[:MAX_CHARS]

    def _subshell(self, piece: Piece, scene: Scene, given: str) -> str:
        return self._all(piece.children, scene.copy(), given)

    def _all(self, pieces: Sequence[Piece], scene: Scene, given: str) -> str:
        printed = ""
        for each in pieces:
            if each.named and each.kind not in {"comment", "variable_name", "test_operator"}:
                printed += self.run(each, scene, given)
        return printed[:MAX_CHARS]

    def _branches(self, piece: Piece, scene: Scene, given: str) -> str:
        """Simulate branches, and return the output of all; if values are unknown, only that of the last one that prints
        something."""
        branches: list[list[Piece]] = [[]]
        for each in piece.children:
            if each.kind in _BRANCHES or each.text == "||":
                branches.append([])
            branches[-1].append(each)
        printed = [self._all(branch, scene, given) for branch in branches]
        if self.stage.unknown:
            return next((each for each in reversed(printed) if each.strip()), "")
        return "".join(printed)[:MAX_CHARS]

    def _pipeline(self, piece: Piece, scene: Scene, given: str) -> str:
        for each in piece.children:
            if each.named:
                given = self.run(each, scene, given)
        return given

    def _command(self, piece: Piece, scene: Scene, given: str) -> str:
        words: list[str] = []
        inside = scene
        target: Piece | None = None
        for each in piece.children:
            if each.kind == "variable_assignment":
                inside = scene.copy() if inside is scene else inside
                self._assign(each, inside)
            elif each.kind in {"file_redirect", "herestring_redirect"}:
                given, target = self.input_of(each, scene, given), each if each.kind == "file_redirect" else target
            elif each.named:
                words += self._known_fields(each, scene)
        if inside is not scene and words and words[0] in {"read", "mapfile", "readarray", "eval", "export"}:
            return self._with_assignments(words, scene, inside, given)
        if given and words[:1] == ["exec"] and not any(word.strip("0123456789") for word in words[1:]):
            self.stage.held = given
        printed = self.play(words, inside, given)
        return self.to_target(target, printed, scene) if target else printed

    def _known_fields(self, piece: Piece, scene: Scene) -> list[str]:
        """Return the words that a word expands to. A variable that the shell text does not set is unknown, not
        empty."""
        words = self.fields(piece, scene)
        return words if any(words) or not self.stage.unknown or "$" not in piece.text else [self.stage.unknown]

    def _with_assignments(self, words: Sequence[str], scene: Scene, inside: Scene, given: str) -> str:
        """Simulate a builtin that changes the shell, such as `read`, with assignments in front of it. Of these, an
        assignment to `IFS` is undone after the builtin."""
        printed = self.play(words, inside, given)
        splits = scene.values.get("IFS")
        scene.values.update(inside.values)
        scene.arrays.update(inside.arrays)
        scene.values.pop("IFS", None)
        scene.values.update({"IFS": splits} if splits is not None else {})
        return printed

    # Assignments

    def _assign(self, piece: Piece, scene: Scene, _given: str = "") -> str:
        target, value = piece.child("name"), piece.child("value")
        if target is None:
            return ""
        name = self.substituted(target, scene)
        appends = "+=" in piece.source[target.end : target.end + 2]
        if value is not None and value.kind == "array":
            self._assign_array(name, value, scene, appends=appends)
            return ""
        text = self.value(value, scene)
        if "[" in name:
            place, _, index = name.partition("[")
            scene.set_element(place, self._index(index.rstrip("]"), scene), text)
        else:
            before = "".join(scene.get(name)[:1]) if appends else ""
            adds = before and "i" in scene.attributes.get(name, "")
            scene.set(name, f"{before}+({text})" if adds else f"{before}{text}")
        return ""

    def _assign_array(self, name: str, array: Piece, scene: Scene, *, appends: bool) -> None:
        """Set the elements of an array: by their keys if they have any, else by their numbers or, after `declare -A`,
        in pairs."""
        words = [word for each in array.children if each.named for word in self.fields(each, scene)]
        elements = list(scene.arrays.get(name, {}).items()) if appends else []
        plain = [each for each in words if not (each.startswith("[") and "]=" in each)]
        for word in words:
            index, _, value = word.partition("]=")
            elements.append((index[1:].strip("'\""), value) if word not in plain else (str(len(elements)), word))
        if name in scene.keyed and plain:
            elements = list(zip(plain[::2], plain[1::2], strict=False))
        scene.set_array(name, elements)

    def _declaration(self, piece: Piece, scene: Scene, _given: str) -> str:
        words = [piece.children[0].text]
        for each in piece.children[1:]:
            options = "".join(word[1:] for word in words[1:] if word[:1] == "-")
            self._attribute(each, options, scene)
            if each.kind == "variable_assignment" and "n" not in options:
                name = each.children[0].text
                scene.keyed |= {name} if "A" in options else set()
                self._assign(each, scene)
                if {"a", "A"}.intersection(options) and (text := self.value(each.child("value"), scene))[:1] == "(":
                    self.play_text(f"{name}={text}", scene, "")
            elif each.kind == "variable_assignment":
                words.append(f"{each.children[0].text}={self.value(each.child('value'), scene)}")
            elif each.kind == "variable_name":
                scene.keyed |= {each.text} if "A" in options else set()
            else:
                words += self.fields(each, scene)
        return self.play(words, scene, "")

    def _attribute(self, piece: Piece, options: str, scene: Scene) -> None:
        """Record the options of `declare` that change the values of a variable, such as `-u`."""
        letters = "".join(each for each in options if each in "cilu")
        if letters and piece.kind in {"variable_assignment", "variable_name"}:
            name = piece.children[0].text if piece.children else piece.text
            scene.attributes[name] = scene.attributes.get(name, "") + letters

    def _unset(self, piece: Piece, scene: Scene, _given: str) -> str:
        words = [word.strip("'\"") for each in piece.children for word in (self.fields(each, scene) or [each.text])]
        return self.play(words, scene, "")

    def _compare(self, piece: Piece, scene: Scene, given: str) -> str:
        """Simulate `[[ text =~ expression ]]`, which sets BASH_REMATCH."""
        if parts := matched_parts(self.substituted(piece, scene)):
            scene.set_array("BASH_REMATCH", [(str(number), each) for number, each in enumerate(parts)])
        return self._all(piece.children, scene, given)

    # Compound commands

    def _define(self, piece: Piece, scene: Scene, _given: str) -> str:
        name, body = piece.child("name"), piece.child("body")
        if name is not None and body is not None and len(scene.functions) < MAX_NAMES:
            scene.functions[name.text] = body
            self.stage.outputs[name.text] = tuple(piece.fields("redirect"))
        return ""

    def _for(self, piece: Piece, scene: Scene, given: str) -> str:
        name, body = piece.child("variable"), piece.child("body")
        values = [word for each in piece.fields("value") for word in self.fields(each, scene)]
        if not any(each.text == "in" for each in piece.children):
            values = list(scene.parameters)
        printed = ""
        for value in values[:MAX_ROUNDS] or [""]:
            if name is not None and body is not None:
                scene.set(name.text, value)
                printed += self.run(body, scene, given)
        return printed[:MAX_CHARS]

    def _while(self, piece: Piece, scene: Scene, given: str) -> str:
        """Simulate a loop: for each line of its input, or as long as its condition holds. If the condition is not
        known, the loop runs once."""
        lines = given.splitlines(keepends=True)[:MAX_ROUNDS]
        if lines:
            return "".join(self._all(piece.children, scene, "".join(lines[number:])) for number in range(len(lines)))[
                :MAX_CHARS
            ]
        condition, body = piece.child("condition"), piece.child("body")
        ends = piece.text.startswith("until")
        printed = ""
        for number in self._rounds():
            holds = self._test(condition, scene) if condition else None
            if holds is ends or (holds is None and number):
                break
            printed += self.run(body, scene, "") if body else ""
        return printed[:MAX_CHARS]

    def _counted(self, piece: Piece, scene: Scene, given: str) -> str:
        """Simulate `for ((...))`."""
        header, body = _HEADER.match(piece.text), piece.child("body")
        start, condition, step = header.groups() if header else ("", "", "")
        if calculated(start, scene) is None:
            for name in _ASSIGNED_NAMES.findall(start):
                scene.set(name, self.stage.unknown)
        printed = ""
        for number in self._rounds():
            if (condition.strip() and calculated(condition, scene) == 0) or (not condition.strip() and number):
                break
            printed += self.run(body, scene, given) if body else ""
            self.calculate(step, scene)
        return printed[:MAX_CHARS]

    def _rounds(self) -> Iterator[int]:
        """Yield the numbers of a loop's iterations, while enough steps are left to simulate the rest of the text."""
        yield from takewhile(lambda _: self.stage.steps > MAX_STEPS // 4, range(MAX_PLAYED_ROUNDS))

    def _compound(self, piece: Piece, scene: Scene, given: str) -> str:
        if piece.text.startswith("(("):
            self.calculate(piece.text[2:-2], scene)
        return self._all(piece.children, scene, given)

    def _test(self, condition: Piece, scene: Scene) -> bool | None:
        """Simulate a condition. Returns whether it is true, or None if it is neither a calculation nor a known
        comparison."""
        if condition.text.startswith("(("):
            number = calculated(self.substituted(condition, scene)[2:-2], scene)
            return None if number is None else bool(number)
        text = self.substituted(condition, scene)
        self.run(condition, scene, "")
        return compared(text, scene)
