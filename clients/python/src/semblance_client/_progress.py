"""A bar that moves while much is sent or received: tqdm's, where that is installed."""

from __future__ import annotations

import sys
import warnings
from contextvars import ContextVar
from typing import Any

from .errors import warn

# Nobody watches what is over at once: seconds.
PATIENCE = 1.0
LONGEST = 120


class Progress:
    """Counts embeddings; shown at once when `shown` is True, when it takes long when that is None."""

    def __init__(self, what: str, total: int, shown: bool | None) -> None:
        self._bar: Any = None
        if shown is not False:
            with warnings.catch_warnings():
                # Of a notebook without widgets, where it draws a bar of text.
                warnings.simplefilter("ignore")
                try:
                    from tqdm.auto import tqdm  # noqa: PLC0415
                except ImportError:
                    return
            wait = 0 if shown else PATIENCE
            self._bar = tqdm(
                total=total or None, desc=what, unit_scale=True, leave=False, delay=wait
            )

    def advance(self, count: int) -> None:
        """So many more are done."""
        if self._bar is not None:
            self._bar.update(count)

    def __enter__(self) -> Progress:
        self._before = _current.get()
        _current.set(self)
        return self

    def __exit__(self, *_: object) -> None:
        _current.set(self._before)
        if self._bar is not None:
            self._bar.close()


# Threads that work for it have copies of its context, as tasks have.
_current: ContextVar[Progress | None] = ContextVar("progress", default=None)


def tell_wait(why: str, warns: bool = True) -> None:
    """Says why nothing goes on, in the bar too if there is one; "" means that it does again."""
    progress = _current.get()
    bar = None if progress is None else progress._bar
    if bar is not None:
        bar.set_postfix_str(why[:LONGEST])
    if warns and why:
        warn(why)


def progress(what: str) -> Progress:
    """Shown to who sits at a terminal."""
    return Progress(what, 0, None if sys.stderr.isatty() else False)
