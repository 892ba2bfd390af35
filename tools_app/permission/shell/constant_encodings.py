"""Rules for texts that code builds from character codes and from digits: `chr(46)`, `bytes.fromhex("2e")`."""

import base64
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from tools_app.permission.shell.constant_patterns import MAX_PARTS, MAX_TEXT, Rule, character, number, rule
from tools_app.permission.shell.literal_code import Literals

_MAX_DIGITS: Final = 100


def _codes(numbers: str) -> list[str]:
    return [character(number(each.strip())) for each in numbers.split(",")]


def _characters(literals: Literals, found: re.Match[str]) -> str:
    return literals.add("".join(_codes(found[1])))


def _list_of_characters(literals: Literals, found: re.Match[str]) -> str:
    return f"[{','.join(map(literals.add, _codes(next(filter(None, found.groups())))))}]"


def _base64(text: str) -> bytes:
    return base64.b64decode(text.rstrip("=").translate({45: "+", 95: "/"}) + "==")


_DECODED: Final[Mapping[str, Callable[[str], bytes]]] = {
    "b32": base64.b32decode, "b16": base64.b16decode, "b85": base64.b85decode, "a85": base64.a85decode,
    "base64": _base64, "base64url": _base64, "m": _base64, "m0": _base64, "hex": bytes.fromhex, "H*": bytes.fromhex,
}  # fmt: skip


def _decoded(how: str, literals: Literals, found: re.Match[str], text: str) -> str:
    """Return a literal with the decoded text; the unchanged expression if the digits cannot be decoded."""
    try:
        return literals.add(_DECODED[how](text).decode("ascii")[:MAX_TEXT])
    except (KeyError, ValueError):
        return found[0]


def _from_base(literals: Literals, found: re.Match[str]) -> str:
    return _decoded(found[1], literals, found, literals.of(found[2]))


def _from_base64(literals: Literals, found: re.Match[str]) -> str:
    return _decoded("base64", literals, found, literals.of(found[1]))


def _from_hex(literals: Literals, found: re.Match[str]) -> str:
    return _decoded("hex", literals, found, literals.of(found[1]))


def _as_named(literals: Literals, found: re.Match[str]) -> str:
    """Decode a text in an expression that also names the encoding, such as `Buffer.from("6769", "hex")`."""
    return _decoded(literals.of(found[2]), literals, found, literals.of(found[1]))


def _packed(literals: Literals, found: re.Match[str]) -> str:
    return _decoded(literals.of(found[1]), literals, found, literals.of(found[2]))


def _of_number(literals: Literals, found: re.Match[str]) -> str:
    size, value = min(int(found[2]), MAX_PARTS), number(found[1])
    order = "little" if found[3] and literals.of(found[3]) == "little" else "big"
    raw = (value % 256**size).to_bytes(size, "big")
    return literals.add((raw if order == "big" else raw[::-1]).decode("latin-1"))


def _number_of(literals: Literals, found: re.Match[str]) -> str:
    """Return the number in an expression such as `int("2e", 16)`. For `hex(...)` and `hexdec(...)` the base is 16."""
    try:
        return str(int(literals.of(found[1])[:_MAX_DIGITS], int(found[2] or 16)))
    except (IndexError, ValueError):
        return found[0]


def _code_point(literals: Literals, found: re.Match[str]) -> str:
    text = literals.of(found[1])
    return str(ord(text[0])) if text else found[0]


ENCODINGS: Final[Sequence[Rule]] = (
    rule("ord", r"\bord~\(?~(§)~\)?", _code_point),
    rule("charCode", r"(§)\.charCodeAt\(~0?~\)", _code_point),
    rule("", r"\b(?:int|parseInt)~\(~(§)~,~(\d{1,2})~\)", _number_of),
    rule("hex", r"\bhex(?:dec)?~\(?~(§)()~\)?", _number_of),
    # Numbers of characters
    rule("chr", r"\bmap~\(~chr~,~[\[(]~<numbers>~[\])]~\)", _list_of_characters),
    rule("chr", r"\bchr~\(?~\w+~\)?\s+for\s+\w+\s+in\s+[\[(]~<numbers>~[\])]", _list_of_characters),
    rule("chr", r"\bmap~\{?~\(?chr\b[^,}(]{0,10}\)?~[},]~\(?~<numbers>~\)?", _list_of_characters),
    rule("chr", r"\bchr~\(?~<numbers>~\)?", _characters),
    rule("char", r"\bchar~\(~<numbers>~\)", _characters),
    rule("from", r"\bString\.from(?:CharCode|CodePoint)~\(~(?:\.\.\.)?~\[?~<numbers>~\]?~\)", _characters),
    rule("bytes", r"\bbytes~\(~[\[(]~<numbers>~[\])]~\)", _characters),
    rule("bytearray", r"\bbytearray~\(~[\[(]~<numbers>~[\])]~\)", _characters),
    rule("Buffer", r"\bBuffer\.from~\(~\[~<numbers>~\]~\)", _characters),
    rule("pack", r"\bpack~\(?~§~,~\(?~<numbers>~\)?", _characters),
    rule("pack", r"\[~<numbers>~\]\.pack~\(?~§~\)?", _characters),
    # Digits
    rule("decode(", r"\b(?:base64\.)?(b32|b16|b85|a85)decode~\(~(§)~\)", _from_base),
    rule("64", r"\b(?:base64\.)?(?:standard_|urlsafe_)?b64decode~\(~(§)~(?:,~\w{1,20}~)?\)", _from_base64),
    rule("64", r"\b(?:base64_decode|decode_base64|a2b_base64)~\(?~(§)~(?:,~\w{1,20}~)?\)?", _from_base64),
    rule("64", r"\bBase64\.(?:strict_|urlsafe_)?decode64~\(?~(§)~\)?", _from_base64),
    rule("atob", r"\batob~\(~(§)~\)", _from_base64),
    rule("Buffer", r"\bBuffer\.from~\(~(§)~,~(§)~\)", _as_named),
    rule("hex", r"\b(?:bytes\.|bytearray\.|binascii\.)?(?:fromhex|unhexlify|hex2bin|unhex)~\(?~(§)~\)?", _from_hex),
    rule("a2b_hex", r"\b(?:binascii\.)?a2b_hex~\(~(§)~\)", _from_hex),
    rule("pack", r"\bpack~\(?~(§)~,~(§)~\)?", _packed),
    rule("pack", r"\[~(§)~\]\.pack~\(?~(§)~\)?", _as_named),
    rule("unpack", r"(§)\.unpack1~\(?~(§)~\)?", _as_named),
    rule("unpack", r"(§)\.unpack~\(?~(§)~\)?(?:\[0\]|\.first\b)", _as_named),
    rule(
        "to_bytes",
        r"(?:\(~)?(?<!\w)(0x[0-9a-fA-F]{1,64}|\d{1,80})~\)?\.to_bytes~"
        r"\(~(?:length~=~)?(\d{1,3})~(?:,~(?:byteorder~=~)?(§)~)?\)",
        _of_number,
    ),
)
