"""Simulate build programs whose files the shell text itself writes, to find the commands that they run."""

import re
from collections.abc import Iterable, Sequence
from functools import partial
from typing import Final

from tools_app.permission.names import names
from tools_app.permission.shell.commands import runs_project_code
from tools_app.permission.shell.record import may_be_code_file
from tools_app.permission.shell.rehearsal.build_files import BuildFile, Surroundings, shell_texts
from tools_app.permission.shell.rehearsal.cmake import CmakeFile
from tools_app.permission.shell.rehearsal.make_command import MakeCommand
from tools_app.permission.shell.rehearsal.makefiles import Makefile
from tools_app.permission.shell.rehearsal.packages import cargo_alias, scripts_of, with_settings
from tools_app.permission.shell.rehearsal.scene import MAX_CHARS, Scene
from tools_app.permission.shell.rehearsal.words import WordPlayer

_MAKEFILES: Final = ("GNUmakefile", "makefile", "Makefile", "justfile", "Justfile")
_CMAKE: Final = re.compile(r"CMakeLists\.txt|.*\.cmake(?:\.in)?", re.IGNORECASE)
_CONTAINERS: Final = names("docker podman docker-compose kubectl helm terraform")
_VALUE: Final = re.compile(r"(?:-D|--?)?([A-Za-z_]\w*)(?::[A-Z]+)?=(.*)", re.DOTALL)


class BuildPlayer(WordPlayer):
    """The part of the simulation that runs build programs."""

    def play(self, words: Sequence[str], scene: Scene, given: str) -> str:
        raise NotImplementedError

    def text_of(self, name: str, given: str) -> str:
        """Return the content of a file that the simulated shell text writes."""
        raise NotImplementedError

    def play_build_files(self, words: Sequence[str], scene: Scene) -> None:
        """Simulate the commands that a build program may run from build files which the script itself has written.

        It is not known which of these files the program reads, so all are simulated.
        """
        if not (runs_project_code(words[0]) or words[0].rpartition("/")[2] in _CONTAINERS):
            return
        values = {found[1]: found[2] for each in words[1:] if (found := _VALUE.fullmatch(each))}
        rest = words[words.index("--") + 1 :] if "--" in words else ()
        for name, text in tuple(self.stage.files.items()):
            key = (name, text, tuple(words))
            if key in self.stage.built or not may_be_code_file(name):
                continue
            self.stage.built.add(key)
            inside = scene.copy()
            around = Surroundings(inside, lambda it: self.play_text(it, scene, ""), values, rest)
            reader = CmakeFile if _CMAKE.fullmatch(name.rpartition("/")[2]) else BuildFile
            self._play_lines(reader(text, around).lines(), inside)

    def _play_lines(self, lines: Iterable[str], scene: Scene) -> None:
        for line in lines:
            self.stage.add(line, scene.folder)
            for each in shell_texts(line):
                self.play_text(each, scene, "")

    def play_npm(self, words: list[str], scene: Scene, _given: str) -> str:
        """Simulate the scripts of a `package.json` that the simulated shell text writes, or `npm pkg set`, which
        changes it."""
        package = self.text_of("package.json", "")
        if words[1:3] == ["pkg", "set"]:
            self.stage.files["package.json"] = with_settings(package, words[3:])
            return ""
        for text, values in scripts_of(package, words):
            self.stage.step()
            inside = scene.copy()
            for name, value in values.items():
                inside.set(name, value)
            self.play_text(text, inside, "")
        return ""

    def play_cargo(self, words: list[str], scene: Scene, given: str) -> str:
        """Simulate the command that an alias of cargo stands for."""
        settings = [text for name, text in self.stage.files.items() if ".cargo/config" in name]
        command = cargo_alias(words, scene.values, settings)
        self.play_build_files(words, scene)
        return self.play(command, scene, given) if command and command != words else self.stage.unknown

    def play_make(self, words: list[str], scene: Scene, given: str) -> str:
        """Simulate the recipes of a Makefile or a justfile that the text writes, recipes in options, and implicit
        rules."""
        command = MakeCommand(words, "".join(scene.get("MAKEFLAGS")))
        inside = f"{command.folder}/".lstrip("/")
        texts = [
            self.text_of(f"{inside}{each}" if each[:1] not in {"-", "/"} else each, given)
            for each in command.files or _MAKEFILES
        ]
        environment = {name: value for name, value in scene.values.items() if name != "SHELL"}
        scene = scene.copy(folder=f"{scene.folder}/{inside}".rstrip("/"))
        values = {
            **(environment if command.environment_wins else {}), **command.values,
            "PWD": scene.folder, "CURDIR": scene.folder, "MAKECMDGOALS": " ".join(command.goals),
        }  # fmt: skip
        text = "\n".join([*filter(None, texts), command.text])
        run = partial(self.play_text, scene=scene, given="")
        is_of_just = words[0].rpartition("/")[2] == "just"
        its = Makefile(text, values, run, self.stage.unknown, environment, is_of_just=is_of_just)
        lines = [*its.commands(), *command.implicit(environment)]
        return "".join(self.play_text(each, scene, "") for each in lines)[:MAX_CHARS]
