"""The command semblance-client: what ends it, and with which code."""

from __future__ import annotations

import os
import sys
import warnings

from .errors import install

NAME = "semblance-client"
LACKS = f"the terminal extra is not installed. Run: {install('terminal')}, or pipx install --force"


def main() -> None:
    """Does what the command line says. Exit codes: 0, 1 where it fails, 2 where it makes no sense, 130 for Ctrl-C."""
    try:
        import click  # noqa: PLC0415

        from ._commands import commands  # noqa: PLC0415
    except ImportError:
        sys.exit(f"{NAME}: {LACKS}")
    import httpx  # noqa: PLC0415

    from .errors import SemblanceError, SemblanceWarning  # noqa: PLC0415

    warnings.showwarning = lambda message, *_, **__: _say(str(message))
    warnings.simplefilter("always", SemblanceWarning)
    code, reason = 1, ""
    try:
        code = commands.main(prog_name=NAME, standalone_mode=False) or 0
        sys.stdout.flush()
    except click.Abort:
        code, reason = 130, "stopped; what was uploaded stays, and the same command goes on"
    except click.ClickException as error:
        code, reason = error.exit_code, error.format_message()
    except BrokenPipeError:
        # Whoever reads the output may have enough of it, as head does.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 0
    except SemblanceError as error:
        is_login = sys.argv[1:2] == ["login"]
        hint = f"; see {NAME} login" if error.status == 401 and not is_login else ""
        reason = f"{error}{hint}"
    except ImportError as error:
        reason = f"{error}: {LACKS}"
    except httpx.HTTPError as error:
        reason = f"the server cannot be reached, or broke off: {error or type(error).__name__}"
    except (OSError, ValueError, TypeError, EOFError) as error:
        reason = str(error)
    if reason:
        _say(reason)
    sys.exit(code)


def _say(message: str) -> None:
    from ._tables import harmless  # noqa: PLC0415

    print(f"{NAME}: {harmless(message)}", file=sys.stderr)
