"""The table of formatters that run after an edit, if the sandbox or the project has them."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from tools_app.languages.servers import extension_of

NODE_FOLDERS: Final = ("node_modules/.bin",)
PYTHON_FOLDERS: Final = (".venv/bin", "venv/bin")


@dataclass(frozen=True, slots=True)
class ProjectMarker:
    """A configuration file which shows that a project uses a formatter."""

    name: str
    """The name of a file in the folder of the edited file or in one above it."""
    text: str = ""
    """A text that the file must contain; empty if its existence is enough."""


@dataclass(frozen=True, slots=True)
class Formatter:
    """A formatter that reads a file on stdin and writes the result to stdout."""

    name: str
    argv: tuple[str, ...]
    """The command; `{file}` stands for the path of the file."""
    extensions: frozenset[str]
    markers: tuple[ProjectMarker, ...] = ()
    """The formatter is used if any of these is found. Empty: it is used wherever it is installed."""
    own_folders: tuple[str, ...] = ()
    """Folders in which a project has its own copy of the program."""
    may_run_code: bool = False
    """True if its configuration can contain code. Then even the image's copy needs consent, unless the configuration is
    known to be plain data."""


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
        (ProjectMarker("ruff.toml"), ProjectMarker(".ruff.toml"), ProjectMarker("pyproject.toml", "[tool.ruff")),
        PYTHON_FOLDERS,
    ),
    Formatter(
        "black",
        ("black", "--quiet", "--stdin-filename", "{file}", "-"),
        _PYTHON,
        (ProjectMarker("pyproject.toml", "[tool.black]"),),
        PYTHON_FOLDERS,
    ),
    Formatter(
        "biome",
        ("biome", "format", "--stdin-file-path={file}"),
        _SCRIPTS | _JSON | frozenset({".css", ".graphql"}),
        (ProjectMarker("biome.json"), ProjectMarker("biome.jsonc")),
        NODE_FOLDERS,
    ),
    Formatter(
        "prettier",
        ("prettier", "--log-level=silent", "--stdin-filepath", "{file}"),
        _SCRIPTS | _STYLES | _PROSE | _JSON,
        (
            *map(ProjectMarker, (*PRETTIER_DATA, *PRETTIER_PROGRAMS, ".prettierrc.json5")),
            ProjectMarker("package.json", "prettier"),
            ProjectMarker("package.yaml", "prettier"),
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
        (ProjectMarker(".clang-format"), ProjectMarker("_clang-format")),
    ),
    Formatter("zig", ("zig", "fmt", "--stdin"), frozenset({".zig", ".zon"})),
    Formatter("terraform", ("terraform", "fmt", "-"), frozenset({".tf", ".tfvars"})),
    Formatter("nixfmt", ("nixfmt",), frozenset({".nix"})),
    Formatter(
        "ocamlformat",
        ("ocamlformat", "--name={file}", "-"),
        frozenset({".ml", ".mli"}),
        (ProjectMarker(".ocamlformat"),),
    ),
    Formatter("mix", ("mix", "format", "-"), frozenset({".ex", ".exs"}), may_run_code=True),
    Formatter("dart", ("dart", "format"), frozenset({".dart"})),
    Formatter("gleam", ("gleam", "format", "--stdin"), frozenset({".gleam"})),
)


def formatters_for(path: str) -> Iterable[Formatter]:
    """Return the formatters for files with this extension, in order of preference."""
    extension = extension_of(path)
    return (formatter for formatter in FORMATTERS if extension in formatter.extensions)
