"""Write the table of environment variables into docs/configuration.md: `python -m agentsite.environment_page`."""

from typing import Final

from agentsite.base.environment import DEVELOPMENT_SECRET, REPOSITORY, VARIABLES, Variable

_BEGIN_MARK: Final = "<!-- table: begin -->"
_END_MARK: Final = "<!-- table: end -->"


def _row(variable: Variable) -> str:
    default = "(a development key)" if variable.default == DEVELOPMENT_SECRET else variable.default
    shown = f"`{default}`" if default and not default.startswith("(") else default
    readers = ", ".join(sorted(variable.readers)) or "every process"
    return f"| `{variable.name}` | {variable.kind} | {shown} | {readers} | {variable.meaning} |"


def render_table() -> str:
    head = "| variable | kind | default | read by | meaning |\n| --- | --- | --- | --- | --- |\n"
    return head + "\n".join(_row(variable) for variable in VARIABLES) + "\n"


def main() -> None:
    page = REPOSITORY / "docs" / "configuration.md"
    before, rest = page.read_text().split(_BEGIN_MARK)
    after = rest.split(_END_MARK)[1]
    page.write_text(f"{before}{_BEGIN_MARK}\n{render_table()}{_END_MARK}{after}")


if __name__ == "__main__":
    main()
