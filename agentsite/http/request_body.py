"""The base class of request bodies, which refuses fields that an operation does not know."""

from ninja import Schema
from pydantic import ConfigDict


class RequestBody(Schema):
    """A request body, or an object in one.

    An unknown field is an error (422 `unknown_field`), so that a misspelled field is not ignored.
    """

    model_config = ConfigDict(extra="forbid")
