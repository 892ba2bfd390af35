"""Forms in which MCP servers ask people something (elicitation): convert a form to questions, and answers to values.

Pure. A form comes from a server, which is not trusted: a form that is too large or not understood is refused, and all
texts are cleaned and shortened.
"""

import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from datetime import date, datetime
from typing import Any, Final, Literal
from urllib.parse import urlsplit

from tools_app.text import clean

MAX_FIELDS: Final = 10
MAX_OPTIONS: Final = 50
MAX_TEXT_CHARACTERS: Final = 2_000  # of a message or a description
MAX_LABEL_CHARACTERS: Final = 200
MAX_HEADER_CHARACTERS: Final = 60
MAX_URL_CHARACTERS: Final = 2_000
MAX_ANSWER_CHARACTERS: Final = 10_000
PEOPLE_SECONDS: Final = 600.0
"""The longest that one call waits for people in all."""
YES, NO, OPENED = "Yes", "No", "I opened it"
_EMAIL: Final = re.compile(r"[^@\s]+@[^@\s]+")

Kind = Literal["text", "email", "uri", "date", "date-time", "number", "integer", "boolean", "choice", "confirm"]
_FORMATS: Final[tuple[Kind, ...]] = ("email", "uri", "date", "date-time")
Value = str | int | float | bool | list[str]


class BadForm(Exception):
    """The form cannot be shown. The message is a predicate: "asks for more than 10 things"."""


class BadAnswer(Exception):
    """An answer does not fit its field. The message is a sentence for the person."""


@dataclass(frozen=True, slots=True)
class FormField:
    """One field of a form. `labels` and `values` are the options of a choice, in the same order. `default` is the
    server's suggestion, None if there is none. A field of the kind `confirm` has no value."""

    name: str
    kind: Kind
    title: str
    description: str = ""
    required: bool = False
    multiple: bool = False
    labels: tuple[str, ...] = ()
    values: tuple[str, ...] = ()
    default: Value | None = None
    least: float | None = None
    most: float | None = None
    """Bounds of a number, of the length of a text, or of the number of chosen options."""

    def as_question(self) -> dict[str, Any]:
        """Return this field of the form as a question to show to people, with the default filled in."""
        return {
            "question": self.description or self.title,
            "header": self.title[:MAX_HEADER_CHARACTERS],
            "options": [{"label": label, "description": ""} for label in self._shown_labels()],
            "multiple": self.multiple,
            "kind": self.kind,
            "required": self.required,
            "prefilled": self._prefilled(),
        }

    def _shown_labels(self) -> tuple[str, ...]:
        return (YES, NO) if self.kind == "boolean" else self.labels

    def _prefilled(self) -> list[str]:
        match self.default:
            case None:
                return []
            case bool():
                return [YES if self.default else NO]
            case list():
                return [self.labels[self.values.index(each)] for each in self.default]
            case str() if self.kind == "choice":
                return [self.labels[self.values.index(self.default)]]
        return [str(self.default)]


@dataclass(frozen=True, slots=True)
class Form:
    """A form in which a server asks people something. If it has a `url`, the server wants them to open that page, and
    there are no fields."""

    message: str
    fields: tuple[FormField, ...] = ()
    url: str = ""

    def questions(self) -> list[dict[str, Any]]:
        return [each.as_question() for each in self.fields]

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> "Form":
        fields = [{**each, **{name: tuple(each[name]) for name in ("labels", "values")}} for each in data["fields"]]
        return cls(data["message"], tuple(FormField(**each) for each in fields), data.get("url", ""))


@dataclass(frozen=True, slots=True)
class FormReply:
    """The reply of people to a form: they sent it with values, refused it, or did not answer."""

    action: Literal["accept", "decline", "cancel"]
    content: Mapping[str, Value] = field(default_factory=dict)


CANCELLED: Final = FormReply("cancel")
DECLINED: Final = FormReply("decline")
Ask = Callable[[Form], Awaitable[FormReply]]


async def ask_nobody(form: Form) -> FormReply:  # noqa: ARG001 - where nobody can be asked
    """Return the reply which says that nobody has answered the form."""
    return CANCELLED


def read_form(message: str, schema: Mapping[str, Any]) -> Form:
    """Return the form for a flat object schema. If it has no properties, people only confirm the message. Raises
    BadForm."""
    properties = schema.get("properties")
    if not isinstance(properties, Mapping):
        raise BadForm("asks with a form that has no properties")
    if len(properties) > MAX_FIELDS:
        raise BadForm(f"asks for more than {MAX_FIELDS} things at once")
    required = schema.get("required")
    needed = set(required) if isinstance(required, list) else set()
    fields = tuple(_field(str(name), each, required=name in needed) for name, each in properties.items())
    text = _text(message)
    return Form(text, fields or (_confirmation(text, YES),))


def read_link(message: str, url: str) -> Form:
    """Return a form that asks people to open a page. Raises BadForm unless `url` is a printable ASCII address with
    https, of at most MAX_URL_CHARACTERS."""
    if urlsplit(url).scheme != "https" or len(url) > MAX_URL_CHARACTERS or not (url.isascii() and url.isprintable()):
        raise BadForm("asks people to open an address that is not one with https")
    text = _text(message)
    return Form(text, (_confirmation(text, OPENED),), url)


def read_answers(form: Form, answers: Sequence[Sequence[str]]) -> dict[str, Value]:
    """Convert people's answers to the values of a form. Each field has a list of labels or texts; an empty list leaves
    the field out. Raises BadAnswer."""
    if len(answers) != len(form.fields):
        raise BadAnswer(f"The form has {len(form.fields)} fields: send one answer for each.")
    found: dict[str, Value] = {}
    for each, given in zip(form.fields, answers, strict=True):
        chosen = [text for text in given if text.strip()]
        if not chosen and each.required:
            raise BadAnswer(f"{each.title}: an answer is required.")
        if chosen and (value := _value(each, chosen)) is not None:
            found[each.name] = value
    return found


def defaults_of(form: Form) -> dict[str, Value]:
    """Return the values of a form in which nobody has changed anything."""
    return {each.name: each.default for each in form.fields if each.default is not None}


def _confirmation(text: str, label: str) -> FormField:
    return FormField("", "confirm", text, required=True, labels=(label,), values=(label,))


def _field(name: str, schema: Any, *, required: bool) -> FormField:
    if not isinstance(schema, Mapping):
        raise BadForm("asks with a form that is no flat form")
    made = FormField(
        name,
        "text",
        _label(schema.get("title")) or _label(name) or "Value",
        _text(schema.get("description")),
        required=required,
    )
    return _with_default(_with_type(made, schema), schema.get("default"))


def _with_type(made: FormField, schema: Mapping[str, Any]) -> FormField:
    kind = schema.get("type")
    if kind == "array":
        items = schema.get("items")
        values, labels = _options(items if isinstance(items, Mapping) else {})
        made = replace(made, kind="choice", multiple=True, values=values, labels=labels)
        return _with_bounds(made, schema, "minItems", "maxItems")
    if kind in ("string", None) and _has_options(schema):
        values, labels = _options(schema)
        return replace(made, kind="choice", values=values, labels=labels)
    match kind:
        case "string":
            wanted: Kind = next((each for each in _FORMATS if each == schema.get("format")), "text")
            return _with_bounds(replace(made, kind=wanted), schema, "minLength", "maxLength")
        case "number" | "integer":
            made = replace(made, kind="integer" if kind == "integer" else "number")
            return _with_bounds(made, schema, "minimum", "maximum")
        case "boolean":
            return replace(made, kind="boolean")
    raise BadForm("asks with a form that is no flat form")


def _with_bounds(made: FormField, schema: Mapping[str, Any], least: str, most: str) -> FormField:
    return replace(made, least=_number(schema.get(least)), most=_number(schema.get(most)))


def _has_options(schema: Mapping[str, Any]) -> bool:
    return any(isinstance(schema.get(name), list) for name in ("enum", "oneOf", "anyOf"))


def _options(schema: Mapping[str, Any]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the values and labels of options, which a schema can write in three ways: with titles, with `enumNames`,
    or without either."""
    titled = next((schema[name] for name in ("oneOf", "anyOf") if isinstance(schema.get(name), list)), None)
    if titled is not None:
        pairs = [(each.get("const"), each.get("title")) for each in titled if isinstance(each, Mapping)]
    else:
        values, names = schema.get("enum") or [], schema.get("enumNames") or []
        pairs = [(each, names[at] if at < len(names) else None) for at, each in enumerate(values)]
    if not 0 < len(pairs) <= MAX_OPTIONS or not all(isinstance(value, str) for value, _ in pairs):
        raise BadForm(f"asks to choose among no texts, or among more than {MAX_OPTIONS}")
    values = tuple(str(value) for value, _ in pairs)
    labels = tuple(_label(label) or _label(value) or "(empty)" for value, label in pairs)
    return values, labels if len(set(labels)) == len(labels) else values


def _number(value: Any) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def _with_default(made: FormField, default: Any) -> FormField:
    """Return the field with its default, if the field can have that value."""
    if default is None:
        return made
    given = default if isinstance(default, list) else [default]
    texts = [(YES if each else NO) if isinstance(each, bool) else str(each) for each in given]
    if made.kind == "choice":
        if not set(texts) <= set(made.values):
            return made
        texts = [made.labels[made.values.index(each)] for each in texts]
    with suppress(BadAnswer):
        return replace(made, default=_value(made, texts))
    return made


def _value(each: FormField, chosen: Sequence[str]) -> Value | None:
    """Convert a person's non-empty answer in a form field to the field's value; None for a confirmation. Raises
    BadAnswer."""
    match each.kind:
        case "confirm":
            return None
        case "choice":
            return _chosen(each, chosen)
        case "boolean":
            return _one_of(each, chosen, (YES, NO)) == YES
        case "number" | "integer":
            number = _read_number(each, " ".join(chosen).strip())
            _check_bounds(each, number, "")
            return number
    text = " ".join(chosen)
    _check_format(each, text)
    _check_bounds(each, len(text), "characters")
    return text


def _chosen(each: FormField, chosen: Sequence[str]) -> Value:
    by_label = dict(zip(each.labels, each.values, strict=True))
    if not each.multiple:
        return by_label[_one_of(each, chosen, each.labels)]
    if unknown := [label for label in chosen if label not in by_label]:
        raise BadAnswer(f"{each.title}: {unknown[0][:100]!r} is not one of the options.")
    _check_bounds(each, len(chosen), "options")
    return [by_label[label] for label in dict.fromkeys(chosen)]


def _one_of(each: FormField, chosen: Sequence[str], labels: Sequence[str]) -> str:
    if len(chosen) != 1 or chosen[0] not in labels:
        raise BadAnswer(f"{each.title}: choose one of {', '.join(labels)[:500]}.")
    return chosen[0]


def _read_number(each: FormField, text: str) -> int | float:
    try:
        found = int(text) if each.kind == "integer" or re.fullmatch(r"[+-]?\d{1,15}", text) else float(text)
    except ValueError:
        what = "a whole number" if each.kind == "integer" else "a number"
        raise BadAnswer(f"{each.title}: {text[:100]!r} is not {what}.") from None
    if not abs(found) <= 1e15:  # what JSON numbers hold exactly; no infinity
        raise BadAnswer(f"{each.title}: the number is too large.")
    return found


def _check_bounds(each: FormField, size: float, unit: str) -> None:
    of = f" {unit}" if unit else ""
    if each.least is not None and size < each.least:
        raise BadAnswer(f"{each.title}: at least {each.least:g}{of}.")
    if each.most is not None and size > each.most:
        raise BadAnswer(f"{each.title}: at most {each.most:g}{of}.")


def _check_format(each: FormField, text: str) -> None:
    is_good = len(text) <= MAX_ANSWER_CHARACTERS
    try:
        match each.kind:
            case "email":
                is_good = bool(_EMAIL.fullmatch(text))
            case "uri":
                is_good = bool(urlsplit(text).scheme)
            case "date":
                date.fromisoformat(text)
            case "date-time":
                datetime.fromisoformat(text)
    except ValueError:
        is_good = False
    if not is_good:
        names = {"email": "an e-mail address", "uri": "an address", "date": "a date such as 2026-11-30"}
        what = names.get(each.kind, "a date with a time such as 2026-11-30T12:00:00Z")
        raise BadAnswer(f"{each.title}: {text[:100]!r} is not {what}.")


def _text(value: Any) -> str:
    return clean(value)[:MAX_TEXT_CHARACTERS] if isinstance(value, str) else ""


def _label(value: Any) -> str:
    if not isinstance(value, str):
        return ""
    return "".join(each for each in " ".join(value.split()) if each.isprintable())[:MAX_LABEL_CHARACTERS]
