"""A whole database made by ``neo4j-admin database import``, and put in the place of the embedded server's.

The new store is made in a folder beside the server's own, which stays as it is until the last moment: what
is interrupted before has changed nothing, and the server need not stand still while the tool works. To let
the tool write where the server's data lie (the alternative) would leave a database that cannot be started.
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

from ..errors import DiskFull, EmbeddedError, LoadRunning
from .embedded import EmbeddedServer
from .embedded.config import ADMIN_CLASS, MB, memory_for
from .embedded.extras import embedded_extra
from .embedded.home import Home
from .embedded.jars import check_space
from .embedded.launching import find
from .embedded.process import machine_memory
from .sheets import ARRAY_DELIMITER, Sheets

DATABASE = "neo4j"

SPACE = 4
"""Bytes that the store and its indexes take for each byte of the files that it is made of, about."""

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
def workplace(home: Home) -> Iterator[Path]:
    """An empty folder beside the server's data, for one process at a time; removed afterwards.

    Raises:
        LoadRunning: another process uses it.
        MissingExtra, HomeNotUsable
    """
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
        raise home.trouble(error) from error
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        lock.release()


def _end_left_behind(folder: Path) -> None:
    """End a tool whose loader was killed, and which still writes to the folder."""
    import psutil

    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error):
            words = process.cmdline()
            if ADMIN_CLASS in words and _option(folder) in words:
                process.kill()
                process.wait(10)


def _option(folder: Path) -> str:
    return f"--additional-config={folder / 'import.conf'}"


def make_store(server: EmbeddedServer, sheets: Sheets, progress: Callable[[float], None]) -> None:
    """Make a store of ``sheets`` in their folder; ``progress`` is told which part of it is done.

    Raises:
        DiskFull, EmbeddedError, MissingExtra
    """
    folder = sheets.folder
    check_space(folder, SPACE * sheets.size)
    config = _CONFIG.format(folder=folder.relative_to(server.home.server))
    (folder / "import.conf").write_text(config, encoding="ascii")
    heap = memory_for(machine_memory()).heap // 2 // MB
    command = server.admin_tool_command(
        *("database", "import", "full", DATABASE, _option(folder), "--overwrite-destination"),
        *("--id-type=actual", f"--array-delimiter=U+{ord(ARRAY_DELIMITER):04X}"),
        *("--max-off-heap-memory=60%", *sheets.arguments()),
        heap=f"{max(heap, 512)}m",
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
    with tool:
        try:
            said = list(_watched(tool.stdout, progress))
        except BaseException:
            tool.kill()
            raise
    if tool.returncode:
        raise _failed(said, folder)


def _watched(lines: Iterable[str], progress: Callable[[float], None]) -> Iterator[str]:
    """What the tool says, told as progress: phases are numbered, and each counts its percents."""
    phase, phases = 0, 1
    for line in lines:
        if told := _DONE.search(line):
            if told[1]:
                phase, phases = int(told[1]) - 1, int(told[2])
            else:
                progress((phase + int(told[3]) / 100) / phases)
        yield line


def _failed(said: list[str], folder: Path) -> EmbeddedError:
    lines = [line.strip() for line in said if line.strip(" -\n")]
    if (
        "Command Failed" in lines
    ):  # then the reason follows, and after it what was said before, again
        start = len(lines) - 1 - lines[::-1].index("Command Failed")
        after = lines[start + 1 :]
        lines = (
            after[: after.index("Available resources:")]
            if "Available resources:" in after
            else after
        )
    reason = _CLASS.sub("", lines[-1])[:400] if lines else "it said nothing"
    if any(map(_NO_SPACE.search, said)):
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


def others(home: Home) -> list[int]:
    """Processes of other Python clients that use the server, which stopping it would break."""
    import os

    return [user for user in home.live_users() if user != os.getpid()]


def exchange(server: EmbeddedServer, folder: Path) -> None:
    """Put the store that was made in ``folder`` in the place of the server's, which is stopped.

    Nothing is lost with the old one: it is one without any dataset. The log of transactions goes first,
    since a store without its log cannot be started.

    Raises:
        EmbeddedError, HomeNotUsable
    """
    with embedded_extra():
        from filelock import FileLock

    home = server.home
    for _ in range(_TRIES):
        server.stop()
        with FileLock(home.lock, mode=0o600):
            if find(home) is None:
                _move(folder / "data", home.data, folder / "before")
                return
        time.sleep(0.1)
    raise EmbeddedError(
        "the embedded server is started again and again while it must stand still",
        where=str(home.folder),
        hint="see what uses it (`tuqa neo4j status`), and run this again",
    )


def _move(made: Path, data: Path, before: Path) -> None:
    before.mkdir()
    for kind in ("databases", "transactions"):
        with contextlib.suppress(FileNotFoundError):
            (data / kind / DATABASE).rename(before / kind)
    for kind in ("transactions", "databases"):
        (data / kind).mkdir(parents=True, exist_ok=True)
        (made / kind / DATABASE).rename(data / kind / DATABASE)
