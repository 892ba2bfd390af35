"""The API's own document: what django-ninja derives from the routes, plus the one error shape that they all share."""

from typing import Any, Final

from ninja import NinjaAPI, Schema

REF: Final = "#/components/schemas/"


class FailureView(Schema):
    """`code` is stable; `hint` is the next step; `fields` names what is wrong in the request."""

    code: str
    message: str
    hint: str
    fields: dict[str, str]
    request_id: str


class ErrorBody(Schema):
    error: FailureView


class DocumentedAPI(NinjaAPI):
    """A NinjaAPI whose document says how requests fail."""

    def get_openapi_schema(self, **options: Any) -> Any:
        document = super().get_openapi_schema(**options)
        body = ErrorBody.model_json_schema(ref_template=f"{REF}{{model}}", mode="serialization")
        document["components"]["schemas"].update(body.pop("$defs"), ErrorBody=body)
        failure = {
            "description": "Any failure",
            "content": {"application/json": {"schema": {"$ref": f"{REF}ErrorBody"}}},
        }
        for operations in document["paths"].values():
            for operation in operations.values():
                operation["responses"]["default"] = failure
        return document
