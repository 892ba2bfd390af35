"""The API's own document: what django-ninja derives from the routes, plus the one error shape that they all share.

And its JSON: times look as they do in events, so that a view is the same text wherever it comes from.
"""

from datetime import datetime
from typing import Any, Final

from ninja import NinjaAPI, Schema
from ninja.renderers import JSONRenderer
from ninja.responses import NinjaJSONEncoder

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


class ViewEncoder(NinjaJSONEncoder):
    """Microseconds are kept; ninja's own encoder cuts them."""

    def default(self, o: Any) -> Any:
        if isinstance(o, datetime):
            return o.isoformat().replace("+00:00", "Z")
        return super().default(o)


class ViewRenderer(JSONRenderer):
    encoder_class = ViewEncoder


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
