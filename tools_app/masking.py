"""Replace secret values in texts that leave the sandbox, in clear and in the usual encodings.

This protects against accidents only. Code that wants to disclose a secret can always encode it in another way.
"""

import base64
import json
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final
from urllib.parse import quote, quote_plus

MIN_CHARACTERS: Final = 8
"""Of a secret: shorter texts appear by chance, and masking them would tell their length and where they are."""
_LINE_BREAKS: Final = str.maketrans("", "", "\r\n")
_URL_SAFE: Final = str.maketrans("+/", "-_")


class Masks:
    """The secrets to replace in texts, by their names. A secret is also found if line breaks interrupt it or its
    encoded form."""

    def __init__(self, secrets: Iterable[tuple[str, str]]) -> None:
        self._marks: dict[str, str] = {}
        for name, value in secrets:
            for form in sorted(_forms(value)):
                self._marks.setdefault(form, f"[secret {name}]")
        self._by_first: dict[str, list[str]] = defaultdict(list)
        for form in self._marks:
            self._by_first[form[0]].append(form)
        self._longest = max(map(len, self._marks), default=0)
        self._shortest = min(map(len, self._marks), default=0)

    def __bool__(self) -> bool:
        return bool(self._marks)

    def mask(self, text: str) -> str:
        """Return the text with `[secret NAME]` in place of each secret."""
        spans = self._spans(text)
        pieces, end = [], 0
        for start, stop, mark in spans:
            pieces += [text[end:start], mark]
            end = stop
        return "".join([*pieces, text[end:]]) if spans else text

    def cover(self, text: str) -> str:
        """Return the text with each secret replaced by asterisks of the same length."""
        pieces, end = [], 0
        for start, stop, _ in self._spans(text):
            pieces += [text[end:start], "*" * (stop - start)]
            end = stop
        return "".join([*pieces, text[end:]])

    def mask_value(self, value: Any) -> Any:
        """Mask every text in JSON-like data, including nested ones. Keys are not changed."""
        if not self._marks:
            return value
        if isinstance(value, str):
            return self.mask(value)
        if isinstance(value, Mapping):
            return {key: self.mask_value(item) for key, item in value.items()}
        return [self.mask_value(item) for item in value] if isinstance(value, list | tuple) else value

    def held_back(self, text: str) -> int:
        """Return the position of the longest end of the text that is the beginning of a secret, because the next piece
        of text may complete the secret. Returns the length of the text if there is no such end."""
        joined = _Joined(text)
        for start in range(max(0, len(joined.text) - self._longest + 1), len(joined.text)):
            forms = self._by_first.get(joined.text[start], ())
            if forms and any(form.startswith(joined.text[start:]) for form in forms):
                return joined.position(start)
        return len(text)

    def _spans(self, text: str) -> list[tuple[int, int, str]]:
        """Return the start, the end and the replacement of each part of the text that contains a secret, in order and
        without overlaps."""
        if len(text) < self._shortest or not self._marks:
            return []
        joined = _Joined(text)
        found = sorted(
            (start, start + len(form), mark) for form, mark in self._marks.items() for start in joined.find(form)
        )
        merged: list[tuple[int, int, str]] = []
        for start, end, mark in found:
            if merged and start < merged[-1][1]:
                first, last, kept = merged[-1]
                merged[-1] = (first, max(last, end), kept)
            else:
                merged.append((start, end, mark))
        return [(joined.position(start), joined.position(end - 1) + 1, mark) for start, end, mark in merged]


NO_MASKS: Final = Masks(())


class MaskedStream:
    """A text stream in which secrets are replaced. Text that may be the beginning of a secret is held back until the
    next piece arrives.

    With `keep_length`, each secret is replaced by asterisks of the same length.
    """

    def __init__(self, masks: Masks, *, keep_length: bool = False) -> None:
        self._masks = masks
        self._replace = masks.cover if keep_length else masks.mask
        self._waiting = ""

    def feed(self, piece: str) -> str:
        """Add a piece and return the text that can be shown after it."""
        text = self._replace(self._waiting + piece)
        end = self._masks.held_back(text)
        self._waiting = text[end:]
        return text[:end]

    def finish(self) -> str:
        """Return the part of the text that is still held back. No more pieces follow."""
        rest, self._waiting = self._waiting, ""
        return rest


class _Joined:
    """A text without its line breaks, and the original position of each of its characters."""

    def __init__(self, text: str) -> None:
        self.text = text.translate(_LINE_BREAKS) if "\n" in text or "\r" in text else text
        self._original = text
        self._breaks: list[int] | None = None

    def find(self, form: str) -> Iterator[int]:
        start = self.text.find(form)
        while start >= 0:
            yield start
            start = self.text.find(form, start + 1)

    def position(self, index: int) -> int:
        if len(self.text) == len(self._original):
            return index
        if self._breaks is None:  # positions in the joined text before which line breaks were left out
            removed = [at for at, char in enumerate(self._original) if char in "\r\n"]
            self._breaks = [at - number for number, at in enumerate(removed)]
        return index + bisect_right(self._breaks, index)


def _forms(value: str) -> set[str]:
    """Return the forms of a secret to mask: the value and its lines of sufficient length, each as it is and in its
    encoded forms."""
    lines = (line.strip() for line in value.splitlines())
    texts = {value, *(line for line in lines if not line.startswith("-----"))}
    forms = {form.translate(_LINE_BREAKS) for text in texts if len(text) >= MIN_CHARACTERS for form in _encoded(text)}
    return {form for form in forms if len(form) >= MIN_CHARACTERS}


def _encoded(text: str) -> Iterator[str]:
    yield text
    yield text.lower()  # as the name of a host
    for encoded in (json.dumps(text)[1:-1], json.dumps(text, ensure_ascii=False)[1:-1]):
        yield encoded
        yield json.dumps(encoded)[1:-1]
        yield encoded.replace("/", "\\/")
    for quoted in (quote(text), quote(text, safe=""), quote_plus(text)):
        yield quoted
        yield _lower_escapes(quoted)
    yield text.replace("\\", "\\\\").replace('"', '\\"').replace("$", "\\$").replace("`", "\\`")  # bash: declare -p
    yield text.replace("'", "'\\''")
    yield from _base64_forms(text.encode())


def _lower_escapes(quoted: str) -> str:
    first, *rest = quoted.split("%")
    return "%".join([first, *(part[:2].lower() + part[2:] for part in rest)])


def _base64_forms(raw: bytes) -> Iterator[str]:
    """Yield the base64 form of the bytes when they are part of a longer text, for each position modulo 3. Characters
    that depend on the neighbouring bytes are left out."""
    for before in range(3):
        encoded = base64.b64encode(bytes(before) + raw).decode()
        first = (0, 2, 3)[before]
        last = (before + len(raw)) * 8 // 6
        form = encoded[first:last]
        yield form
        yield form.translate(_URL_SAFE)
