"""A bar that moves while much is sent or received: tqdm's, where that is installed."""

from __future__ import annotations

import sys
import warnings
from typing import Any

# Nobody watches what is over at once: seconds.
PATIENCE = 1.0


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
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.close()


def progress(what: str) -> Progress:
    """Shown to who sits at a terminal."""
    return Progress(what, 0, None if sys.stderr.isatty() else False)
