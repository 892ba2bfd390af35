"""ReadingPlayer: simulates the builtins that set variables from their input or their words: `read`, `mapfile`,
`getopts`."""

import re
from itertools import pairwise
from typing import Final

from tools_app.permission.shell.rehearsal.builds import BuildPlayer
from tools_app.permission.shell.rehearsal.formats import part_of_input
from tools_app.permission.shell.rehearsal.scene import Scene

_NAME: Final = re.compile(r"[A-Za-z_]\w*")
_VALUED: Final = re.compile(r"-[a-zA-Z]*([dnOsuCc])(.*)")


class ReadingPlayer(BuildPlayer):
    """The part of the simulation for builtins that set variables from their input or their words: `read`, `mapfile`,
    `getopts`."""

    def play_read(self, words: list[str], scene: Scene, given: str) -> str:
        """Set variables from a line of the input or of an open descriptor."""
        rest, variables, array, line = words[1:], [], "", given.split("\n", 1)[0]
        while rest:
            word = rest.pop(0)
            if found := re.fullmatch(r"-[a-zA-Z]*([pdnNtuia])(.*)", word):
                value = found[2] or (rest.pop(0) if rest else "")
                array = value if found[1] == "a" else array
                given = (self.stage.held or given) if found[1] == "u" else given
                line = part_of_input(found[1], value, given, given.split("\n", 1)[0] if found[1] == "u" else line)
            elif word[:1] != "-":
                variables.append(word)
        by = (scene.get("IFS") or [" \t\n"])[0]
        parts = line.split() if not by.strip() else re.split(f"[{re.escape(by)}]", line)
        if array:
            scene.set_array(array, [(str(number), each) for number, each in enumerate(parts)])
            return ""
        for number, name in enumerate(variables or ["REPLY"]):
            last = number == len(variables or ["REPLY"]) - 1
            scene.set(
                name,
                (by[0] if by.strip() else " ").join(parts[number:]) if last else "".join(parts[number : number + 1]),
            )
        return ""

    def play_mapfile(self, words: list[str], scene: Scene, given: str) -> str:
        """Set an array from the lines of the input. `-O` keeps the other elements, `-s` leaves lines out."""
        options = {"d": "\n", "O": "", "s": "0"}
        for word, following in pairwise([*words[1:], ""]):
            if found := _VALUED.fullmatch(word):
                options[found[1]] = found[2] or following
        given = (self.stage.held or given) if "u" in options else given
        name = words[-1] if len(words) > 1 and _NAME.fullmatch(words[-1]) else "MAPFILE"
        parts = [each.rstrip("\n") for each in given.split(options["d"][:1] or "\n")][_number(options["s"]) :]
        kept = list(scene.arrays.get(name, {}).items()) if options["O"] else []
        start = _number(options["O"])
        scene.set_array(name, [*kept, *((str(start + number), each) for number, each in enumerate(parts))])
        return ""

    def play_getopts(self, words: list[str], scene: Scene, _given: str) -> str:
        """Take the next option from the words or the parameters, as `getopts` does."""
        if len(words) < 3:
            return ""
        given = words[3:] or list(scene.parameters)
        at = max(_number("".join(scene.get("OPTIND"))), 1) - 1
        option = given[at] if at < len(given) else ""
        letter = option[1:2]
        takes_value = f"{letter}:" in words[1]
        scene.set(words[2], letter or "?")
        scene.set("OPTARG", option[2:] or "".join(given[at + 1 : at + 2]) if takes_value else "")
        scene.set("OPTIND", str(at + 2 + (takes_value and not option[2:])))
        return ""

    def play_unset(self, words: list[str], scene: Scene, _given: str) -> str:
        """Remove variables and elements of arrays."""
        for each in words[1:]:
            name, _, index = each.partition("[")
            if index:
                scene.arrays.get(name, {}).pop(index.rstrip("]").strip("'\""), None)
            elif each[:1] != "-":
                scene.values.pop(name, None)
                scene.arrays.pop(name, None)
        return ""


def _number(text: str) -> int:
    return int(text) if re.fullmatch(r"\d{1,4}", text) else 0
