"""Faults of this package: their tracebacks go into a file of the home, and people read what to do."""

from __future__ import annotations

import traceback
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from ..errors import InternalError, TrustUQAError

FAULTS_FILE = "faults.log"
"""File under TUQA_HOME with the tracebacks of faults; the last ones stay."""

MAX_SIZE = 200_000
"""Characters of the file."""


def record_fault(error: Exception) -> InternalError:
    """Write the traceback of an exception into the file of faults; return the error that people read."""
    reason = str(error).strip().partition("\n")[0][:200]
    kind = type(error).__name__
    what = f"a fault of trustuqa-neo4j ({kind}{f': {reason}' if reason else ''})"
    try:
        file = _write(f"{datetime.now(UTC):%Y-%m-%d %H:%M:%S} {_format_traceback(error)}\n")
    except (OSError, TrustUQAError):
        # The home cannot be written, or the settings that name it cannot be read.
        return InternalError(
            what, hint="please report it, with the query and how the data was loaded"
        )
    return InternalError(what, hint=f"please report it, with the traceback at the end of {file}")


def _format_traceback(error: Exception) -> str:
    return "".join(traceback.format_exception(error))


def _write(entry: str) -> Path:
    from ..settings import Settings

    home = Settings.read().home
    home.mkdir(mode=0o700, parents=True, exist_ok=True)
    file = home / FAULTS_FILE
    earlier = ""
    with suppress(FileNotFoundError):
        earlier = file.read_text(encoding="utf-8", errors="replace")
    file.touch(mode=0o600)
    text = (earlier + entry)[-MAX_SIZE:]
    file.write_text(text, encoding="utf-8", errors="backslashreplace")
    return file
