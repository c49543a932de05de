"""Reads files in a process of its own, with limits of memory, time and what is unpacked.

A file of two kilobytes can become gigabytes, and a library that reads it can end its process. So nothing that
was uploaded is read in the server: ``run_load`` starts ``load_program``.
"""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import signal
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

from ..errors import DataError, TrustUQAError
from ..loading.formats import File
from ..loading.request import LoadReport
from ..settings import Settings
from .load_messages import LOAD_HINT, dump_settings, make_memory_error, parse_error, parse_report
from .options import ReadLimits
from .problems import ServerBusy

_PROGRAM = "trustuqa_neo4j.server.load_program"
_GRACE = 12.0  # seconds in which a cancelled load leaves the database in order; then it is killed
_MAX_LINE = 64_000_000  # bytes of a report

Tell = Callable[[Mapping[str, Any]], object]
"""Takes the progress: ``event`` is begin, advance or notify, the others are its arguments."""


async def run_load(
    settings: Settings,
    scope: Sequence[str] | None,
    files: Sequence[File | str],
    folder: Path,
    limits: ReadLimits,
    options: Mapping[str, Any],
    tell: Tell = lambda _: None,
) -> LoadReport:
    """Load or preview ``files`` in a process; cancelling the task ends it, and ``folder`` goes in any case.

    ``scope`` are the datasets that it may use, ``folder`` is for its temporary files, and ``options`` are
    those of ``TrustUQA.load``.

    Raises:
        UsageError, DataError, DatabaseError, Cancelled
    """
    order = {
        "settings": dump_settings(settings),
        "scope": scope,
        "files": [[str(f.path), f.name] if isinstance(f, File) else f for f in files],
        "limits": asdict(limits),
        "options": dict(options),
    }
    try:
        process = await _start_process(folder)
        result = await _watch(process, order, limits.seconds, tell)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    if result is None:
        raise _describe_end(process.returncode, limits)
    if "error" in result:
        raise parse_error(result["error"])
    return parse_report(result["report"])


async def _start_process(folder: Path) -> asyncio.subprocess.Process:
    try:
        return await asyncio.create_subprocess_exec(
            # Without -P, Python would import what lies in the working folder.
            sys.executable, "-P", "-m", _PROGRAM,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            limit=_MAX_LINE,
            start_new_session=True,
            env={**os.environ, "TMPDIR": str(folder)},
        )  # fmt: skip
    except OSError as error:
        what = f"no process can be started ({error.strerror or error})"
        raise ServerBusy(what, hint="try again later") from error


async def _watch(
    process: asyncio.subprocess.Process, order: Mapping[str, Any], seconds: float, tell: Tell
) -> dict[str, Any] | None:
    """The report or the error of the process, which has ended then; None if it has told neither."""
    try:
        async with asyncio.timeout(seconds):
            result = await _follow(process, order, tell)
            await process.wait()
            return result
    except TimeoutError as error:
        what = f"the files cannot be read within {seconds:g} seconds"
        raise DataError(what, hint=LOAD_HINT) from error
    except asyncio.CancelledError:
        await _let_end(process)
        raise
    finally:
        with suppress(ProcessLookupError, PermissionError):
            # What it has started itself goes with it.
            os.killpg(process.pid, signal.SIGKILL)
        await process.wait()


async def _follow(
    process: asyncio.subprocess.Process, order: Mapping[str, Any], tell: Tell
) -> dict[str, Any] | None:
    """The last line, which has the report or the error; None if there is none."""
    assert process.stdin is not None
    assert process.stdout is not None
    with suppress(ConnectionError):  # it has ended: its code says why
        process.stdin.write(json.dumps(order).encode() + b"\n")
        await process.stdin.drain()
    try:
        while line := await process.stdout.readline():
            message: dict[str, Any] = json.loads(line)
            if "event" not in message:
                return message
            tell(message)
    except ValueError as error:  # half a line, or too long a one
        if process.stdout.at_eof():
            return None
        raise DataError("the report of the files is too long", hint=LOAD_HINT) from error
    return None


async def _let_end(process: asyncio.subprocess.Process) -> None:
    assert process.stdin is not None
    process.stdin.close()
    with suppress(TimeoutError):
        async with asyncio.timeout(_GRACE):
            await process.wait()


def _describe_end(code: int | None, limits: ReadLimits) -> TrustUQAError:
    if code == -signal.SIGKILL or code == -signal.SIGABRT:
        return make_memory_error(limits)
    return DataError(f"the process that read the files ended with code {code}", hint=LOAD_HINT)
