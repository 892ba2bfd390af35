"""The formatters that run after an edit where a sandbox or a project has them. A table."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from tools_app.languages.servers import extension_of

NODE_FOLDERS: Final = ("node_modules/.bin",)
PYTHON_FOLDERS: Final = (".venv/bin", "venv/bin")


@dataclass(frozen=True, slots=True)
class Sign:
    """A file above the edited one by which a project says that it uses a formatter, and a text that is in it."""

    name: str
    text: str = ""


@dataclass(frozen=True, slots=True)
class Formatter:
    """Reads the file on stdin and writes it to stdout; `{file}` in `argv` is its path.

    `signs`: any of them; none: whoever has it uses it. `own_folders`: where a project keeps its own copy.
    `may_run_code`: its settings may be programs, so that also the image's copy runs unasked only where they are not.
    """

    name: str
    argv: tuple[str, ...]
    extensions: frozenset[str]
    signs: tuple[Sign, ...] = ()
    own_folders: tuple[str, ...] = ()
    may_run_code: bool = False


_PYTHON: Final = frozenset({".py", ".pyi"})
_SCRIPTS: Final = frozenset({".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx"})
_STYLES: Final = frozenset({".css", ".scss", ".less"})
_PROSE: Final = frozenset({".html", ".vue", ".md", ".mdx", ".yaml", ".yml", ".graphql", ".gql", ".json5"})
_JSON: Final = frozenset({".json", ".jsonc"})
_C: Final = frozenset({".c", ".h", ".cc", ".cpp", ".cxx", ".hh", ".hpp", ".hxx"})

PRETTIER_DATA: Final = (".prettierrc", ".prettierrc.json", ".prettierrc.yaml", ".prettierrc.yml", ".prettierrc.toml")
PRETTIER_PROGRAMS: Final = tuple(
    f"{stem}.{kind}" for stem in (".prettierrc", "prettier.config") for kind in ("js", "cjs", "mjs", "ts", "cts", "mts")
)

FORMATTERS: Final = (
    Formatter(
        "ruff",
        ("ruff", "format", "--quiet", "--stdin-filename", "{file}", "-"),
        _PYTHON,
        (Sign("ruff.toml"), Sign(".ruff.toml"), Sign("pyproject.toml", "[tool.ruff")),
        PYTHON_FOLDERS,
    ),
    Formatter(
        "black",
        ("black", "--quiet", "--stdin-filename", "{file}", "-"),
        _PYTHON,
        (Sign("pyproject.toml", "[tool.black]"),),
        PYTHON_FOLDERS,
    ),
    Formatter(
        "biome",
        ("biome", "format", "--stdin-file-path={file}"),
        _SCRIPTS | _JSON | frozenset({".css", ".graphql"}),
        (Sign("biome.json"), Sign("biome.jsonc")),
        NODE_FOLDERS,
    ),
    Formatter(
        "prettier",
        ("prettier", "--log-level=silent", "--stdin-filepath", "{file}"),
        _SCRIPTS | _STYLES | _PROSE | _JSON,
        (
            *map(Sign, (*PRETTIER_DATA, *PRETTIER_PROGRAMS, ".prettierrc.json5")),
            Sign("package.json", "prettier"),
            Sign("package.yaml", "prettier"),
        ),
        NODE_FOLDERS,
        may_run_code=True,
    ),
    Formatter("gofmt", ("gofmt",), frozenset({".go"})),
    Formatter("rustfmt", ("rustfmt", "--edition", "2021", "--emit", "stdout"), frozenset({".rs"}), may_run_code=True),
    Formatter("shfmt", ("shfmt", "-filename", "{file}", "-"), frozenset({".sh", ".bash"})),
    Formatter(
        "clang-format",
        ("clang-format", "--assume-filename={file}"),
        _C,
        (Sign(".clang-format"), Sign("_clang-format")),
    ),
    Formatter("zig", ("zig", "fmt", "--stdin"), frozenset({".zig", ".zon"})),
    Formatter("terraform", ("terraform", "fmt", "-"), frozenset({".tf", ".tfvars"})),
    Formatter("nixfmt", ("nixfmt",), frozenset({".nix"})),
    Formatter(
        "ocamlformat", ("ocamlformat", "--name={file}", "-"), frozenset({".ml", ".mli"}), (Sign(".ocamlformat"),)
    ),
    Formatter("mix", ("mix", "format", "-"), frozenset({".ex", ".exs"}), may_run_code=True),
    Formatter("dart", ("dart", "format"), frozenset({".dart"})),
    Formatter("gleam", ("gleam", "format", "--stdin"), frozenset({".gleam"})),
)


def formatters_for(path: str) -> Iterable[Formatter]:
    """Those that know files of this name; the first that the project uses runs."""
    extension = extension_of(path)
    return (formatter for formatter in FORMATTERS if extension in formatter.extensions)
