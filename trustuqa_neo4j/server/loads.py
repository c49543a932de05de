"""Loads of uploaded files, and their previews: each runs in a thread, and a load can be cancelled.

Uploaded files stay in a private folder, so that the page can show the lines of a fact. Those of a preview
wait there to be loaded, until another preview needs the place or ``PREVIEW_LIFETIME`` is over.
"""

from __future__ import annotations

import asyncio
import re
import shutil
import tempfile
from collections import OrderedDict
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event
from time import monotonic
from typing import Any, Literal, TypeAlias

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import UploadFile

from ..client import TrustUQA
from ..errors import (
    AskingError,
    Cancelled,
    DataError,
    DiskFull,
    TrustUQAError,
    UsageError,
)
from ..graph.load_journal import LoadMode
from ..loading.formats import File
from ..loading.inputs import name_dataset
from ..loading.request import LoadReport, Progress
from .problems import make_problem
from .request_errors import UnknownLoad, UnknownPreview

LoadState: TypeAlias = Literal["running", "finished", "cancelled", "failed"]

PREVIEW_LIFETIME = 1800.0
"""Seconds for which the files of a preview are kept."""

MAX_BAD = 100
"""Malformed lines up to which the rest of a file is previewed."""

_MAX_KEPT = 100
_MAX_PREVIEWS = 20
_PREVIEWS_AT_ONCE = 2
_CHUNK = 1 << 20
_INTERVAL = 0.2  # seconds between two reports of progress
_NOT_IN_NAMES = re.compile(r"[/\\\x00-\x1f\x7f]")


@dataclass
class ServerLoad:
    """A load: its state, its phase with what is ``done`` of ``total``, and its report or its problem."""

    id: str
    dataset: str
    files: tuple[str, ...]
    state: LoadState = "running"
    phase: str = "wait"
    done: int = 0
    total: int = 0
    unit: str = "bytes"
    messages: list[str] = field(default_factory=list)
    report: LoadReport | None = None
    error: TrustUQAError | None = None
    cancelled: Event = field(default_factory=Event, repr=False)

    def to_dict(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "dataset": self.dataset,
            "files": list(self.files),
            "state": self.state,
            "phase": self.phase,
            "done": self.done,
            "total": self.total or None,
            "unit": self.unit,
            "messages": list(self.messages),
            "report": None if self.report is None else self.report.to_dict(),
            "problem": None if self.error is None else make_problem(self.error),
        }


class Uploads:
    """The folder of uploaded files, one folder for each dataset; only its owner can read it."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def find(self, dataset: str, name: str) -> Path | None:
        """The uploaded file ``name`` of ``dataset``; None if there is none."""
        path = self._folder / _make_file_name(dataset) / _make_file_name(name)
        return path if path.is_file() else None

    async def receive(self, uploads: list[UploadFile]) -> tuple[Path, list[File]]:
        """Write the files to a new folder, and return it with them.

        Raises:
            UsageError, DiskFull
        """
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            folder = Path(tempfile.mkdtemp(prefix=".new-", dir=self._folder))
        except OSError as error:
            raise DiskFull(
                f"no folder for uploads ({error.strerror})",
                where=str(self._folder),
                hint="set TUQA_HOME to a folder that can be written",
            ) from error
        files: list[File] = []
        try:
            for upload in uploads:
                name = _make_file_name(upload.filename or "")
                if not name.strip(". "):
                    raise UsageError("an upload without a file name", hint="send filename=NAME")
                if any(file.name == name for file in files):
                    raise UsageError(f"two files are called {name!r}", hint="rename one of them")
                path = folder / name
                await run_in_threadpool(_write_upload, upload, path)
                files.append(File(path, name))
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise
        return folder, files

    def keep(self, folder: Path, dataset: str) -> None:
        """Move the files of ``folder`` to those of ``dataset``."""
        target = self._folder / _make_file_name(dataset)
        target.mkdir(mode=0o700, exist_ok=True)
        for path in folder.iterdir():
            path.replace(target / path.name)
        folder.rmdir()


def _make_file_name(text: str) -> str:
    # Neither a path nor a hidden file.
    return _NOT_IN_NAMES.sub("_", text).lstrip(".")[-200:]


def _write_upload(upload: UploadFile, path: Path) -> None:
    try:
        with path.open("xb") as file:
            shutil.copyfileobj(upload.file, file, _CHUNK)
    except OSError as error:
        raise DiskFull(
            f"the upload cannot be written ({error.strerror})",
            where=path.name,
            hint="free some space, or set TUQA_HOME to another disk",
        ) from error


@dataclass
class LoadPreview:
    """Uploaded files and how they were read: the report of a dry run, or the error that ended it.

    ``options`` are those of the load besides ``dataset`` and ``mode``. ``expiry`` is on the monotonic clock.
    """

    id: str
    folder: Path
    files: tuple[File, ...]
    dataset: str
    mode: LoadMode = "new"
    options: Mapping[str, Any] = field(default_factory=dict)
    report: LoadReport | None = None
    error: TrustUQAError | None = None
    expiry: float = 0.0

    @property
    def load_options(self) -> dict[str, Any]:
        """The options with which a load reads what the preview shows."""
        skipped = 0 if self.report is None else len(self.report.bad)
        return {**self.options, "skip_bad": skipped}


class Previews:
    def __init__(self, tuqa: TrustUQA, uploads: Uploads) -> None:
        self._tuqa = tuqa
        self._uploads = uploads
        self._kept: OrderedDict[str, LoadPreview] = OrderedDict()
        self._places = asyncio.Semaphore(_PREVIEWS_AT_ONCE)
        self._count = 0

    def get(self, name: str) -> LoadPreview:
        """Find a preview by its id.

        Raises:
            UnknownPreview
        """
        self.remove_expired()
        preview = self._kept.get(name)
        if preview is None:
            raise UnknownPreview(
                f"no preview {name!r}",
                hint=f"choose the files again: they are kept for {PREVIEW_LIFETIME / 60:.0f} minutes",
            )
        return preview

    async def add(
        self, uploads: list[UploadFile], dataset: str, mode: LoadMode, options: Mapping[str, Any]
    ) -> LoadPreview:
        """Keep the files and read them; without ``dataset`` it is named after the first file.

        Raises:
            UsageError, DiskFull
        """
        folder, files = await self._uploads.receive(uploads)
        self._count += 1
        dataset = dataset or name_dataset([files[0].name]) or files[0].name
        preview = LoadPreview(f"p{self._count}", folder, tuple(files), dataset)
        preview.expiry = monotonic() + PREVIEW_LIFETIME
        self._kept[preview.id] = preview
        asyncio.get_running_loop().call_later(PREVIEW_LIFETIME, self.remove_expired)
        for name in [*self._kept][:-_MAX_PREVIEWS]:
            self.remove(name)
        await self.read(preview, dataset, mode, options)
        return preview

    async def read(
        self, preview: LoadPreview, dataset: str, mode: LoadMode, options: Mapping[str, Any]
    ) -> None:
        """Read the files of ``preview`` anew; an error of the package becomes part of it."""
        preview.dataset, preview.mode, preview.options = dataset, mode, options
        report, problem = None, None
        try:
            report = await self.read_files(
                preview.files, dataset, mode=mode, skip_bad=MAX_BAD, **options
            )
        except TrustUQAError as error:
            problem = error
        preview.report, preview.error = report, problem

    async def read_files(self, files: Sequence[File], dataset: str, **options: Any) -> LoadReport:
        """Read files as a load would, and write nothing; few are read at a time."""
        async with self._places:
            return await run_in_threadpool(
                self._tuqa.load, *files, dataset=dataset, dry_run=True, **options
            )

    def take(self, name: str) -> LoadPreview:
        """Find a preview and forget it; its files are the caller's.

        Raises:
            UnknownPreview
        """
        preview = self.get(name)
        del self._kept[preview.id]
        return preview

    def remove(self, name: str) -> None:
        shutil.rmtree(self._kept.pop(name).folder, ignore_errors=True)

    def remove_expired(self) -> None:
        now = monotonic()
        for preview in [*self._kept.values()]:
            if preview.expiry <= now:
                self.remove(preview.id)

    def remove_all(self) -> None:
        for name in [*self._kept]:
            self.remove(name)


class Loads:
    """The loads of this server, one at a time for the database; the last are kept."""

    def __init__(self, tuqa: TrustUQA, uploads: Uploads) -> None:
        self._tuqa = tuqa
        self._uploads = uploads
        self.previews = Previews(tuqa, uploads)
        self._jobs: OrderedDict[str, ServerLoad] = OrderedDict()
        self._tasks: set[asyncio.Task[None]] = set()
        self._turn = asyncio.Lock()
        self._count = 0

    def get(self, name: str) -> ServerLoad:
        """Find a load by its id.

        Raises:
            UnknownLoad
        """
        job = self._jobs.get(name)
        if job is None:
            raise UnknownLoad(f"no load {name!r}", hint=f"the last {_MAX_KEPT} are kept")
        return job

    def jobs(self) -> list[ServerLoad]:
        return [*self._jobs.values()]

    async def preview(self, uploads: list[UploadFile], dataset: str, **options: Any) -> LoadReport:
        """Read the files as a load would, and write nothing."""
        folder, files = await self._uploads.receive(uploads)
        try:
            return await self.previews.read_files(files, dataset, **options)
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    async def start(
        self, uploads: list[UploadFile], dataset: str, *, mode: LoadMode = "new", **options: Any
    ) -> ServerLoad:
        """Begin a load; return it at once.

        Raises:
            AskingError: too many loads run or wait.
        """
        self._check_room()
        folder, files = await self._uploads.receive(uploads)
        return self._start(folder, files, dataset, mode, options)

    def start_preview(self, name: str, dataset: str, mode: LoadMode) -> ServerLoad:
        """Begin to load the files of a preview, which ends; return the load at once.

        Raises:
            UnknownPreview; AskingError: too many loads run or wait.
        """
        self._check_room()
        preview = self.previews.take(name)
        return self._start(preview.folder, preview.files, dataset, mode, preview.load_options)

    def _check_room(self) -> None:
        if sum(job.state == "running" for job in self._jobs.values()) >= _MAX_KEPT:
            raise AskingError("too many loads wait", hint="wait for one of them, or cancel it")

    def _start(
        self,
        folder: Path,
        files: Sequence[File],
        dataset: str,
        mode: LoadMode,
        options: Mapping[str, Any],
    ) -> ServerLoad:
        self._count += 1
        job = ServerLoad(f"l{self._count}", dataset, tuple(file.name for file in files))
        self._jobs[job.id] = job
        for name in [n for n, old in self._jobs.items() if old.state != "running"]:
            if len(self._jobs) > _MAX_KEPT:
                del self._jobs[name]
        task = asyncio.create_task(self._run(job, folder, files, mode, options))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return job

    async def cancel_all(self) -> None:
        """Cancel all loads, wait until they have stopped, and delete the files of previews."""
        self.previews.remove_all()
        for job in self._jobs.values():
            job.cancelled.set()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _run(
        self,
        job: ServerLoad,
        folder: Path,
        files: Sequence[File],
        mode: LoadMode,
        options: Mapping[str, Any],
    ) -> None:
        progress = _report_to(job)
        async with self._turn:
            try:
                job.report = await run_in_threadpool(
                    self._tuqa.load,
                    *files, dataset=job.dataset, mode=mode, progress=progress, **options,
                )  # fmt: skip
                self._uploads.keep(folder, job.dataset)
                job.state = "finished"
            except Cancelled as error:
                job.error = error
                if mode == "new":
                    await run_in_threadpool(self._drop_unfinished, job.dataset)
                job.state = "cancelled"
            except TrustUQAError as error:
                job.error = error
                job.state = "failed"
            except BaseException:
                job.error = DataError("the load stopped by a fault of this program")
                job.state = "failed"
                raise
            finally:
                shutil.rmtree(folder, ignore_errors=True)

    def _drop_unfinished(self, dataset: str) -> None:
        if any(entry.name == dataset and not entry.complete for entry in self._tuqa.datasets()):
            self._tuqa.drop(dataset)


def _report_to(job: ServerLoad) -> Progress:
    # Called in the thread of the load, which a callback that raises ends.
    def check() -> None:
        if job.cancelled.is_set():
            raise Cancelled("the load was cancelled", hint="load the file again")

    def begin(phase: str, total: int, unit: str = "bytes", /) -> None:
        job.phase, job.done, job.total, job.unit = phase, 0, total, unit
        check()

    def advance(done: int) -> None:
        job.done = done
        check()

    def notify(message: str) -> None:
        job.messages.append(message)
        check()

    return Progress(begin, advance, notify=notify)


async def follow_load(job: ServerLoad) -> AsyncIterator[ServerLoad]:
    """Yield ``job`` whenever it has changed, at most five times a second, to its end."""
    shown = None
    while True:
        is_last = job.state != "running"
        now = (job.state, job.phase, job.done, len(job.messages))
        if now != shown:
            shown = now
            yield job
        if is_last:
            return
        await asyncio.sleep(_INTERVAL)
