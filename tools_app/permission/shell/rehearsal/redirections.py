"""RedirectionPlayer: simulates redirections, descriptors that stay open, and coprocesses."""

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from tools_app.permission.names import names
from tools_app.permission.shell.rehearsal.programs import CommandPlayer
from tools_app.permission.shell.rehearsal.scene import MAX_CHARS, Scene
from tools_app.permission.shell.syntax_tree import Piece

_STATEMENTS: Final = names(
    "command pipeline list subshell compound_statement redirected_statement while_statement for_statement if_statement"
)
_OPENING: Final = re.compile(r"exec(?:\s+\{(\w+)(?:\[\w+\])?\})?\s*")
"""`exec` without a command, which opens descriptors for what follows; with a variable that gets the number."""
_WRITING: Final = frozenset({">", ">>", ">|", "<>", "&>", "&>>", ">&"})
_DESCRIPTOR: Final = re.compile(r"/(?:dev|proc/self)/fd/(\d+)")


class RedirectionPlayer(CommandPlayer):
    """The part of the simulation that gives commands their input, and writes their output."""

    def play_redirected(self, piece: Piece, scene: Scene, given: str) -> str:
        """Simulate a command with redirections, and return the part of its output that is not redirected."""
        targets: list[Piece] = []
        behind: list[Piece] = []
        for before, each in pairwise((piece, *piece.children)):
            if before.text == "<<" or any(
                inner.text == "<<" for inner in each.children if each.kind == "file_redirect"
            ):
                given = self.value(each.child("destination"), scene) + "\n"  # so tree-sitter reads some `<<<`
            elif each.kind == "file_redirect":
                given = self.input_of(each, scene, given)
                targets.append(each)
            elif each.kind == "herestring_redirect":
                given = self.input_of(each, scene, given)
            elif each.kind == "heredoc_redirect":
                given = self._document(each, scene)
                targets += [inner for inner in each.children if inner.kind == "file_redirect"]
                behind += [inner for inner in each.children if inner.kind in _STATEMENTS]
        body = piece.child("body")
        self._open_all(targets, body.text if body is not None else "", scene)
        printed = self.run(body, scene, given) if body is not None else ""
        for each in targets:
            printed = self.to_target(each, printed, scene)
        for each in behind:
            printed = self.run(each, scene, printed)
        return printed

    def call(self, name: str, words: list[str], scene: Scene, given: str) -> str:
        printed = super().call(name, words, scene, given)
        for each in self.stage.outputs.get(name, ()):
            printed = self.to_target(each, printed, scene)
        return printed

    def _open_all(self, targets: Sequence[Piece], command: str, scene: Scene) -> None:
        """Record the descriptors that redirections open. For commands other than `exec`, stdout and stderr are left
        out."""
        opening = _OPENING.fullmatch(command)
        for each in targets:
            number = _descriptor_of(each)
            if opening and opening[1]:
                number = str(10 + len(self.stage.descriptors))
                scene.set(opening[1], number)
            if opening or number not in {"1", "2"}:
                self._open(number, each, scene)

    def _open(self, number: str, piece: Piece, scene: Scene) -> None:
        sign, target = _sign_of(piece), self._target_of(piece, scene)
        if sign not in _WRITING or not target:
            return
        if sign == ">&" and target.isdigit():
            target = self.stage.descriptors.get(target, "")
        elif sign not in {">>", "&>>", "<>"}:
            self.write(target, "", append=False)
        self.stage.descriptors.pop(number, None)
        if target:
            self.stage.descriptors[number] = target

    def input_of(self, piece: Piece, scene: Scene, given: str) -> str:
        """Return the input of a command after applying one redirection to it; `given` is the input without the
        redirection."""
        inner = [each for each in piece.children if each.named and each.kind != "file_descriptor"]
        if not inner:
            return given
        if piece.kind == "herestring_redirect":
            return self.value(inner[-1], scene) + "\n"
        target = self.value(inner[-1], scene)
        self.stage.add(f": {piece.children[0].text} {target}", scene.folder)
        if any(each.text == "<&" for each in piece.children):
            return given if target == "0" else self.stage.held
        is_input = any(each.text == "<" for each in piece.children)
        return self.text_of(target, given) or self.stage.unknown or given if is_input else given

    def _document(self, piece: Piece, scene: Scene) -> str:
        body = next((each for each in piece.children if each.kind == "heredoc_body"), None)
        return self.substituted(body, scene) if body is not None else ""

    def to_target(self, piece: Piece, printed: str, scene: Scene) -> str:
        """Write the output of a command to the target of a redirection. Returns the part that is not redirected."""
        sign = _sign_of(piece)
        if sign not in _WRITING - {"<>"} or _descriptor_of(piece) != "1":
            return printed
        target = self._target_of(piece, scene)
        if sign == ">&" and (target.isdigit() or not target.strip("*")):
            return self._to_descriptor(target, printed, scene)
        if target:
            self.write(target, printed, append=sign.endswith(">>"))
        return "" if target else printed

    def _to_descriptor(self, number: str, printed: str, scene: Scene) -> str:
        """Write to an open descriptor, or else to the coprocess. Returns the text itself if it goes to neither."""
        if number in self.stage.descriptors:
            self.write(self.stage.descriptors[number], printed, append=True)
            return ""
        if number in {"1", "2"} or not self.stage.coprocess:
            return printed
        self.stage.sent = (self.stage.sent + printed)[:MAX_CHARS]
        self.stage.held = self.play(self.stage.coprocess, scene, self.stage.sent) or self.stage.sent
        return ""

    def _target_of(self, piece: Piece, scene: Scene) -> str:
        inner = [each for each in piece.children if each.named and each.kind != "file_descriptor"]
        return self.value(inner[-1], scene) if inner else ""

    def write(self, name: str, text: str, *, append: bool) -> None:
        """Write to a file, to an open descriptor, or to a command in `>(...)`."""
        if found := _DESCRIPTOR.fullmatch(name):
            name = self.stage.descriptors.get(found[1], name)
        reader = self.stage.readers.get(name)
        if reader is None:
            self.stage.write(name, text, append=append)
            return
        for each in reader.children:
            if each.named:
                self.run(each, Scene(self.stage, ""), text)


def _sign_of(piece: Piece) -> str:
    return next((each.text for each in piece.children if each.text[:1] in {">", "&"} or each.text == "<>"), "")


def _descriptor_of(piece: Piece) -> str:
    """Return the descriptor in front of an output redirection; "1" if there is none."""
    return next((each.text for each in piece.children if each.kind == "file_descriptor"), "1")
