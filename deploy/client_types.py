"""Generate agentsite/client/types.py from the committed OpenAPI document: `python -m deploy.client_types`."""

import json
from pathlib import Path
from typing import Any, Final

from datamodel_code_generator import InputFileType, LiteralType, PythonVersion, generate
from datamodel_code_generator.enums import DataModelType
from datamodel_code_generator.format import Formatter

from agentsite.base.environment import REPOSITORY

OPENAPI_FILE: Final = REPOSITORY / "tests" / "contract" / "openapi.json"
TYPES_FILE: Final = REPOSITORY / "agentsite" / "client" / "types.py"
DROPPED_KEYS: Final = frozenset(
    {"title", "example", "examples", "pattern", "minLength", "maxLength", "minItems", "maxItems", "multipleOf"}
    | {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"}
)
HEADER: Final = (
    '"""Request and response models of the API, generated from its committed OpenAPI document by `make openapi`."""'
)


def render_types(output: Path) -> None:
    """Write a Pydantic model for each schema of the OpenAPI document. The models ignore unknown fields, because the API
    may add fields at any time."""
    generate(
        json.dumps(_simplified(json.loads(OPENAPI_FILE.read_text(encoding="utf-8")))),
        input_filename=OPENAPI_FILE.name,
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


def _simplified(value: Any) -> Any:
    """Return the document without titles, which repeat names, and without bounds and `additionalProperties: false`,
    which the server checks."""
    if isinstance(value, list):
        return [_simplified(item) for item in value]
    if not isinstance(value, dict):
        return value
    return {key: _simplified(item) for key, item in value.items() if not _is_dropped(key, item)}


def _is_dropped(key: str, value: Any) -> bool:
    """Return whether `_simplified` drops this key of the document.

    A property may have the name of such a key; its value is then a schema and is kept.
    """
    return (key in DROPPED_KEYS and not isinstance(value, dict)) or (key == "additionalProperties" and value is False)


if __name__ == "__main__":
    render_types(TYPES_FILE)
