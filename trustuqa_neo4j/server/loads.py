"""Loads of uploaded files, and their previews: each is read in a process of its own, and can be cancelled.

Uploaded files stay in a private folder, so that the page can show the lines of a fact. Those of a preview
wait there to be loaded, until another preview needs the place or ``PREVIEW_LIFETIME`` is over.
"""

from __future__ import annotations

import asyncio
import json
import shutil
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from time import monotonic
from typing import Any, Literal, NoReturn, TypeAlias

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import UploadFile

from ..client import TrustUQA
from ..errors import (
    AskingError,
    Cancelled,
    DatabaseError,
    DataError,
    LoadRunning,
    TrustUQAError,
    UsageError,
    undo_on_failure,
)
from ..graph.catalog import DroppedCounts
from ..graph.load_journal import LoadMode, read_loaded_hashes
from ..loading.formats import File
from ..loading.inputs import name_dataset
from ..loading.request import LoadReport
from ..loading.sample import DATASET, list_sample_files
from ..model.dataset_limit import covers_limit, is_within_limit, read_dataset_limit
from ..wording import LoadChange
from .load_process import run_load
from .load_program import INTERVAL
from .options import ReadLimits, ServerOptions
from .problems import BadBody, UnknownLoad, UnknownPreview, make_problem
from .uploads import Uploads

LoadState: TypeAlias = Literal["running", "finished", "cancelled", "failed"]

PREVIEW_LIFETIME = 1800.0
"""Seconds for which the files of a preview are kept."""

MAX_BAD = 100
"""Malformed lines up to which the rest of a file is previewed."""

_PREVIEW = "preview"  # a dataset that is not written
_MAX_KEPT = 100
_MAX_WAITING = 20  # loads, whose files take disk space
_MAX_PREVIEWS = 20
_PREVIEWS_AT_ONCE = 2
_MAX_MESSAGES = 100


@dataclass
class ServerLoad:
    """A load: its state, its phase with what is ``done`` of ``total``, and its report or its problem.

    ``folder`` has its files if they were uploaded. ``options`` are those besides ``dataset`` and mode.
    ``hashes`` are those of the files that the dataset had after the load, None until it has ended.
    """

    id: str
    dataset: str
    files: tuple[str, ...]
    folder: Path | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    state: LoadState = "running"
    is_cancelling: bool = False
    phase: str = "wait"
    done: int = 0
    total: int = 0
    unit: str = "bytes"
    messages: list[str] = field(default_factory=list)
    report: LoadReport | None = None
    error: TrustUQAError | None = None
    hashes: frozenset[str] | None = None

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

    def note_progress(self, message: Mapping[str, Any]) -> None:
        """Take what the process that loads has told."""
        event = message["event"]
        if event == "begin":
            self.phase, self.total = message["phase"], message["total"]
            self.done, self.unit = 0, message["unit"]
        elif event == "advance":
            self.done = message["done"]
        elif len(self.messages) < _MAX_MESSAGES:
            self.messages.append(message["message"])


class UploadReader:
    """Starts the processes that read files, with the settings and the scope of the client."""

    def __init__(self, tuqa: TrustUQA, uploads: Uploads) -> None:
        self._tuqa = tuqa
        self._uploads = uploads

    async def run(
        self,
        files: Sequence[File | str],
        limits: ReadLimits,
        options: Mapping[str, Any],
        job: ServerLoad | None = None,
    ) -> LoadReport:
        """Load or preview ``files``; the progress is that of ``job``.

        Raises:
            UsageError, DataError, DatabaseError
        """
        self._tuqa.check_scope(options["dataset"])
        settings = self._tuqa.connection.settings
        if settings is None:
            raise UsageError("loads need the settings of the database", hint="TrustUQA.connect()")
        tell = (lambda _: None) if job is None else job.note_progress
        folder = self._uploads.make_folder()
        return await run_load(settings, self._tuqa.scope, files, folder, limits, options, tell)

    def name_preview(self, file: str) -> str:
        """The dataset to which the preview of a file belongs if none is named."""
        scope = self._tuqa.scope
        name = name_dataset([file]) or file
        return name if not scope or name in scope else scope[0]


@dataclass
class LoadPreview:
    """Uploaded files and how they were read: the report of a dry run, or the error that ended it.

    ``options`` are those of the load besides ``dataset`` and ``mode``. ``expiry`` is in seconds of the clock.
    ``limit`` are the datasets of who uploaded the files.
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
    limit: frozenset[str] | None = field(default_factory=read_dataset_limit)

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns, as they are shown."""
        tables = () if self.report is None else self.report.tables
        return tuple(dict.fromkeys(column.name for table in tables for column in table.columns))

    def read_columns(self, fields: Mapping[str, str]) -> dict[str, dict[str, str]]:
        """The options of columns in a form, whose fields have the places of the columns."""
        originals = {new: old for old, new in self.options.get("rename", {}).items()}
        types: dict[str, str] = {}
        rename: dict[str, str] = {}
        split: dict[str, str] = {}
        for place, name in enumerate(self.columns):
            new = fields.get(f"name-{place}", "").strip() or name
            old = originals.get(name, name)
            if new != old:
                rename[old] = new
            if kind := fields.get(f"type-{place}", ""):
                types[new] = kind
            if sign := fields.get(f"split-{place}", "").strip():
                split[new] = sign
        given = {"types": types, "rename": rename, "split": split}
        return {option: names for option, names in given.items() if names}

    @property
    def changes(self) -> Mapping[str, Sequence[LoadChange]]:
        """The changes that the notes offer, by note; options are those of all files, so none of several."""
        return {} if self.report is None or len(self.files) > 1 else self.report.changes

    @property
    def load_options(self) -> dict[str, Any]:
        """The options with which a load reads what the preview shows."""
        skipped = 0 if self.report is None else len(self.report.bad)
        return {**self.options, "skip_bad": skipped}


class Previews:
    def __init__(self, reader: UploadReader, uploads: Uploads, limits: ReadLimits) -> None:
        self._reader = reader
        self._uploads = uploads
        self._limits = limits
        self._entries: dict[str, LoadPreview] = {}
        self._count = 0
        self._places = asyncio.Semaphore(_PREVIEWS_AT_ONCE)

    def get(self, name: str) -> LoadPreview:
        """Find a preview by its id.

        Raises:
            UnknownPreview
        """
        self.remove_expired()
        preview = self._entries.get(name)
        if preview is None or not covers_limit(preview.limit):
            _refuse_preview(name)
        return preview

    async def add(
        self, uploads: list[UploadFile], dataset: str, mode: LoadMode, options: Mapping[str, Any]
    ) -> LoadPreview:
        """Keep the files and read them; without ``dataset`` it is named after the first file.

        Raises:
            UsageError, DiskFull
        """
        folder, files = await self._uploads.receive(uploads)
        with undo_on_failure(partial(shutil.rmtree, folder, ignore_errors=True)):
            dataset = dataset or self._reader.name_preview(files[0].name)
            self._count += 1
            preview = LoadPreview(f"p{self._count}", folder, files, dataset)
            preview.expiry = monotonic() + PREVIEW_LIFETIME
            await self.read(preview, dataset, mode, options)
        self._entries[preview.id] = preview
        asyncio.get_running_loop().call_later(PREVIEW_LIFETIME, self.remove_expired)
        for old in [*self._entries][:-_MAX_PREVIEWS]:
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

    async def read_files(self, files: Sequence[File], dataset: str, **options: Any) -> LoadReport:
        """Read files as a load would, and write nothing; few are read at a time."""
        options = {**options, "dataset": dataset, "dry_run": True}
        async with self._places:
            return await self._reader.run(files, self._limits, options)

    def take(self, name: str) -> LoadPreview:
        """Find a preview and forget it; its files are the caller's.

        Raises:
            UnknownPreview
        """
        self.get(name)
        return self._entries.pop(name)

    def remove_expired(self) -> None:
        now = monotonic()
        for preview in [*self._entries.values()]:
            if preview.expiry <= now:
                self._remove(preview.id)

    def _remove(self, name: str) -> None:
        shutil.rmtree(self._entries.pop(name).folder, ignore_errors=True)


def change_options(
    options: Mapping[str, Any], offered: Mapping[str, Sequence[LoadChange]], change: str
) -> dict[str, Any]:
    """The options of a load with a change of its notes, which is given as JSON.

    Raises:
        BadBody: no note offers it.
    """
    choices = {json.dumps(each): each for changes in offered.values() for each in changes}
    if change not in choices:
        raise BadBody("no note offers this any more", hint="load the file again with other options")
    changed = dict(options)
    for name, setting in choices[change].items():
        of_columns = options.get(name, {})
        changed[name] = {**of_columns, **setting} if isinstance(setting, dict) else setting
    if "header" in choices[change]:
        changed.pop("skip", None)  # they contradict each other
    return changed


def _refuse_preview(name: str) -> NoReturn:
    raise UnknownPreview(
        f"no preview {name!r}",
        hint=f"choose the files again: they are kept for {PREVIEW_LIFETIME / 60:.0f} minutes",
    )


def _describe_cancelled() -> Cancelled:
    return Cancelled("the load was cancelled", hint="load the file again")


class Loads:
    """The loads of this server, one at a time; the last are kept."""

    def __init__(self, tuqa: TrustUQA, uploads: Uploads, options: ServerOptions) -> None:
        self._tuqa = tuqa
        self._uploads = uploads
        self._limits = options.load
        self._reader = UploadReader(tuqa, uploads)
        self.previews: Previews = Previews(self._reader, uploads, options.preview)
        self._jobs: dict[str, ServerLoad] = {}
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._count = 0
        self._turn = asyncio.Lock()

    async def get(self, name: str) -> ServerLoad:
        """Find a load by its id.

        Raises:
            UnknownLoad, DatabaseError
        """
        job = self._jobs.get(name)
        if job is None or not await self._select_visible([job]):
            raise UnknownLoad(f"no load {name!r}", hint=f"the last {_MAX_KEPT} are kept")
        return job

    async def jobs(self) -> list[ServerLoad]:
        """List the loads that the present request may see, the oldest first.

        Raises:
            DatabaseError
        """
        return await self._select_visible([*self._jobs.values()])

    async def _select_visible(self, jobs: Sequence[ServerLoad]) -> list[ServerLoad]:
        """Select loads of the datasets of the request; a limit leaves out earlier datasets of their names."""
        own = [job for job in jobs if is_within_limit(job.dataset)]
        return own if read_dataset_limit() is None else await self._select_current(own)

    async def _select_current(self, jobs: Sequence[ServerLoad]) -> list[ServerLoad]:
        """Select loads whose dataset still has a file that it had after the load, or none as then."""
        ended = {job.dataset for job in jobs if job.hashes is not None}
        loaded = {dataset: await self._read_hashes(dataset) for dataset in ended}

        def is_current(job: ServerLoad) -> bool:
            if job.hashes is None:
                return True
            present = loaded[job.dataset]
            return bool(job.hashes & present) or not (job.hashes or present)

        return [*filter(is_current, jobs)]

    async def _read_hashes(self, dataset: str) -> frozenset[str]:
        hashes = await run_in_threadpool(read_loaded_hashes, self._tuqa.connection, dataset)
        return frozenset(hashes)

    async def cancel(self, name: str) -> ServerLoad:
        """Let a load end.

        Raises:
            UnknownLoad, DatabaseError
        """
        job = await self.get(name)
        self._cancel(job)
        return job

    def _cancel(self, job: ServerLoad) -> None:
        # A second one would interrupt what the first one does.
        if job.state == "running" and not job.is_cancelling:
            job.is_cancelling = True
            self._tasks[job.id].cancel()

    async def cancel_all(self) -> None:
        """Cancel all loads, and wait until they have stopped."""
        tasks = [*self._tasks.values()]
        for job in self._jobs.values():
            self._cancel(job)
        await asyncio.gather(*tasks, return_exceptions=True)

    async def follow(self, name: str) -> AsyncIterator[ServerLoad]:
        """Yield a load whenever it has changed, at most five times a second, to its end."""
        job, shown = await self.get(name), None
        while True:
            now = (job.state, job.phase, job.done, len(job.messages))
            if now != shown:
                shown = now
                yield job  # who takes it may be slow: the load may have ended meanwhile
            if now[0] != "running":
                return
            if task := self._tasks.get(job.id):
                await asyncio.wait([task], timeout=INTERVAL)

    async def preview(self, uploads: list[UploadFile], dataset: str, **options: Any) -> LoadReport:
        """Read the files as a load would, and write nothing."""
        folder, files = await self._uploads.receive(uploads)
        try:
            name = dataset or self._reader.name_preview(_PREVIEW)
            return await self.previews.read_files(files, name, **options)
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    async def start(
        self, uploads: list[UploadFile], dataset: str, *, mode: LoadMode = "new", **options: Any
    ) -> ServerLoad:
        """Begin a load; return it at once.

        Raises:
            AskingError: too many loads run or wait.
        """
        self._check_room(dataset)
        folder, files = await self._uploads.receive(uploads)
        return self._start(folder, files, dataset, mode, options)

    def start_preview(self, name: str, dataset: str, mode: LoadMode) -> ServerLoad:
        """Begin to load the files of a preview, which ends; return the load at once.

        Raises:
            UnknownPreview, UnknownDataset; AskingError: too many loads run or wait.
        """
        self._check_room(dataset)
        preview = self.previews.take(name)
        return self._start(preview.folder, preview.files, dataset, mode, preview.load_options)

    def start_sample(self) -> ServerLoad:
        """Begin to load the sample data, one file after the other; return the last load.

        Raises:
            AskingError: too many loads run or wait.
        """
        self._check_room(DATASET)
        jobs = [
            self._start(None, (file,), DATASET, "append", {"format": kind})
            for kind, file in list_sample_files()
        ]
        return jobs[-1]

    async def start_again(self, name: str, change: str) -> ServerLoad:
        """Begin to load the file of a load anew, in place of what it gave, with a change of a note.

        Raises:
            UnknownLoad, BadBody, DatabaseError; AskingError: too many loads run or wait.
        """
        job = await self.get(name)
        if not await self._select_current([job]):
            what = f"what this load gave is not in {job.dataset!r} any more"
            raise BadBody(what, hint="load the file itself")
        self._check_room(job.dataset)
        options = change_options(job.options, self.list_changes(job), change)
        files = [File(self._uploads.find(job.dataset, file), file) for file in job.files]
        return self._start(None, files, job.dataset, "replace", options)

    def list_changes(self, job: ServerLoad) -> Mapping[str, Sequence[LoadChange]]:
        """The changes that the notes of a load offer, by note; none if its file is not kept."""
        is_kept = len(job.files) == 1 and self._uploads.find(job.dataset, job.files[0]).is_file()
        return job.report.changes if is_kept and job.report is not None else {}

    async def load_path(self, path: str, *, dataset: str, **options: Any) -> LoadReport:
        """Load a file or folder of this machine when its turn comes; cancelling the task cancels the load.

        Raises:
            UsageError, DataError, DatabaseError, Cancelled; AskingError: too many loads run or wait.
        """
        self._check_room(dataset)
        job = self._start(None, (path,), dataset, "new", options)
        try:
            await asyncio.shield(self._tasks[job.id])
        except asyncio.CancelledError:
            self._cancel(job)
            raise
        if job.error is not None:
            raise job.error
        assert job.report is not None, "a load without an error has a report"
        return job.report

    async def drop(self, dataset: str) -> DroppedCounts:
        """Delete a dataset and its uploaded files.

        Raises:
            UnknownDataset, LoadRunning, DatabaseError
        """
        dropped = await run_in_threadpool(self._tuqa.drop, dataset)
        await run_in_threadpool(self._uploads.remove, dataset)
        return dropped

    async def rename(self, dataset: str, name: str) -> None:
        """Give a dataset and its uploaded files another name.

        Raises:
            UsageError, UnknownDataset, DatasetExists, LoadRunning, IncompleteDataset, DatabaseError
        """
        visible = await self.jobs()
        if any(job.state == "running" and job.dataset in (dataset, name) for job in visible):
            raise LoadRunning(
                "a load of this dataset runs or waits", hint="wait for it, or cancel it"
            )
        # A load that begins meanwhile is of another dataset, which has the old name.
        of_dataset = [job for job in self._jobs.values() if job.dataset == dataset]
        ended = [job for job in of_dataset if job.state != "running"]
        await run_in_threadpool(self._tuqa.rename, dataset, name)
        await run_in_threadpool(self._uploads.rename, dataset, name)
        for job in ended:
            job.dataset = name

    def _check_room(self, dataset: str) -> None:
        self._tuqa.check_scope(dataset)
        if len(self._tasks) >= _MAX_WAITING:
            raise AskingError("too many loads wait", hint="wait for one of them, or cancel it")

    def _start(
        self,
        folder: Path | None,
        files: Sequence[File | str],
        dataset: str,
        mode: LoadMode,
        options: Mapping[str, Any],
    ) -> ServerLoad:
        names = tuple(file if isinstance(file, str) else file.name for file in files)
        self._count += 1
        name = f"l{self._count}"
        job = self._jobs[name] = ServerLoad(name, dataset, names, folder, options)
        ended = [load.id for load in self._jobs.values() if load.state != "running"]
        for old in ended[: max(0, len(self._jobs) - _MAX_KEPT)]:
            del self._jobs[old]
        options = {**options, "dataset": dataset, "mode": mode}
        self._tasks[name] = asyncio.create_task(self._run(job, files, options))
        self._tasks[name].add_done_callback(lambda _: self._end(job))
        return job

    def _end(self, job: ServerLoad) -> None:
        del self._tasks[job.id]
        if job.state == "running":
            # Cancelled before its task began.
            job.error, job.state = _describe_cancelled(), "cancelled"
        if job.folder is not None:
            shutil.rmtree(job.folder, ignore_errors=True)

    async def _run(
        self, job: ServerLoad, files: Sequence[File | str], options: Mapping[str, Any]
    ) -> None:
        await self._load(job, files, options)
        with suppress(DatabaseError):
            job.hashes = await self._read_hashes(job.dataset)

    async def _load(
        self, job: ServerLoad, files: Sequence[File | str], options: Mapping[str, Any]
    ) -> None:
        try:
            async with self._turn:
                job.report = await self._reader.run(files, self._limits, options, job)
            job.state = "finished"
            self._keep_files(job, files)
        except asyncio.CancelledError:
            job.error = _describe_cancelled()
            job.state = await run_in_threadpool(self._clear, job, options["mode"], "cancelled")
        except TrustUQAError as error:
            job.error = error
            job.state = await run_in_threadpool(self._clear, job, options["mode"], "failed")
        except BaseException:
            job.error = DataError("the load stopped by a fault of this program")
            job.state = "failed"
            raise

    def _clear(self, job: ServerLoad, mode: LoadMode, state: LoadState) -> LoadState:
        """The state of a load that did not end by itself; what it has begun goes if it was cancelled."""
        with suppress(DatabaseError):
            stored = [d for d in self._tuqa.datasets() if d.name == job.dataset]
            if job.phase.startswith("embed") and any(entry.complete for entry in stored):
                # It can be asked, only similar names are not found.
                job.messages.append(f"not all names are embedded: {job.error}")
                job.error = None
                return "finished"
            is_begun = mode == "new" and any(not entry.complete for entry in stored)
            if state == "cancelled" and job.phase != "wait" and is_begun:
                self._tuqa.drop(job.dataset)
        return state

    def _keep_files(self, job: ServerLoad, files: Sequence[File | str]) -> None:
        # The data is loaded, whatever becomes of its files. Those that were not uploaded stay where they are.
        uploaded = [file for file in files if isinstance(file, File) and job.folder is not None]
        try:
            self._uploads.keep(uploaded, job.dataset)
        except TrustUQAError as error:
            job.messages.append(f"the page cannot show lines of the files: {error.summary}")
