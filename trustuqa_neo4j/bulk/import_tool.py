"""A whole database made by ``neo4j-admin database import``, and put in the place of the embedded server's.

The new store is made in a folder beside the server's own, which stays unchanged until the swap. So an
interruption before it has changed nothing, and the server runs while the tool works. If the tool wrote into
the server's folder (the alternative), an interruption would leave a database that cannot start.
"""

from __future__ import annotations

import contextlib
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from ..embedded import EmbeddedServer
from ..embedded.config import ADMIN_CLASS, MB, choose_memory
from ..embedded.home import Home, check_free_space, embedded_extra, write_error
from ..embedded.process import find_server, read_machine_memory
from ..embedded.runtime import SHORT_RUN
from ..errors import DiskFull, EmbeddedError, LoadRunning, undo_on_failure
from .csv_files import ARRAY_DELIMITER, ImportFiles

DATABASE = "neo4j"

STORE_BYTES_PER_FILE_BYTE = 4
"""About this many bytes of store and indexes for each byte of the import files."""

SHORT_RUN_BYTES = 100_000_000
"""Of the import files, about two million facts: for more, Java's second compiler pays."""

_DONE = re.compile(r"\((\d)/(\d)\)|\s(\d+)% ")
_CLASS = re.compile(r"^([\w$]+\.)+[\w$]+:\s+")
_NO_SPACE = re.compile(r"no space left|disk quota|not enough (disk )?space", re.IGNORECASE)
_TRIES = 5

# Relative to the server's folder: in what encoding the tool reads this file is not for sure.
_CONFIG = """\
server.directories.data={folder}/data
server.directories.logs={folder}/logs
db.tx_log.preallocate=false
"""


@contextlib.contextmanager
def import_folder(home: Home) -> Iterator[Path]:
    # For one process at a time; removed afterwards.
    with embedded_extra():
        from filelock import FileLock, Timeout

    home.prepare()
    folder = home.server / "bulk"
    lock = FileLock(home.server / "bulk.lock", mode=0o600)
    try:
        lock.acquire(timeout=0)
    except Timeout as error:
        raise LoadRunning(
            "another process loads with --bulk",
            where=str(home.folder),
            hint="wait for it, or set TUQA_HOME to another folder",
        ) from error
    try:
        _end_left_behind(folder)
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(mode=0o700)
        yield folder
    except OSError as error:
        raise write_error(error, home.folder) from error
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        lock.release()


def _end_left_behind(folder: Path) -> None:
    # The loader was killed, and its tool still writes to the folder.
    import psutil

    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error):
            words = process.cmdline()
            if ADMIN_CLASS in words and _option(folder) in words:
                process.kill()
                process.wait(10)


def _option(folder: Path) -> str:
    return f"--additional-config={folder / 'import.conf'}"


def make_store(
    server: EmbeddedServer, sheets: ImportFiles, progress: Callable[[float], None]
) -> None:
    # ``progress`` gets the part that is done.
    folder = sheets.folder
    check_free_space(folder, STORE_BYTES_PER_FILE_BYTE * sheets.size)
    config = _CONFIG.format(folder=folder.relative_to(server.home.server))
    (folder / "import.conf").write_text(config, encoding="ascii")
    heap = choose_memory(read_machine_memory()).heap // MB
    command = server.admin_command(
        *("database", "import", "full", DATABASE, _option(folder), "--overwrite-destination"),
        *("--id-type=actual", f"--array-delimiter=U+{ord(ARRAY_DELIMITER):04X}"),
        *("--max-off-heap-memory=60%", *sheets.arguments()),
        heap=f"{max(heap, 512)}m",
        options=SHORT_RUN if sheets.size < SHORT_RUN_BYTES else (),
    )
    detached: dict[str, Any] = {} if sys.platform == "win32" else {"start_new_session": True}
    tool = subprocess.Popen(
        command.words,
        env=command.environment,
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
        errors="replace",
        **detached,  # Ctrl-C is for this process; it ends the tool
    )
    assert tool.stdout is not None
    with tool, undo_on_failure(tool.kill):
        output = list(_watched(tool.stdout, progress))
    if tool.returncode:
        raise _failed(output, folder)


def _watched(lines: Iterable[str], progress: Callable[[float], None]) -> Iterator[str]:
    # The tool numbers its phases, and each counts its percents.
    phase, phases = 0, 1
    for line in lines:
        if match := _DONE.search(line):
            if match[1]:
                phase, phases = int(match[1]) - 1, int(match[2])
            else:
                progress((phase + int(match[3]) / 100) / phases)
        yield line


def _failed(output: list[str], folder: Path) -> EmbeddedError:
    lines = [line.strip() for line in output if line.strip(" -\n")]
    if "Command Failed" in lines:  # then the reason follows, and after it a repetition
        lines = lines[len(lines) - lines[::-1].index("Command Failed") :]
        if "Available resources:" in lines:
            lines = lines[: lines.index("Available resources:")]
    reason = _CLASS.sub("", lines[-1])[:400] if lines else "it said nothing"
    if any(map(_NO_SPACE.search, output)):
        return DiskFull(
            "no space is left for the import",
            where=str(folder),
            hint="free some space, or set TUQA_HOME to a folder on another disk",
        )
    return EmbeddedError(
        f"neo4j-admin could not import: {reason}",
        where=str(folder.parent),
        hint="nothing has changed; load without --bulk",
    )


def list_other_users(home: Home) -> list[int]:
    # A stop of the server would break these Python clients.
    import os

    return [user for user in home.live_users() if user != os.getpid()]


def swap_store(server: EmbeddedServer, folder: Path) -> None:
    # The server is stopped, and its store has no dataset.
    with embedded_extra():
        from filelock import FileLock

    home = server.home
    for _ in range(_TRIES):
        server.stop()
        with FileLock(home.lock, mode=0o600):
            if find_server(home) is None:
                home.ensure_password()
                _move(folder / "data", home.data, folder / "before")
                return
        time.sleep(0.1)
    raise EmbeddedError(
        "the embedded server is started again and again while it must stand still",
        where=str(home.folder),
        hint="see what uses it (`tuqa neo4j status`), and run this again",
    )


def _move(store: Path, data: Path, before: Path) -> None:
    # A server that finds only one of a store and its log of transactions does not start. So the whole
    # folder is exchanged: a process that is killed leaves the old data, none, or the new. The rest of
    # the folder is small, and is copied.
    if data.exists():
        shutil.copytree(data, store, ignore=_ignore_database, dirs_exist_ok=True)
    with contextlib.suppress(FileNotFoundError):
        data.rename(before)
    store.rename(data)


def _ignore_database(folder: str, _names: list[str]) -> list[str]:
    return [DATABASE] if Path(folder).name in ("databases", "transactions") else []
