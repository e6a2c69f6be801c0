"""Tables in a notebook."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from html import escape
from typing import Any

SHOWN_IN_CELL = 300


def html_table(names: Sequence[str], rows: Iterable[Sequence[Any]], notes: Iterable[str]) -> str:
    """A table with its notes below. Whatever others have written is text in it."""
    head = "".join(f"<th>{escape(name)}</th>" for name in names)
    body = "".join(
        f"<tr>{''.join(f'<td>{escape(_cell(value))}</td>' for value in row)}</tr>" for row in rows
    )
    below = "".join(f"<p>{escape(note)}</p>" for note in notes)
    return (
        f'<table style="text-align: left"><thead><tr>{head}</tr></thead>'
        f"<tbody>{body}</tbody></table>{below}"
    )


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.3f}"
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= SHOWN_IN_CELL else text[: SHOWN_IN_CELL - 1] + "…"
