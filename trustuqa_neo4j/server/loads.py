"""Loads of uploaded files, and their previews: each runs in a thread, and a load can be cancelled.

Uploaded files stay in a private folder, so that the page can show the lines of a fact. Those of a preview
wait there to be loaded, until another preview needs the place or ``PREVIEW_LIFETIME`` is over. The state of
loads and previews is in the records of the server: each of its workers can show, follow and cancel them.
"""

from __future__ import annotations

import asyncio
import re
import shutil
import tempfile
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event
from time import monotonic, time
from typing import Any, Literal, NoReturn, TypeAlias

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
from .records import Records
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
    """A load: its state, its phase with what is ``done`` of ``total``, and its report or its problem.

    ``worker`` is the number of the process that runs it, ``folder`` has its files if they were uploaded.
    """

    id: str
    dataset: str
    files: tuple[str, ...]
    worker: int = 1
    folder: Path | None = None
    state: LoadState = "running"
    phase: str = "wait"
    done: int = 0
    total: int = 0
    unit: str = "bytes"
    messages: list[str] = field(default_factory=list)
    report: LoadReport | None = None
    error: TrustUQAError | None = None

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
    """The uploaded files, in a folder for each dataset; those that are not loaded yet in ``workspace``."""

    def __init__(self, workspace: Path) -> None:
        self._workspace = workspace
        self._folder = workspace.parent

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
            folder = Path(tempfile.mkdtemp(dir=self._workspace))
        except OSError as error:
            raise DiskFull(
                f"no folder for uploads ({error.strerror})",
                where=str(self._workspace),
                hint="free some space, or set TUQA_HOME to another disk",
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

    ``options`` are those of the load besides ``dataset`` and ``mode``. ``expiry`` is in seconds of the clock.
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
    def __init__(
        self, tuqa: TrustUQA, uploads: Uploads, records: Records, workers: int = 1
    ) -> None:
        self._tuqa = tuqa
        self._uploads = uploads
        self._records = records
        self._places = asyncio.Semaphore(max(1, _PREVIEWS_AT_ONCE // workers))

    def get(self, name: str) -> LoadPreview:
        """Find a preview by its id.

        Raises:
            UnknownPreview
        """
        self.remove_expired()
        preview: LoadPreview | None = self._records.get("preview", name)
        return preview or _refuse_preview(name)

    async def add(
        self, uploads: list[UploadFile], dataset: str, mode: LoadMode, options: Mapping[str, Any]
    ) -> LoadPreview:
        """Keep the files and read them; without ``dataset`` it is named after the first file.

        Raises:
            UsageError, DiskFull
        """
        folder, files = await self._uploads.receive(uploads)
        dataset = dataset or name_dataset([files[0].name]) or files[0].name
        name = f"p{self._records.next_number('preview')}"
        preview = LoadPreview(name, folder, tuple(files), dataset)
        preview.expiry = time() + PREVIEW_LIFETIME
        try:
            await self.read(preview, dataset, mode, options)
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise
        asyncio.get_running_loop().call_later(PREVIEW_LIFETIME, self.remove_expired)
        for old in self._records.names("preview")[:-_MAX_PREVIEWS]:
            self._remove(old)
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
        self._records.put("preview", preview.id, preview)

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
        preview: LoadPreview | None = self._records.take("preview", name)
        return preview or _refuse_preview(name)

    def remove_expired(self) -> None:
        now = time()
        for preview in self._records.values("preview"):
            if preview.expiry <= now:
                self._remove(preview.id)

    def _remove(self, name: str) -> None:
        preview: LoadPreview | None = self._records.take("preview", name)
        if preview is not None:
            shutil.rmtree(preview.folder, ignore_errors=True)


def _refuse_preview(name: str) -> NoReturn:
    raise UnknownPreview(
        f"no preview {name!r}",
        hint=f"choose the files again: they are kept for {PREVIEW_LIFETIME / 60:.0f} minutes",
    )


class Loads:
    """The loads of this server, one at a time for the database; the last are kept.

    ``worker`` is the number of this process among the ``workers`` of the server.
    """

    def __init__(
        self,
        tuqa: TrustUQA,
        uploads: Uploads,
        records: Records,
        worker: int = 1,
        workers: int = 1,
    ) -> None:
        self._tuqa = tuqa
        self._uploads = uploads
        self._records = records
        self._worker = worker
        self.previews: Previews = Previews(tuqa, uploads, records, workers)
        self._tasks: dict[asyncio.Task[None], Event] = {}
        self._end_abandoned()

    def get(self, name: str) -> ServerLoad:
        """Find a load by its id.

        Raises:
            UnknownLoad
        """
        job: ServerLoad | None = self._records.get("load", name)
        if job is None:
            raise UnknownLoad(f"no load {name!r}", hint=f"the last {_MAX_KEPT} are kept")
        return job

    def jobs(self) -> list[ServerLoad]:
        return self._records.values("load")

    def cancel(self, name: str) -> ServerLoad:
        """Let a load end, in whichever process it runs.

        Raises:
            UnknownLoad
        """
        job = self.get(name)
        self._records.put("cancellation", name, value=True)
        return job

    def is_cancelled(self, name: str) -> bool:
        return self._records.get("cancellation", name) is not None

    async def follow(self, name: str) -> AsyncIterator[ServerLoad]:
        """Yield a load whenever it has changed, at most five times a second, to its end."""
        shown = None
        while True:
            job = self.get(name)
            now = (job.state, job.phase, job.done, len(job.messages))
            if now != shown:
                shown = now
                yield job
            if job.state != "running":
                return
            await asyncio.sleep(_INTERVAL)

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
        return self._start(folder, files, dataset, mode, options)[0]

    def start_preview(self, name: str, dataset: str, mode: LoadMode) -> ServerLoad:
        """Begin to load the files of a preview, which ends; return the load at once.

        Raises:
            UnknownPreview; AskingError: too many loads run or wait.
        """
        self._check_room()
        preview = self.previews.take(name)
        return self._start(preview.folder, preview.files, dataset, mode, preview.load_options)[0]

    async def load_path(self, path: str, *, dataset: str, **options: Any) -> LoadReport:
        """Load a file or folder of this machine when its turn comes; cancelling the task cancels the load.

        Raises:
            UsageError, DataError, DatabaseError, Cancelled; AskingError: too many loads run or wait.
        """
        self._check_room()
        job, task = self._start(None, (path,), dataset, "new", options)
        try:
            await asyncio.shield(task)
        except asyncio.CancelledError:
            self._tasks[task].set()
            raise
        if job.error is not None:
            raise job.error
        assert job.report is not None, "a load without an error has a report"
        return job.report

    def _check_room(self) -> None:
        if len(self._records.names("queue")) >= _MAX_KEPT:
            raise AskingError("too many loads wait", hint="wait for one of them, or cancel it")

    def _start(
        self,
        folder: Path | None,
        files: Sequence[File | str],
        dataset: str,
        mode: LoadMode,
        options: Mapping[str, Any],
    ) -> tuple[ServerLoad, asyncio.Task[None]]:
        names = tuple(file if isinstance(file, str) else file.name for file in files)
        name = f"l{self._records.next_number('load')}"
        job = ServerLoad(name, dataset, names, self._worker, folder)
        self._records.put("load", name, job)
        self._records.put("queue", name, value=True)
        ended = [load.id for load in self.jobs() if load.state != "running"]
        for old in ended[: max(0, len(self._records.names("load")) - _MAX_KEPT)]:
            self._records.take("load", old)
            self._records.take("cancellation", old)
        cancelled = Event()
        task = asyncio.create_task(self._run(job, files, mode, options, cancelled))
        self._tasks[task] = cancelled
        task.add_done_callback(self._tasks.pop)
        return job, task

    async def cancel_all(self) -> None:
        """Cancel the loads of this process, and wait until they have stopped."""
        for cancelled in self._tasks.values():
            cancelled.set()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _run(
        self,
        job: ServerLoad,
        files: Sequence[File | str],
        mode: LoadMode,
        options: Mapping[str, Any],
        cancelled: Event,
    ) -> None:
        progress = self._report(job, cancelled)
        try:
            await self._wait_for_turn(job, cancelled)
            job.report = await run_in_threadpool(
                self._tuqa.load,
                *files, dataset=job.dataset, mode=mode, progress=progress, **options,
            )  # fmt: skip
            if job.folder is not None:
                self._uploads.keep(job.folder, job.dataset)
            job.state = "finished"
        except Cancelled as error:
            job.error = error
            if mode == "new" and job.phase != "wait":
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
            self._end(job)

    async def _wait_for_turn(self, job: ServerLoad, cancelled: Event) -> None:
        # The loads before it may be those of other processes.
        while self._records.names("queue")[:1] != [job.id]:
            self._check(job, cancelled)
            await asyncio.sleep(_INTERVAL)

    def _check(self, job: ServerLoad, cancelled: Event) -> None:
        if cancelled.is_set() or self.is_cancelled(job.id):
            raise Cancelled("the load was cancelled", hint="load the file again")

    def _end(self, job: ServerLoad) -> None:
        if job.folder is not None:
            shutil.rmtree(job.folder, ignore_errors=True)
        self._records.put("load", job.id, job)
        self._records.take("queue", job.id)

    def _end_abandoned(self) -> None:
        """End the loads of a process that had the number of this one."""
        for job in self.jobs():
            if job.worker == self._worker and job.state == "running":
                job.state = "failed"
                job.error = DataError(
                    "the process that ran the load ended", hint="load the files again"
                )
                self._end(job)

    def _drop_unfinished(self, dataset: str) -> None:
        if any(entry.name == dataset and not entry.complete for entry in self._tuqa.datasets()):
            self._tuqa.drop(dataset)

    def _report(self, job: ServerLoad, cancelled: Event) -> Progress:
        # Called in the thread of the load, which a callback that raises ends.
        written = 0.0

        def check(*, is_urgent: bool = False) -> None:
            nonlocal written
            now = monotonic()
            if is_urgent or cancelled.is_set() or now - written >= _INTERVAL:
                written = now
                self._records.put("load", job.id, job)
                self._check(job, cancelled)

        def begin(phase: str, total: int, unit: str = "bytes", /) -> None:
            job.phase, job.done, job.total, job.unit = phase, 0, total, unit
            check(is_urgent=True)

        def advance(done: int) -> None:
            job.done = done
            check()

        def notify(message: str) -> None:
            job.messages.append(message)
            check(is_urgent=True)

        return Progress(begin, advance, notify=notify)
