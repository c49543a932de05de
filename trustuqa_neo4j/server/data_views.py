"""Views of data: datasets, their schemas, and loads of files.

A load goes through three pages that need no script: a form, the preview of the files, the load with its
progress. The script adds dropping of files, and the progress as it happens.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any
from urllib.parse import quote

from sse_starlette import EventSourceResponse, ServerSentEvent
from starlette.datastructures import UploadFile
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from ..errors import DatasetExists, TrustUQAError
from ..execution.name_search import SimilarNames
from ..graph.load_journal import LoadMode
from ..loading.formats import format_remark, list_loaders
from ..loading.preview import ColumnPreview
from ..loading.request import LoadReport
from ..loading.sample import DATASET as SAMPLE
from ..loading.unpacking import format_size
from ..model.dataset import (
    CLASS_COLUMNS,
    RELATION_COLUMNS,
    SOURCE_COLUMNS,
    Schema,
    SchemaSource,
    class_cells,
    describe_schema,
    relation_cells,
    source_cells,
)
from ..model.demonstration import Demonstration, DemonstrationState
from ..render.terminal import escape_controls, shorten_line
from ..wording import LoadChange
from .access import list_rights, require
from .api import read_form, read_load_options, read_texts
from .endpoints import Handler
from .loads import LoadPreview, Loads, ServerLoad, change_options
from .problems import BadBody, describe_problem, make_problem
from .service import Service, run_while_connected
from .templates import Templates

MAX_RELATIONS = 100
MAX_TABLES = 10
MAX_COLUMNS = 100
MAX_KEPT = 100
_MAX_REFUSED = 20
_MAX_CHOICES = 100  # sources in a list to choose from
_MAX_SEARCH = 200  # characters
_CELL_LENGTH = 200
_SHOWN_LOADS = 10

MODES: dict[LoadMode, str] = {
    "new": "as a new dataset",
    "append": "added to the dataset",
    "replace": "in place of the same sources",
    "replace-all": "in place of the whole dataset",
}

TYPES = ("text", "number", "date", "boolean")
"""Types that a column of a preview can be given."""
_MAKES_COLUMNS = ("format", "header", "delimiter", "skip")  # options of which columns depend

# The first word of a phase, as a person reads it.
_PHASES = {
    "wait": "Waiting for its turn",
    "look": "Looking at",
    "read": "Reading",
    "load": "Writing",
    "index": "Indexing",
    "embed": "Embedding names",
}


_CHANGES = {
    "delimiter": "Part the cells at {0}",
    "encoding": "Read it in {0}",
    "header": "Take line {0} as the header",
    "header none": "Read the first line as a row",
    "rename": "Call {0} {1}",
    "skip_end": "Leave out {0} rows at the end",
    "skip_end 0": "Read all rows",
    "split": "Part the cells of {0} at {1}",
    "types": "Read {0} as {1}",
}
"""Buttons for changes of a load, by option, or by option and value."""


@dataclass(frozen=True, slots=True)
class LoadNote:
    """A note of a load, and the changes that it offers: as JSON, and as the words of a button."""

    text: str
    changes: Sequence[tuple[str, str]] = ()


@dataclass(frozen=True, slots=True)
class Cut:
    """The first rows of a table, and the number of the others."""

    columns: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]
    omitted: int = 0


class DataViews:
    def __init__(self, service: Service, templates: Templates, loads: Loads) -> None:
        self._service = service
        self._templates = templates
        self._loads = loads

    def routes(self) -> list[Route]:
        loading: tuple[tuple[str, str, Handler], ...] = (
            ("POST", "/data/preview", self.add_preview),
            ("GET", "/data/previews/{preview}", self.show_preview),
            ("POST", "/data/previews/{preview}", self.read_again),
            ("POST", "/data/sample", self.load_sample),
            ("POST", "/data/load", self.start_load),
            ("GET", "/data/loads/{load}", self.show_load),
            ("GET", "/data/loads/{load}/progress", self.follow_load),
            ("POST", "/data/loads/{load}/again", self.load_again),
            ("POST", "/data/loads/{load}/cancel", self.cancel_load),
        )
        show = self._templates.show_problems
        delete = show(require("manage", self.drop_dataset))
        rename = show(require("manage", self.rename_dataset))
        return [
            Route("/data", show(require("ask", self.list_datasets))),
            *(Route(path, show(require("load", view)), methods=[m]) for m, path, view in loading),
            # A name may have a slash.
            Route("/data/{dataset:path}/delete", delete, methods=["POST"]),
            Route("/data/{dataset:path}/rename", rename, methods=["POST"]),
            Route("/data/{dataset:path}", show(require("ask", self.show_schema))),
        ]

    async def list_datasets(self, request: Request) -> Response:
        datasets = await self._service.call(self._service.tuqa.datasets)
        return self._templates.respond(
            request,
            "datasets.html",
            datasets=datasets,
            formats=_list_formats(),
            modes=MODES,
            loads=(await self._loads.jobs())[-_SHOWN_LOADS:][::-1],
            limit=format_size(self._service.options.max_upload),
        )

    async def add_preview(self, request: Request) -> Response:
        """Keep the uploaded files, read them, and lead to the page that shows how."""
        length = request.headers.get("content-length", "0")
        limit = self._service.options.max_upload
        if length.isdecimal() and int(length) > limit:
            problem = describe_problem(
                413,
                "body too long",
                f"the files have more than {format_size(limit)}",
                "choose fewer files, or load them with tuqa-load",
            )
            return self._templates.show_problem(request, problem)
        async with read_form(request) as form:
            values = form.getlist("file")
            # A form without a chosen file sends a part without a name.
            files = [v for v in values if isinstance(v, UploadFile) and v.filename]
            if not files:
                raise BadBody("no file was chosen", hint="choose at least one")
            dataset, mode, options = _read_options(read_texts(form))
            work = self._loads.previews.add(files, dataset, mode, options)
            preview = await run_while_connected(request, work)
        return _lead_to(f"/data/previews/{preview.id}")

    async def show_preview(self, request: Request) -> Response:
        preview = self._loads.previews.get(request.path_params["preview"])
        return await self._show_preview(request, preview, preview.error)

    async def read_again(self, request: Request) -> Response:
        """Read the files of a preview with other options."""
        preview = self._loads.previews.get(request.path_params["preview"])
        async with request.form() as form:
            fields = read_texts(form)
        dataset, mode, options = _read_options(fields)
        # Other columns have other names: what was said of the present ones would be refused.
        if all(options.get(name) == preview.options.get(name) for name in _MAKES_COLUMNS):
            options |= preview.read_columns(fields)
        if change := fields.get("change"):
            options = change_options(options, preview.changes, change)
        work = self._loads.previews.read(preview, dataset or preview.dataset, mode, options)
        await run_while_connected(request, work)
        return _lead_to(f"/data/previews/{preview.id}")

    async def load_sample(self, request: Request) -> Response:  # noqa: ARG002 # Starlette's
        """Load the sample data, where there are none."""
        if SAMPLE in await self._list_complete():
            return _lead_to(f"/?dataset={SAMPLE}")
        return _lead_to(f"/data/loads/{self._loads.start_sample().id}")

    async def start_load(self, request: Request) -> Response:
        async with request.form() as form:
            fields = read_texts(form)
        preview = self._loads.previews.get(fields.get("preview", ""))
        dataset, mode, _ = _read_options(fields)
        preview.dataset, preview.mode = dataset or preview.dataset, mode
        # The load would say it too, but its files were gone then.
        if mode == "new" and preview.dataset in await self._list_complete():
            error = DatasetExists(
                f"there is a dataset {preview.dataset!r} already",
                hint="take another name, or choose how it is loaded",
            )
            return await self._show_preview(request, preview, error)
        job = self._loads.start_preview(preview.id, preview.dataset, mode)
        return _lead_to(f"/data/loads/{job.id}")

    async def show_load(self, request: Request) -> Response:
        job = await self._loads.get(request.path_params["load"])
        return self._templates.respond(request, "load.html", **self._describe_load(job))

    async def load_again(self, request: Request) -> Response:
        """Load the file of a load anew, with a change that a note offers."""
        async with request.form() as form:
            change = read_texts(form).get("change", "")
        job = await self._loads.start_again(request.path_params["load"], change)
        return _lead_to(f"/data/loads/{job.id}")

    async def follow_load(self, request: Request) -> Response:
        """Stream the state of a load as parts of its page, to its end."""
        job = await self._loads.get(request.path_params["load"])
        return EventSourceResponse(self._stream_load(job.id), sep="\n")

    async def _stream_load(self, name: str) -> AsyncIterator[ServerSentEvent]:
        async for state in self._loads.follow(name):
            content = self._describe_load(state)
            yield ServerSentEvent(self._templates.render("load_state.html", **content))

    async def cancel_load(self, request: Request) -> Response:
        job = await self._loads.cancel(request.path_params["load"])
        return _lead_to(f"/data/loads/{job.id}")

    async def show_schema(self, request: Request) -> Response:
        dataset = request.path_params["dataset"]
        source = request.query_params.get("source") or None
        search = request.query_params.get("search", "").strip()[:_MAX_SEARCH]
        tuqa = self._service.tuqa
        schema = await self._service.call(tuqa.schema, dataset, source)
        # Those of the whole dataset can be chosen.
        sources = schema.sources
        if source is not None:
            sources = (await self._service.call(tuqa.schema, dataset)).sources
        names: SimilarNames | None = None
        if search:
            names = await self._service.call(tuqa.find_names, search, dataset, source=source)
        return self._templates.respond(
            request,
            "schema.html",
            schema=schema,
            summary=escape_controls(describe_schema(schema)),
            search=search,
            choices=[s.name for s in sources[:_MAX_CHOICES]],
            are_all_choices=len(sources) <= _MAX_CHOICES,
            names=names,
            wrong=await self._list_kept(dataset, "wrong"),
            saved=await self._list_kept(dataset, "saved"),
            **_lay_out_schema(schema, search),
        )

    async def drop_dataset(self, request: Request) -> Response:
        dataset = request.path_params["dataset"]
        async with request.form() as form:
            name = read_texts(form).get("name", "")
        if name.strip() != dataset:
            raise BadBody(
                "the name is not that of the dataset", hint=f"nothing was deleted: type {dataset!r}"
            )
        await self._loads.drop(dataset)
        return _lead_to("/data")

    async def rename_dataset(self, request: Request) -> Response:
        async with request.form() as form:
            name = read_texts(form).get("name", "").strip()
        await self._loads.rename(request.path_params["dataset"], name)
        return _lead_to(f"/data/{quote(name)}")

    async def _list_kept(self, dataset: str, state: DemonstrationState) -> Sequence[Demonstration]:
        """The questions that people saved; those whose answers are wrong, for those who may teach."""
        if state == "wrong" and "teach" not in list_rights():
            return ()
        return (await self._service.list_kept(dataset, state))[:MAX_KEPT]

    async def _list_complete(self) -> frozenset[str]:
        datasets = await self._service.call(self._service.tuqa.datasets)
        return frozenset(dataset.name for dataset in datasets if dataset.complete)

    async def _show_preview(
        self, request: Request, preview: LoadPreview, error: TrustUQAError | None
    ) -> Response:
        problem = None if error is None else make_problem(error)
        report = preview.report
        return self._templates.respond(
            request,
            "load_preview.html",
            200 if problem is None else problem["status"],
            preview=preview,
            problem=problem,
            report=report,
            refused=_describe_refused(report),
            notes=_describe_remarks(report, preview.changes),
            tables=[] if report is None else report.tables[:MAX_TABLES],
            omitted_tables=0 if report is None else max(0, len(report.tables) - MAX_TABLES),
            max_columns=MAX_COLUMNS,
            places={name: place for place, name in enumerate(preview.columns)},
            types=TYPES,
            describe_column=_describe_column,
            shorten=lambda text: shorten_line(text, _CELL_LENGTH),
            is_stored=preview.dataset in await self._list_complete(),
            formats=_list_formats(),
            modes=MODES,
        )

    def _describe_load(self, job: ServerLoad) -> dict[str, Any]:
        """List the contents of the page of a load."""
        word, _, file = job.phase.partition(" ")
        words = _PHASES.get(word)
        file = file.removeprefix("at ") if word == "look" else file
        phase = job.phase if words is None else f"{words} {PurePath(file).name if file else ''}"
        count = _format_amount(job.done, job.unit) if job.done else ""
        if job.total:
            count = f"{_format_amount(job.done, job.unit)} of {_format_amount(job.total, job.unit)}"
        report = job.report
        notes = _describe_remarks(report, self._loads.list_changes(job))
        if report is not None and report.embedding:
            notes.append(LoadNote(f"names are not embedded: {escape_controls(report.embedding)}"))
        return {
            "job": job,
            "phase": escape_controls(phase.strip()),
            "count": count,
            "is_cancelling": job.is_cancelling,
            "report": report,
            "summary": "" if report is None else escape_controls(report.summary()),
            "notes": notes,
            "refused": _describe_refused(report),
            "problem": None if job.error is None else make_problem(job.error),
        }


def _lead_to(path: str) -> Response:
    return RedirectResponse(path, status_code=303)


def _read_options(fields: dict[str, str]) -> tuple[str, LoadMode, dict[str, Any]]:
    # The dataset, the mode, and the other options of a load.
    return fields.get("dataset", "").strip(), *read_load_options(fields)


def _list_formats() -> list[tuple[str, str]]:
    loaders = list_loaders().values()
    # The others read databases or folders, not uploads.
    return [
        (loader.name, loader.summary)
        for loader in loaders
        if not loader.benchmark and loader.name not in ("neo4j", "exported")
    ]


def _describe_column(column: ColumnPreview) -> str:
    return escape_controls(column.describe(" ".join(column.units)))


def _describe_remarks(
    report: LoadReport | None, changes: Mapping[str, Sequence[LoadChange]]
) -> list[LoadNote]:
    remarks = {} if report is None else report.remarks
    return [
        LoadNote(
            escape_controls(format_remark(text, remark)),
            [(json.dumps(change), _name_change(change)) for change in changes.get(text, ())],
        )
        for text, remark in remarks.items()
    ]


def _name_change(change: LoadChange) -> str:
    ((name, setting),) = change.items()
    ((first, second),) = setting.items() if isinstance(setting, dict) else ((setting, ""),)
    words = _CHANGES.get(f"{name} {first}", _CHANGES[name])
    return escape_controls(words.format(first, second))


def _describe_refused(report: LoadReport | None) -> Cut:
    bad = [] if report is None else report.bad
    rows = [
        (escape_controls(error.where), escape_controls(error.what)) for error in bad[:_MAX_REFUSED]
    ]
    return Cut(("line", "problem"), rows, max(0, len(bad) - _MAX_REFUSED))


def _format_amount(amount: int, unit: str) -> str:
    return format_size(amount) if unit == "bytes" else f"{amount:,} {unit}"


def _lay_out_schema(schema: Schema, search: str) -> dict[str, Any]:
    # What has ``search`` in its name, as tables.
    part = search.casefold()
    relations = [r for r in schema.relations if part in r.name.casefold()]
    classes = [c for c in schema.classes if any(part in n.casefold() for n in (c.name, *c.labels))]
    sources = [s for s in schema.sources if _has_part(s, part)]
    synonyms = [s for s in schema.synonyms if part in f"{s.phrase}\n{s.name}".casefold()]
    notes = [note for note in schema.notes if part in note.casefold()]
    return {
        "relations": _cut(RELATION_COLUMNS, [*map(relation_cells, relations[:MAX_RELATIONS])], relations),
        "classes": _cut(CLASS_COLUMNS, [*map(class_cells, classes[:MAX_RELATIONS])], classes),
        "sources": _cut(
            SOURCE_COLUMNS,
            [source_cells(source, MAX_COLUMNS) for source in sources[:MAX_RELATIONS]],
            sources,
        ),
        "synonyms": [(s.phrase, s.name) for s in synonyms],
        "notes": notes,
    }  # fmt: skip


def _has_part(source: SchemaSource, part: str) -> bool:
    return any(part in name.casefold() for name in (source.name, *source.columns))


def _cut(columns: tuple[str, ...], rows: list[tuple[str, ...]], items: Sequence[object]) -> Cut:
    # Empty columns are left out.
    filled = [place for place in range(len(columns)) if any(row[place] for row in rows)]
    return Cut(
        tuple(columns[place] for place in filled),
        [tuple(row[place] for place in filled) for row in rows],
        len(items) - len(rows),
    )
