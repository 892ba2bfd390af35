"""Simulate build programs whose files the shell text itself writes, to find the commands that they run."""

import json
import re
from collections.abc import Iterable, Sequence
from contextlib import suppress
from itertools import zip_longest
from typing import Final

from tools_app.permission.names import names
from tools_app.permission.shell.commands import runs_project_code
from tools_app.permission.shell.record import may_be_code_file
from tools_app.permission.shell.rehearsal.build_files import BuildFile, Surroundings, shell_texts
from tools_app.permission.shell.rehearsal.cmake import CmakeFile
from tools_app.permission.shell.rehearsal.makefiles import Makefile
from tools_app.permission.shell.rehearsal.scene import MAX_CHARS, Scene
from tools_app.permission.shell.rehearsal.words import WordPlayer

_MAKEFILES: Final = ("GNUmakefile", "makefile", "Makefile", "justfile", "Justfile")
_CMAKE: Final = re.compile(r"CMakeLists\.txt|.*\.cmake(?:\.in)?", re.IGNORECASE)
_CONTAINERS: Final = names("docker podman docker-compose kubectl helm terraform")
_VALUE: Final = re.compile(r"(?:-D|--?)?([A-Za-z_]\w*)(?::[A-Z]+)?=(.*)", re.DOTALL)


class BuildPlayer(WordPlayer):
    """The part of the simulation that runs build programs."""

    def text_of(self, name: str, given: str) -> str:
        """Return the content of a file that the text writes."""
        raise NotImplementedError

    def play_build_files(self, words: Sequence[str], scene: Scene) -> None:
        """Simulate the commands that a build program runs from files that the text has written, whichever of them it
        reads."""
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

    def play_npm(self, _words: list[str], scene: Scene, _given: str) -> str:
        """Simulate the scripts of a `package.json` that the text writes."""
        with suppress(ValueError, AttributeError):
            package = json.loads(self.text_of("package.json", ""))
            inside = scene.copy()
            for name, value in package.get("config", {}).items():
                inside.set(f"npm_package_config_{name}", str(value))
            for each in package.get("scripts", {}).values():
                self.play_text(str(each), inside, "")
        return ""

    def play_make(self, words: list[str], scene: Scene, given: str) -> str:
        """Simulate the recipes of a Makefile or a justfile that the text writes, or that stand in options."""
        options = {
            "-C": "",
            "--directory": "",
            "-f": "",
            "--file": "",
            "--makefile": "",
            "-E": "",
            "--eval": "",
            "--justfile": "",
        }
        values: dict[str, str] = {}
        for word, following in zip_longest(words[1:], words[2:], fillvalue=""):
            name, equals, value = word.partition("=")
            if name in options:
                options[name] = value if equals else following
            elif word[:2] == "-f":
                options["-f"] = word[2:]
            elif equals and word[:1] != "-":
                values[name.rstrip(":?+")] = value
        named = [options[each] for each in ("-f", "--file", "--makefile", "--justfile") if options[each]]
        inside = f"{options['-C'] or options['--directory']}/".lstrip("/")
        texts = [
            self.text_of(f"{inside}{each}" if each[:1] not in {"-", "/"} else each, given)
            for each in named or _MAKEFILES
        ]
        scene = scene.copy(folder=f"{scene.folder}/{inside}".rstrip("/"))
        values |= {"PWD": scene.folder, "CURDIR": scene.folder}
        text = "\n".join([*filter(None, texts), options["-E"] or options["--eval"]])
        its = Makefile(text, values, lambda command: self.play_text(command, scene, ""), self.stage.unknown)
        return "".join(self.play_text(each, scene, "") for each in its.commands())[:MAX_CHARS]
