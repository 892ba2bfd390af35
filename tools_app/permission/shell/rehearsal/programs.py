"""CommandPlayer: simulates builtins, shells and wrappers, and the output of commands."""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from tools_app.permission.names import names
from tools_app.permission.shell.constants import folded
from tools_app.permission.shell.env_texts import MAX_SPLITS, SPLITS, split_as_env
from tools_app.permission.shell.escapes import unescaped
from tools_app.permission.shell.rehearsal.editing import EditingPlayer
from tools_app.permission.shell.rehearsal.filters import filtered, operands_of, pasted_files
from tools_app.permission.shell.rehearsal.formats import echoed, formatted
from tools_app.permission.shell.rehearsal.guess import Guess
from tools_app.permission.shell.rehearsal.scene import MAX_CHARS, MAX_DEPTH, MAX_ROUNDS, Scene, plain_name
from tools_app.permission.shell.rehearsal.templates import jobs
from tools_app.permission.shell.rehearsal.variable_options import options_of

_SHELLS: Final = names("bash sh dash ash zsh ksh mksh rbash")
_DECODING: Final = names("sh dash zsh ksh mksh")
"""Shells whose `echo` decodes escapes without `-e`."""
_DECODES: Final = "xpg_echo"
_WRAPPERS: Final = names(
    "env command builtin exec nohup nice timeout time stdbuf setsid ionice sudo doas chrt taskset busybox toybox"
    " unshare setarch choom prlimit chronic unbuffer catchsegv fakeroot"
)
_BEFORE_COMMAND: Final = re.compile(r"-.*|[A-Za-z_]\w*=.*|\d[\d.]*[smhd]?|0x[0-9a-f]+")
_NAMES: Final = names("which type readlink realpath yes")
_LOOKS_UP: Final = re.compile("-p?[vV]")
_COPIERS: Final = names("cp ln mv install")
_MAKERS: Final = names("touch mkdir")
_ASSIGNED: Final = re.compile(r"([A-Za-z_]\w*(?:\[[^\]=]*\])?)(\+?)=(.*)", re.DOTALL)
_OF_DATE: Final = re.compile(r"%(?:[-+ \w<>|]{0,10}\([^()]*\)|[-_0^#+ ']{0,5}\d*(?:\.\d*)?:{0,3}[EOABCT]?[\w@+])")
"""A directive of `date`, `stat`, `find` or `git`."""
_INTERPRETER: Final = re.compile(r"(?:python|perl|ruby|node|nodejs|php|lua|deno|bun)[\d.]*")
_GIVES_CODE: Final = re.compile(r"-[a-zA-Z]*[cepErn]")
_EDITS_INPUT: Final = re.compile(r"-[a-zA-Z]*[pn][a-zA-Z]*")
"""Options with which `perl` and `ruby` run their code for each line of the input."""
_VARIABLE: Final = re.compile(r"\$(?:\{([A-Za-z_]\w*)\}|([A-Za-z_]\w*))")
_LITERAL: Final = re.compile(r"'([^'\n]*)'|\"([^\"\n]*)\"|\bq[qw]?\W([^)\]}/\n]*)[)\]}/]")
_GLOB: Final = re.compile(r"[*?\[]")
_MAX_WORDS: Final = 50


class CommandPlayer(EditingPlayer):
    """The part of the simulation that runs commands whose words are expanded."""

    def play(self, words: Sequence[str], scene: Scene, given: str) -> str:
        """Record a command, simulate it, and return its output."""
        self.stage.step()
        if not words or self.stage.depth >= MAX_DEPTH:
            return ""
        self.stage.add(" ".join(words), scene.folder)
        self._add_arguments_of_files(words, scene)
        self._add_options_of_variables(words, scene)
        base = words[0].rpartition("/")[2]
        for name, program in self._tables_of_programs(scene):
            self._name(name, program)
        if base in self.stage.programs and (instead := self.stage.programs[base]) != base:
            return self.play([*instead.split(), *words[1:]], scene, given)
        self.stage.depth += 1
        try:
            return self._play(base, list(words)[:_MAX_WORDS], scene, given)
        finally:
            self.stage.depth -= 1

    def _play(self, base: str, words: list[str], scene: Scene, given: str) -> str:
        if base in scene.functions:
            return self.call(base, words, scene, given)
        builtin: Callable[[list[str], Scene, str], str] | None = self._builtins().get(base)
        if builtin:
            return builtin(words, scene, given)
        if base in _SHELLS:
            return self._shell(words, scene, given)
        looks_up = base == "command" and words[1:] and _LOOKS_UP.fullmatch(words[1])
        if base in _WRAPPERS and not looks_up:
            return self._wrapper(words, scene, given)
        if base in _NAMES or looks_up:
            printed = f"{words[-1]}\n"
            is_relative = any(each.startswith("--relative") for each in words)
            return self.or_any_text(Guess(printed), words, given) if is_relative else printed
        if base in _MAKERS:
            for each in words[1:]:
                self.stage.make(each)
            return ""
        if base in _COPIERS:
            self._copy(words)
        self.play_build_files(words, scene)
        self.edit(words, scene, given)
        self.play_macros(words, scene, given)
        if _INTERPRETER.fullmatch(base) and len(words) > 2 and _GIVES_CODE.fullmatch(words[1]):
            return self._printed_by_code(words, given)
        return self._printed(words, given)

    def _printed_by_code(self, words: Sequence[str], given: str) -> str:
        """Return the possible output of code: its literals, joined and calculated, or its input with replacements."""
        changed = self.replaced(words, given)
        edits = _EDITS_INPUT.fullmatch(words[1]) is not None
        if edits and "n" in words[1]:
            changed = Guess(changed)
        if edits and (certain := self.or_any_text(changed, words, given)) != changed:
            return certain
        if changed and changed.strip() != given.strip():
            return changed
        code = words[2]
        literals = ["".join(filter(None, each.groups())) for each in _LITERAL.finditer((code, *folded(code))[-1])]
        return "".join(literals) or self.stage.unknown

    def _add_arguments_of_files(self, words: Sequence[str], scene: Scene) -> None:
        """Record a command with an argument `@file`, for a file that the script itself has written, with the file's
        words in place of the argument."""
        files = {each: self.stage.files.get(plain_name(each[1:])) for each in words if each[:1] == "@"}
        if any(each is not None for each in files.values()):
            self.stage.add(" ".join(" ".join((files.get(each) or each).split()) for each in words), scene.folder)

    def _add_options_of_variables(self, words: Sequence[str], scene: Scene) -> None:
        """Record a command with the options that its program takes from a variable."""
        at = 2 if words[1:2] == ["-m"] and words[2:] else 0
        base = words[at].rpartition("/")[2]
        for options in options_of(base, scene.values):
            self.stage.add(" ".join((*words[: at + 1], options, *words[at + 1 :])), scene.folder)

    def _builtins(self) -> dict[str, Callable[[list[str], Scene, str], str]]:
        return {
            "echo": self._echo, "printf": self._printf, "read": self.play_read, "mapfile": self.play_mapfile,
            "readarray": self.play_mapfile, "set": self._set, "shift": self._shift, "eval": self._eval,
            "source": self._source, ".": self._source, "trap": self._trap, "cd": self._cd, "pushd": self._cd,
            "export": self._declare, "declare": self._declare, "local": self._declare, "typeset": self._declare,
            "readonly": self._declare, "alias": self._alias, "hash": self._hash, "coproc": self._coproc,
            "xargs": self._xargs, "ls": self._ls, "let": self._let, "pwd": self._pwd, "bc": self._bc,
            "getopts": self.play_getopts, "unset": self.play_unset, "cargo": self.play_cargo,
            "parallel": self._parallel, "shopt": self._shopt,
            "envsubst": self._envsubst,
            **self.editors(),
            **dict.fromkeys(("make", "gmake", "just"), self.play_make),
            **dict.fromkeys(("env_parallel", "parset", "sem", "rush", "rust-parallel"), self._parallel),
            **dict.fromkeys(("npm", "pnpm", "yarn", "bun"), self.play_npm),
        }  # fmt: skip

    # Texts

    def _echo(self, words: list[str], scene: Scene, _given: str) -> str:
        rest = words[1:]
        escapes = scene.decodes
        while rest and re.fullmatch(r"-[neE]+", rest[0]):
            option = rest.pop(0)
            escapes = escapes or "e" in option
        text = " ".join(rest)
        text, ended = echoed(text) if escapes else (text, False)
        return text if ended else f"{text}\n"

    def _shopt(self, words: list[str], scene: Scene, _given: str) -> str:
        if _DECODES in words[1:]:
            scene.decodes = "-u" not in words[1:]
        return ""

    def _envsubst(self, _words: list[str], scene: Scene, given: str) -> str:
        return _VARIABLE.sub(lambda found: "".join(scene.get(found[1] or found[2])), given)

    def _printf(self, words: list[str], scene: Scene, _given: str) -> str:
        rest = words[1:]
        variable = rest[1] if rest[:1] == ["-v"] and rest[1:] else ""
        rest = rest[2:] if variable else rest[1:] if rest[:1] == ["--"] else rest
        text = formatted(rest, self.stage.any_text)
        if variable:
            name, _, index = variable.partition("[")
            scene.set(variable, text) if not index else scene.set_element(name, index.rstrip("]"), text)
        return "" if variable else text

    def _printed(self, words: list[str], given: str) -> str:
        files = [
            self.stage.files[name] for each in operands_of(words) if (name := plain_name(each)) in self.stage.files
        ]
        if words[0] == "paste" and len(files) > 1 and (pasted := pasted_files(words[1:], files)) is not None:
            return pasted
        text = "".join(files) if files else given
        printed = filtered(words, text)
        if printed is not None and (certain := self.or_any_text(printed, words, text)) != printed:
            return certain
        if self.stage.unknown and words[0] in {"date", "git", "stat", "find"}:
            printed = _OF_DATE.sub(self.stage.unknown, printed or "")
        if printed is None or (self.stage.unknown and not printed.strip()):
            printed = self.stage.unknown
        return printed

    def _ls(self, words: list[str], _scene: Scene, _given: str) -> str:
        wanted = [each for each in words[1:] if each[:1] != "-"]
        itself = any(re.fullmatch(r"-\w*d\w*|--directory", each) for each in words[1:])
        named = [each for each in wanted if itself or _GLOB.search(each)]
        made = [each for each in self.stage.made if not wanted or each in wanted]
        return "".join(f"{each}\n" for each in dict.fromkeys((*named, *made)))

    # Variables

    def _set(self, words: list[str], scene: Scene, _given: str) -> str:
        rest = words[1:]
        while rest and rest[0][:1] in {"-", "+"} and rest[0] != "--":
            rest.pop(0)
        scene.parameters = rest[1:] if rest[:1] == ["--"] else rest or scene.parameters
        return ""

    def _shift(self, words: list[str], scene: Scene, _given: str) -> str:
        count = int(words[1]) if len(words) > 1 and re.fullmatch(r"\d{1,4}", words[1]) else 1
        scene.parameters = scene.parameters[count:]
        return ""

    def _declare(self, words: list[str], scene: Scene, _given: str) -> str:
        is_reference = any(re.fullmatch(r"-\w*n\w*", each) for each in words[1:]) and words[0] != "export"
        for each in words[1:]:
            if found := _ASSIGNED.fullmatch(each):
                if is_reference:
                    scene.references[found[1]] = found[3]
                else:
                    scene.set(found[1], "".join(scene.get(found[1])) + found[3] if found[2] else found[3])
        return ""

    def _pwd(self, _words: list[str], scene: Scene, _given: str) -> str:
        return f"{scene.folder}\n"

    def _bc(self, _words: list[str], scene: Scene, given: str) -> str:
        return "".join(self.calculate(each, scene) + "\n" for each in given.splitlines()[:MAX_ROUNDS])

    def _let(self, words: list[str], scene: Scene, _given: str) -> str:
        for each in words[1:]:
            self.calculate(each, scene)
        return ""

    def _cd(self, words: list[str], scene: Scene, _given: str) -> str:
        target = next((each for each in words[1:] if each[:1] != "-" or each == "-"), "")
        if target in {"", "-"}:
            target = "".join(scene.get("OLDPWD" if target else "HOME"))
        elif target[:1] not in {"/", "."}:
            target = "/".join(filter(None, ("".join(scene.get("CDPATH")).partition(":")[0], target)))
        if target:
            scene.values["OLDPWD"] = scene.folder
            scene.folder = target if target.startswith("/") else f"{scene.folder}/{target}"[:1000]
        return ""

    # Names of programs

    def _alias(self, words: list[str], _scene: Scene, _given: str) -> str:
        for each in words[1:]:
            name, equals, value = each.partition("=")
            if equals:
                self._name(name, value)
        return ""

    def _hash(self, words: list[str], _scene: Scene, _given: str) -> str:
        if words[1:2] == ["-p"] and len(words) > 3:
            self._name(words[3], words[2].rpartition("/")[2])
        return ""

    def _tables_of_programs(self, scene: Scene) -> Iterator[tuple[str, str]]:
        """Yield the other names of programs in the arrays in which the shell keeps what `hash` and `alias` say."""
        yield from scene.arrays.get("BASH_ALIASES", {}).items()
        yield from ((name, path.rpartition("/")[2]) for name, path in scene.arrays.get("BASH_CMDS", {}).items())

    def _copy(self, words: list[str]) -> None:
        operands = operands_of(words)
        for source in operands[:-1]:
            target = operands[-1]
            for name in (target, f"{target}/{source.rpartition('/')[2]}"):
                self._name(name.rpartition("/")[2], source.rpartition("/")[2])
                if plain_name(source) in self.stage.files:
                    self.stage.write(name, self.stage.files[plain_name(source)], append=False)

    def _name(self, name: str, program: str) -> None:
        """Record `name` as another name of a program, unless `program` itself is already such another name."""
        first = next(iter(program.split()), "")
        if (
            first
            and first != name
            and self.stage.programs.get(first) is None
            and len(self.stage.programs) < MAX_ROUNDS * 4
        ):
            self.stage.programs[name] = program

    # Commands that run others

    def _coproc(self, words: list[str], scene: Scene, given: str) -> str:
        """Start a coprocess. Its output can be read later, and later writes to its descriptor become its input."""
        at = next((number for number in (1, 2) if words[number : number + 1] in (["{"], ["("])), 0)
        scene.set_array(words[1] if at == 2 else "COPROC", [("0", "63"), ("1", "60")])
        self.stage.coprocess, self.stage.sent = words[at + 1 :], ""
        self.stage.held = self.play(self.stage.coprocess, scene, given)
        return ""

    def call(self, name: str, words: list[str], scene: Scene, given: str) -> str:
        """Simulate a call of a function, and return its output."""
        body = scene.functions[name]
        inside = scene.copy(parameters=words[1:])
        inside.set("FUNCNAME", name)
        printed = self.run(body, inside, given)
        scene.values.update(inside.values)
        scene.arrays.update(inside.arrays)
        return printed

    def _eval(self, words: list[str], scene: Scene, given: str) -> str:
        return self.play_text(" ".join(words[1:]), scene, given)

    def _trap(self, words: list[str], scene: Scene, given: str) -> str:
        text = next((each for each in words[1:] if each[:1] != "-"), "")
        scene.functions.pop("trap", None)
        self.traps.append((text, scene))
        return self.play_text(text, scene, given)

    @property
    def traps(self) -> list[tuple[str, Scene]]:
        """The shell texts that `trap` commands register to run later, each with the shell state (scene) for its
        variables."""
        raise NotImplementedError

    def _source(self, words: list[str], scene: Scene, given: str) -> str:
        text = self.text_of("".join(words[1:2]), given)
        if words[2:]:
            scene.parameters = words[2:]
        return self.play_text(text, scene, given)

    def text_of(self, name: str, given: str) -> str:
        if name in {"-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"}:
            return given
        return self.stage.files.get(plain_name(name), self.stage.held if name.startswith("/dev/fd/") else "")

    def _shell(self, words: list[str], scene: Scene, given: str) -> str:
        rest, runs_text, reads_input = words[1:], False, False
        while rest and rest[0][:1] in {"-", "+"} and len(rest[0]) > 1:
            option = rest.pop(0)
            runs_text = runs_text or bool(re.fullmatch(r"-[a-zA-Z]*c[a-zA-Z]*", option))
            reads_input = reads_input or bool(re.fullmatch(r"-[a-zA-Z]*s[a-zA-Z]*", option))
            if option in {"-o", "-O", "+o", "+O", "--rcfile", "--init-file"} and rest:
                rest.pop(0)
        options = " ".join((*words[: len(words) - len(rest)], *scene.get("BASHOPTS")))
        decodes = words[0].rpartition("/")[2] in _DECODING or _DECODES in options
        if runs_text and rest:
            inside = scene.copy(parameters=rest[2:], name="".join(rest[1:2]) or words[0], decodes=decodes)
            return self.play_text(rest[0], inside, given)
        if not rest or reads_input:
            return self.play_text(given, scene.copy(parameters=rest, decodes=decodes), "")
        inside = scene.copy(parameters=rest[1:], name=rest[0], decodes=decodes)
        return self.play_text(self.text_of(rest[0], given), inside, given)

    def _wrapper(self, words: list[str], scene: Scene, given: str) -> str:
        rest, inside = words[1:], scene.copy()
        splits = MAX_SPLITS if words[0].rpartition("/")[2] == "env" else 0
        while rest and _BEFORE_COMMAND.fullmatch(rest[0]):
            word = rest.pop(0)
            if found := _ASSIGNED.fullmatch(word):
                inside.set(found[1], found[3])
            elif splits and (found := SPLITS.fullmatch(word)):
                splits -= 1
                joined = found["joined"] or found["value"]
                text, rest = (joined, rest) if joined else ("".join(rest[:1]), rest[1:])
                rest = [*split_as_env(text[:MAX_CHARS], lambda name: " ".join(inside.get(name))), *rest]
        if rest and len(words) - len(rest) < _MAX_WORDS:
            return self.play(rest, inside if words[0] == "env" else scene, given)
        return ""

    def _xargs(self, words: list[str], scene: Scene, given: str) -> str:
        rest, mark, count, by = words[1:], "", 0, ""
        while rest and rest[0][:1] == "-":
            option = rest.pop(0)
            joined = option[2:] if len(option) > 2 and option[1] != "-" else option.partition("=")[2]
            if option[:2] in {"-n", "-L", "-P", "-s", "-d", "-E", "-I", "-a"} and not joined and rest:
                joined = rest.pop(0)
            given = self.text_of(joined, given) if option[:2] == "-a" else given
            mark = (joined or "{}") if option[:2] in {"-I", "-i"} or option.startswith("--replace") else mark
            count = 1 if option[:2] in {"-n", "-L", "-l"} else count
            by = "\0" if option == "-0" else unescaped(joined) if option[:2] == "-d" else by
        lines = given.split(by) if by else given.splitlines() if mark else given.replace("\0", " ").split()
        items = [each if by else re.sub(r"['\"\\]", "", each).strip() for each in lines if each.strip()]
        printed = ""
        for number in range(0, len(items), 1) if mark else (range(0, len(items), count) if count else [0]):
            if number >= MAX_ROUNDS:
                break
            if mark:
                command = [each.replace(mark, items[number]) for each in rest]
            else:
                command = [*(rest or ["echo"]), *(items[number : number + count] if count else items)]
            printed += self.play(command, scene, "")
        return printed

    def _parallel(self, words: list[str], scene: Scene, given: str) -> str:
        words = words[1:] if words[0] == "parset" else words
        texts = jobs(words, given, lambda name: self.text_of(name, given), self.stage.unknown)
        return "".join(self.play_text(each, scene, "") for each in texts)[:MAX_CHARS]
