"""The program that reads files for the server, as ``python -m trustuqa_neo4j.server.load_program``.

It gets one JSON object by its input, and answers in JSON lines: the progress, then the report or the error.
The end of its input cancels it, also if the server was killed.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from threading import Event, Thread
from time import monotonic
from typing import Any, TextIO

from ..slow_imports import allow_imports, block_imports

if __name__ == "__main__":
    block_imports()

from ..client import TrustUQA
from ..errors import Cancelled, TrustUQAError
from ..loading.formats import File
from ..loading.request import LoadReport, Progress
from ..loading.unpacking import limit_unpacked
from ..values import ValueOptions
from ..wording import use_words_of
from .load_messages import dump_error, dump_report, make_memory_error, parse_settings
from .options import ReadLimits

INTERVAL = 0.2
"""Seconds between two reports of progress."""

_GRACE = 10.0  # seconds after the end of the input, then the process ends whatever it does


class Teller:
    """Writes the progress, a few times a second; a load that was cancelled ends there."""

    def __init__(self, output: TextIO) -> None:
        self.cancelled: Event = Event()
        self._output = output
        self._told = 0.0

    def write(self, **message: Any) -> None:
        self._output.write(json.dumps(message) + "\n")
        self._output.flush()

    def progress(self) -> Progress:
        return Progress(self._begin, self._advance, notify=self._notify)

    def _begin(self, phase: str, total: int, unit: str = "bytes", /) -> None:
        self._tell(event="begin", phase=phase, total=total, unit=unit)

    def _advance(self, done: int) -> None:
        if self.cancelled.is_set() or monotonic() - self._told >= INTERVAL:
            self._tell(event="advance", done=done)

    def _notify(self, message: str) -> None:
        self._tell(event="notify", message=message)

    def _tell(self, **message: Any) -> None:
        if self.cancelled.is_set():
            raise Cancelled("the load was cancelled", hint="load the file again")
        self._told = monotonic()
        self.write(**message)


def main() -> None:
    """Do what the first line of the input says."""
    allow_imports()
    # What a library prints is not part of the report.
    output = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    teller = Teller(output)
    order = json.loads(sys.stdin.readline())
    limits = ReadLimits(**order["limits"])

    def watch_input() -> None:
        sys.stdin.read()
        teller.cancelled.set()
        # A statement, or a library, may not end.
        Event().wait(_GRACE)
        os._exit(1)

    Thread(target=watch_input, daemon=True).start()
    _limit_process(limits)
    carry_out(order, teller)
    # Threads of libraries do not delay the end.
    os._exit(0)


def carry_out(order: Mapping[str, Any], teller: Teller) -> None:
    """Load or preview, and write the report or the error."""
    try:
        with use_words_of("serve"):
            teller.write(report=dump_report(_load(order, teller)))
    except TrustUQAError as error:
        teller.write(error=dump_error(error))
    except KeyboardInterrupt:
        # Ctrl-C is the server's: it cancels.
        teller.write(error=dump_error(Cancelled("the load was cancelled")))
    except MemoryError:
        teller.write(error=dump_error(make_memory_error(ReadLimits(**order["limits"]))))


def _load(order: Mapping[str, Any], teller: Teller) -> LoadReport:
    files = [f if isinstance(f, str) else File(Path(f[0]), f[1]) for f in order["files"]]
    with TrustUQA.connect(parse_settings(order["settings"]), datasets=order["scope"]) as tuqa:
        return tuqa.load(*files, progress=teller.progress(), **_read_options(order["options"]))


def _read_options(options: dict[str, Any]) -> dict[str, Any]:
    """The keywords of ``TrustUQA.load`` for the options of a form; words have commas between them."""
    texts = {name: options.pop(name, "") for name in ("dates", "null", "sheets")}
    null, sheets = (
        [*filter(None, map(str.strip, texts[n].split(",")))] for n in ("null", "sheets")
    )
    values = ValueOptions(dates=texts["dates"] or None, null=frozenset(null))
    return {**options, "values": values, "sheets": sheets}


def _limit_process(limits: ReadLimits) -> None:
    limit_unpacked(limits.unpacked)
    try:
        import resource
    except ImportError:  # the other limits hold
        return
    for kind, limit in (
        (resource.RLIMIT_AS, limits.memory),
        (resource.RLIMIT_CPU, int(limits.seconds) + 1),
        (resource.RLIMIT_FSIZE, limits.unpacked),
        (resource.RLIMIT_CORE, 0),
    ):
        with suppress(ValueError, OSError):  # a lower limit holds already
            resource.setrlimit(kind, (limit, limit))


if __name__ == "__main__":
    main()
