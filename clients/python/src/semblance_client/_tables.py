"""Tables and warnings in a terminal."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Sequence

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

# Control characters, and what changes the direction of writing.
STEERING = re.compile(r"[\s\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]+")
# Where the output is no terminal: nothing is cut.
WIDEST = 10**6
MOST_REPORTED = 20


def harmless(text: str) -> str:
    """In one line, and without what others have written that would steer the reader's terminal."""
    return STEERING.sub(" ", text)


def print_table(names: Sequence[str], rows: Iterable[Sequence[object]], empty: str) -> None:
    """Columns with their names above; numbers stand right, and on a terminal the last column is cut at the margin."""
    shown = list(rows)
    if not shown:
        print(empty)
        return
    table = Table(box=None, pad_edge=False, header_style="", padding=(0, 2, 0, 0))
    for at, name in enumerate(names):
        is_number = all(isinstance(row[at], int) for row in shown)
        is_last = at == len(names) - 1
        table.add_column(
            name,
            justify="right" if is_number else "left",
            overflow="ellipsis" if is_last else "fold",
            no_wrap=is_last,
        )
    for row in shown:
        table.add_row(*(Text(_cell(value)) for value in row))
    width = None if sys.stdout.isatty() else WIDEST
    console = Console(width=width, highlight=False, markup=False)
    with console.capture() as printed:
        console.print(table)
    print("\n".join(line.rstrip() for line in printed.get().splitlines()))


def _cell(value: object) -> str:
    if isinstance(value, int):
        return f"{value:,}"
    return "" if value is None else harmless(str(value))


def embeddings_text(count: int) -> str:
    """With the number in groups of three digits."""
    return f"{count:,} embedding{'' if count == 1 else 's'}"


def warn(message: str) -> None:
    """Tells it beside the output."""
    click.echo(f"semblance-client: {harmless(message)}", err=True)
