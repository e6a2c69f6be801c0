"""Runs programs, one in each line as a JSON string, and says in a line what each has printed."""

import contextlib
import io
import json
import sys
import traceback

import requests  # noqa: F401, so that what has none does not begin

for line in sys.stdin:
    printed, failure = io.StringIO(), None
    try:
        with contextlib.redirect_stdout(printed):
            exec(json.loads(line), {})
    except Exception:
        failure = traceback.format_exc()
    print(json.dumps({"printed": printed.getvalue(), "failure": failure}), flush=True)
