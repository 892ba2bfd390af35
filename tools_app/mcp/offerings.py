"""The prompts and resources of an MCP server as the site keeps them. Pure.

Everything here comes from the server and is not trusted.
"""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Final

from tools_app.text import clean

MAX_PROMPTS: Final = 100
MAX_RESOURCES: Final = 300
MAX_ARGUMENTS: Final = 20
MAX_COMPLETIONS: Final = 100  # of one argument, as in the protocol
MAX_NAME_CHARACTERS: Final = 200
MAX_URI_CHARACTERS: Final = 1_000
MAX_TEXT_CHARACTERS: Final = 500


@dataclass(frozen=True, slots=True)
class PromptArgument:
    """An argument of a prompt. Its value is text."""

    name: str
    description: str = ""
    required: bool = False


@dataclass(frozen=True, slots=True)
class ServerPrompt:
    """A prompt of a server, which people use as a slash command."""

    name: str
    title: str = ""
    description: str = ""
    arguments: tuple[PromptArgument, ...] = ()


@dataclass(frozen=True, slots=True)
class ServerResource:
    """A resource of a server. If it is a template, `uri` has variables in braces."""

    uri: str
    name: str = ""
    description: str = ""
    media_type: str = ""
    template: bool = False


@dataclass(frozen=True, slots=True)
class Offerings:
    """The prompts and resources that a server offers. `completes`: it suggests values for the arguments of prompts."""

    prompts: tuple[ServerPrompt, ...] = ()
    resources: tuple[ServerResource, ...] = ()
    completes: bool = False

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> "Offerings":
        prompts = (
            ServerPrompt(**{**each, "arguments": tuple(PromptArgument(**one) for one in each["arguments"])})
            for each in data.get("prompts", ())
        )
        resources = (ServerResource(**each) for each in data.get("resources", ()))
        return cls(tuple(prompts), tuple(resources), data.get("completes") is True)


@dataclass(frozen=True, slots=True)
class Completions:
    """Values that a server suggests for an argument. `has_more`: the server knows more values."""

    values: tuple[str, ...] = ()
    has_more: bool = False


def read_completions(answer: Mapping[str, Any]) -> Completions:
    """Return the suggestions in an answer to `completion/complete`, without duplicates."""
    found = answer.get("completion")
    found = found if isinstance(found, Mapping) else {}
    values = found.get("values")
    lines = [each for each in values if isinstance(each, str)] if isinstance(values, list) else []
    fitting = dict.fromkeys(clean(each) for each in lines if 0 < len(each) <= MAX_TEXT_CHARACTERS)
    has_more = found.get("hasMore") is True or len(fitting) > MAX_COMPLETIONS
    return Completions(tuple(fitting)[:MAX_COMPLETIONS], has_more)


NOTHING: Final = Offerings()


@dataclass(slots=True)
class RawOfferings:
    """The prompts and resources that a server has listed, as JSON."""

    prompts: list[Any] = field(default_factory=list)
    resources: list[Any] = field(default_factory=list)
    templates: list[Any] = field(default_factory=list)
    completes: bool = False

    def read(self) -> Offerings:
        """Return the prompts and resources that can be used, without duplicate names and addresses."""
        prompts = _first_of_each((_prompt(each) for each in self.prompts), lambda prompt: prompt.name)
        found = [*(_resource(each, "uri") for each in self.resources)]
        found += [_resource(each, "uriTemplate") for each in self.templates]
        resources = _first_of_each(found, lambda resource: resource.uri)
        return Offerings(tuple(prompts[:MAX_PROMPTS]), tuple(resources[:MAX_RESOURCES]), self.completes)


def _first_of_each(items: Iterable[Any], key: Any) -> list[Any]:
    found: dict[str, Any] = {}
    for item in items:
        if item is not None:
            found.setdefault(key(item), item)
    return list(found.values())


def _prompt(item: Any) -> ServerPrompt | None:
    name = _name(item, "name")
    if not name:
        return None
    arguments = item.get("arguments")
    read = [_argument(each) for each in arguments] if isinstance(arguments, list) else []
    known = _first_of_each(read, lambda argument: argument.name)[:MAX_ARGUMENTS]
    return ServerPrompt(name, _line(item, "title"), _line(item, "description"), tuple(known))


def _argument(item: Any) -> PromptArgument | None:
    name = _name(item, "name")
    return PromptArgument(name, _line(item, "description"), item.get("required") is True) if name else None


def _resource(item: Any, where: str) -> ServerResource | None:
    uri = item.get(where) if isinstance(item, Mapping) else None
    if not isinstance(uri, str) or not uri or len(uri) > MAX_URI_CHARACTERS or len(uri.split()) != 1:
        return None
    name = _line(item, "title") or _line(item, "name")
    return ServerResource(clean(uri), name, _line(item, "description"), _line(item, "mimeType"), where != "uri")


def _name(item: Any, name: str) -> str:
    value = item.get(name) if isinstance(item, Mapping) else None
    return clean(value) if isinstance(value, str) and 0 < len(value) <= MAX_NAME_CHARACTERS else ""


def _line(item: Mapping[str, Any], name: str) -> str:
    value = item.get(name)
    return " ".join(clean(value).split())[:MAX_TEXT_CHARACTERS] if isinstance(value, str) else ""
