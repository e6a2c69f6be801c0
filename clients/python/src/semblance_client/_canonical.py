"""The digest by which an embedding that is stored is compared with one that is not."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from ._vectors import Vectors


def digest(vector: Vectors, text: str | None, metadata: dict[str, Any] | None) -> str:
    """SHA-256, as `POST .../missing` has it: float32 little-endian, then canonical JSON of metadata and text.

    Where the JSON is not exactly the server's, as with integers beyond 2**53, the embedding is sent once more
    and found to be the same there: nothing worse.
    """
    content = '{"metadata":' + canonical(metadata) + ',"text":' + canonical(text) + "}"
    data = vector.astype("<f4", copy=False).tobytes()
    return hashlib.sha256(data + content.encode()).hexdigest()


def canonical(value: Any) -> str:
    """JSON in the form of RFC 8785: keys in the order of UTF-16, numbers as ECMAScript writes them."""
    if isinstance(value, dict):
        keys = sorted(value, key=lambda key: key.encode("utf-16-be"))
        return "{" + ",".join(f"{canonical(key)}:{canonical(value[key])}" for key in keys) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(canonical, value)) + "]"
    if isinstance(value, bool) or value is None or isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    return _number(float(value))


def _number(value: float) -> str:
    """ECMA-262, Number::toString: no exponent from 1e-6 up to below 1e21, and never a zero in front of it."""
    if value == 0:
        return "0"
    sign, shortest = ("-", repr(-value)) if value < 0 else ("", repr(value))
    mantissa, _, exponent = shortest.partition("e")
    whole, _, fraction = mantissa.partition(".")
    fraction = "" if fraction == "0" else fraction
    digits = (whole + fraction).lstrip("0")
    point = len(whole) + int(exponent or 0) - (len(whole + fraction) - len(digits))
    digits = digits.rstrip("0")
    if 0 < point <= 21:
        shown = digits.ljust(point, "0")
        return sign + (shown if len(digits) <= point else f"{shown[:point]}.{shown[point:]}")
    if -6 < point <= 0:
        return f"{sign}0.{'0' * -point}{digits}"
    tail = f".{digits[1:]}" if len(digits) > 1 else ""
    return f"{sign}{digits[0]}{tail}e{point - 1:+d}"
