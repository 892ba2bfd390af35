"""Writes agentsite/client/types.py from the committed OpenAPI document: `python -m deploy.client_types`."""

import json
from pathlib import Path
from typing import Any, Final

from datamodel_code_generator import InputFileType, LiteralType, PythonVersion, generate
from datamodel_code_generator.enums import DataModelType
from datamodel_code_generator.format import Formatter

from agentsite.environment import REPOSITORY

DOCUMENT: Final = REPOSITORY / "tests" / "contract" / "openapi.json"
TYPES: Final = REPOSITORY / "agentsite" / "client" / "types.py"
NOISE: Final = frozenset(
    {"title", "example", "examples", "pattern", "minLength", "maxLength", "minItems", "maxItems", "multipleOf"}
    | {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"}
)
HEADER: Final = '"""What the API takes and answers, by its committed document. `make openapi` writes this."""'


def render_types(output: Path) -> None:
    """A model for each schema. Answers may have more fields than a client knows: the API only ever adds."""
    generate(
        json.dumps(_without_noise(json.loads(DOCUMENT.read_text(encoding="utf-8")))),
        input_filename=DOCUMENT.name,
        input_file_type=InputFileType.OpenAPI,
        output=output,
        settings_path=REPOSITORY / "pyproject.toml",
        output_model_type=DataModelType.PydanticV2BaseModel,
        target_python_version=PythonVersion.PY_311,
        custom_file_header=HEADER,
        enum_field_as_literal=LiteralType.All,
        use_standard_collections=True,
        use_union_operator=True,
        use_annotated=True,
        use_schema_description=True,
        use_double_quotes=True,
        disable_timestamp=True,
        collapse_root_models=True,
        formatters=[Formatter.RUFF_CHECK, Formatter.RUFF_FORMAT],
    )


def _without_noise(value: Any) -> Any:
    """Without titles, which only repeat names, without bounds, which the site checks and explains, and without the word
    that there will never be another field."""
    if isinstance(value, list):
        return [_without_noise(item) for item in value]
    if not isinstance(value, dict):
        return value
    return {key: _without_noise(item) for key, item in value.items() if not _is_noise(key, item)}


def _is_noise(key: str, value: Any) -> bool:
    """A property may be called like a keyword; then it is a schema."""
    return (key in NOISE and not isinstance(value, dict)) or (key == "additionalProperties" and value is False)


if __name__ == "__main__":
    render_types(TYPES)
