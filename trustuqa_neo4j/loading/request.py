"""A load request, the progress of a load, and its report."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Protocol

from ..errors import MalformedLine, TrustUQAError, UsageError, format_count, format_list
from ..graph.load_journal import LOAD_MODES, LoadMode, LoadOutcome
from ..model.dataset import Source
from ..model.facts import Readings
from ..render.blocks import Block, TextBlock, lay_out_table
from ..render.html import render_html
from ..render.terminal import is_encodable
from ..values import DEFAULT_VALUE_OPTIONS, ValueOptions
from ..wording import CallOption, LoadChange
from .addresses import StoredItems, is_address, make_address_refused_error, mask_secrets
from .formats import (
    DETECT_ENCODING,
    DetectedFormat,
    File,
    Loader,
    Remark,
    check_encoding,
    format_remark,
)
from .preview import TablePreview
from .table_options import DEFAULT_TABLE_OPTIONS, TableOptions, format_options

MAX_NAME_LENGTH = {"dataset": 200, "source": 1000}
"""Characters that a name may have: both are stored in index entries."""


@dataclass(frozen=True)
class LoadRequest:
    """The files to load, the dataset and the options of a load.

    ``paths`` are paths of files and folders, and addresses, which may contain passwords. ``given`` are more
    files, with names of their own. With ``source`` None the files name their sources. ``mode`` says whether
    an existing dataset is kept, extended or replaced, by source or as a whole. Members of classes get
    labels if ``class_labels``. ``stored`` has the items of a load from addresses, once they are identified.
    ``base`` and ``base_table`` are the options of the dataset that is extended, and ``readings`` those of
    the columns of each source, as the survey decided, ``missing`` the words in them that mean no value, and
    ``frequent`` texts whose nodes will be hubs.
    ``detected`` are the formats of the inputs, empty if
    the user gave the format. Without ``batch_size``, the way of loading decides how many facts a batch has.
    """

    loader: Loader
    paths: tuple[str, ...] = field(repr=False)
    dataset: str
    given: tuple[File, ...] = ()
    source: str | None = None
    mode: LoadMode = "new"
    encoding: str = DETECT_ENCODING
    values: ValueOptions = DEFAULT_VALUE_OPTIONS
    skip_bad: int = 0
    batch_size: int | None = None
    dry_run: bool = False
    class_labels: bool = True
    stored: StoredItems | None = None
    table: TableOptions = DEFAULT_TABLE_OPTIONS
    base: ValueOptions | None = None
    base_table: TableOptions = DEFAULT_TABLE_OPTIONS
    readings: Mapping[str, Readings] = field(default_factory=dict)
    missing: Mapping[str, Mapping[str, frozenset[str]]] = field(default_factory=dict)
    frequent: Mapping[str, Mapping[str, frozenset[str]]] = field(default_factory=dict)
    detected: tuple[DetectedFormat, ...] = ()

    @property
    def known_encoding(self) -> str:
        # The encoding, UTF-8 if each file shows its own.
        return "utf-8" if self.encoding == DETECT_ENCODING else self.encoding

    @property
    def dataset_values(self) -> ValueOptions:
        # The value options of the dataset: those of the load that began it.
        return (self.values if self.base is None else self.base).without_columns()

    @property
    def column_values(self) -> Mapping[str, ValueOptions]:
        # The value options of single columns: those given, else those of the dataset.
        return (
            self.values.columns
            if self.base is None
            else {**self.base.columns, **self.values.columns}
        )

    @property
    def default_values(self) -> ValueOptions:
        # The value options of columns that decide nothing: those given, else those of the dataset.
        values = self.values if self.values.text else self.dataset_values
        return replace(values, columns=self.column_values)

    @property
    def fixed_values(self) -> ValueOptions:
        # The value options that no cell overrules.
        return replace(self.values, columns=self.column_values)

    @property
    def table_options(self) -> TableOptions:
        # The options of tables: those given, else those of the dataset.
        return self.table.merge(self.base_table)

    @property
    def options_text(self) -> str:
        # All options of the load that a dataset keeps, as text.
        return format_options(self.table_options, replace(self.values, columns=self.column_values))

    def check(self) -> None:
        if not (self.paths or self.given):
            raise UsageError("no file is given", hint="give at least one")
        repeated = {path for path in self.paths if self.paths.count(path) > 1}
        if repeated:
            raise UsageError(
                f"{mask_secrets(min(repeated))} is given twice", hint="give each file once"
            )
        if self.mode not in LOAD_MODES:
            raise UsageError(f"no mode {self.mode!r}", hint=f"modes are {', '.join(LOAD_MODES)}")
        self._check_table_options()
        check_name("dataset", self.dataset)
        if self.source is not None:
            check_name("source", self.source)
        for path in self.paths:
            if not is_encodable(path):
                where = repr(mask_secrets(path))
                raise UsageError("the path is not UTF-8", where=where, hint="rename the file")
            if is_address(path) and not self.loader.addresses:
                raise make_address_refused_error(self.loader.name, path)
        if self.batch_size is not None and self.batch_size < 1:
            raise UsageError(f"batches of {self.batch_size} facts", hint="give a number from 1")
        check_encoding(self.encoding)

    def _check_table_options(self) -> None:
        self.table.check()
        if self.table != DEFAULT_TABLE_OPTIONS and not self.loader.has_table_options:
            names = ", ".join(self.table.to_dict())
            raise UsageError(
                f"the format {self.loader.name} has no tables with these options: {names}",
                hint="the format table has: CSV, workbooks, Parquet",
            )


def check_name(what: str, name: str, hint: str = "") -> None:
    """Refuse a name of a dataset or a source that is too long, or that cannot be written everywhere.

    Raises:
        UsageError
    """
    limit = MAX_NAME_LENGTH[what]
    problem = ""
    if not name.strip():
        problem = "is empty"
    elif name != name.strip():
        problem = "begins or ends with a blank"
    elif len(name) > limit:
        problem = f"has {len(name):,} characters, and {limit:,} are allowed"
    elif not is_encodable(name) or any(ord(c) < 32 or 127 <= ord(c) < 160 for c in name):
        problem = "holds control characters, or is not UTF-8"
    if problem:
        raise UsageError(
            f"the {what}'s name {problem}",
            hint=hint or f"give {CallOption[what.upper()].with_value('NAME')}",
        )


@dataclass(frozen=True, slots=True)
class Replacement:
    """The sources of a dataset that a load deletes first; ``demonstrations`` stay and are verified again."""

    dataset: str
    sources: tuple[Source, ...]
    demonstrations: int


@dataclass
class LoadReport:
    """The result of a load.

    ``facts`` were created now, ``repeated`` ones existed already; ``resumed_at`` facts existed before a
    resumed or appending load, and the dataset has ``total`` facts. ``remarks`` are oddities that did not
    stop the load. ``replaced`` are the sources whose data were deleted. ``embedded`` names got a vector now,
    ``unembedded`` ones are codes or long texts; ``embedding`` is the reason for missing vectors, and
    ``embedding_error`` the error that it comes from. With ``is_embedded_later`` another process makes them.
    ``detected`` are the formats of the inputs, if no format was given. ``tables`` are previews of the tables,
    of a dry run.
    """

    dataset: str
    sources: int
    facts: int = 0
    repeated: int = 0
    resumed_at: int = 0
    total: int | None = None
    seconds: float = 0.0
    embedded: int = 0
    unembedded: int = 0
    embedding_seconds: float = 0.0
    embedding: str = ""
    embedding_error: TrustUQAError | None = None
    is_embedded_later: bool = False
    begun: LoadOutcome = "new"
    replaced: list[str] = field(default_factory=list)
    dry_run: bool = False
    bad: list[MalformedLine] = field(default_factory=list)
    remarks: dict[str, Remark] = field(default_factory=dict)
    detected: list[DetectedFormat] = field(default_factory=list)
    tables: list[TablePreview] = field(default_factory=list)

    @property
    def changes(self) -> Mapping[str, Sequence[LoadChange]]:
        """The changes of the load that its remarks offer, by remark."""
        return {text: remark.changes for text, remark in self.remarks.items() if remark.changes}

    def summary(self) -> str:
        """The report in one line."""
        read = self.facts + self.repeated
        rate = f"{self.seconds:.1f} s ({read / max(self.seconds, 0.001):,.0f} facts/s)"
        sources = format_count(self.sources, "source")
        facts = format_count(self.facts, "fact")
        if self.dry_run:
            return f"{self.dataset}: {facts} in {sources}, read in {rate}; nothing written"
        embedded = self._summarize_vectors()
        if self.begun == "unchanged":
            changed = embedded or "; nothing changed"
            return f"{self.dataset}: loaded already from the same {sources}{changed}"
        summary = f"{self.dataset}: {facts} from {sources} in {rate}"
        if self.repeated:
            summary += f"; {self.repeated:,} were there already"
        if self.begun == "resumed":
            summary += f"; went on after {self.resumed_at:,} facts, now {self.total:,}"
        if self.begun == "appended":
            summary += f"; now {self.total:,} facts"
        if self.begun == "replaced":
            sources = format_list([*map(repr, self.replaced)], 3) or "nothing"
            summary += f"; {sources} replaced, now {format_count(self.total or 0, 'fact')}"
        if self.begun == "other":
            summary += "; an unfinished load of other content was removed first"
        return summary + embedded

    def _summarize_vectors(self) -> str:
        embedded = ""
        if self.embedded:
            embedded = f"; {format_count(self.embedded, 'name')} embedded in {self.embedding_seconds:.1f} s"
        if self.unembedded and (self.embedded or self.begun != "unchanged"):
            noun = "code or long text" if self.unembedded == 1 else "codes or long texts"
            embedded += f"; {self.unembedded:,} {noun} not embedded"
        if self.is_embedded_later:
            embedded += "; names are embedded in the background"
        return embedded

    def __repr__(self) -> str:
        return f"<LoadReport {self.summary()}>"

    def _repr_html_(self) -> str:
        return render_html(_lay_out_report(self), label="load report")

    def to_dict(self) -> dict[str, Any]:
        """The report as JSON."""
        fields = asdict(replace(self, bad=[], embedding_error=None))
        if error := self.embedding_error:
            fields["embedding_error"] = {
                "kind": error.kind,
                "what": error.what,
                "where": error.where,
                "hint": error.hint,
            }
        fields["bad"] = [{"where": error.where, "what": error.what} for error in self.bad]
        if not self.dry_run:
            del fields["tables"]
        return fields


def _lay_out_report(report: LoadReport) -> Iterator[Block]:
    yield TextBlock("answer", (report.summary(),))
    notes = [format_remark(text, remark) for text, remark in report.remarks.items()]
    if report.embedding:
        notes.append(f"names are not embedded: {report.embedding}")
    if notes:
        yield TextBlock("note", tuple(notes))
    bad = [(error.where, error.what) for error in report.bad]
    yield from lay_out_table(("skipped", "problem"), bad)
    for table in report.tables:
        yield TextBlock("note", (f"{table.source}: {format_count(table.rows, 'row')}",))
        columns = ("column", "read as", "first rows")
        cells = [
            (column.name, column.type, " | ".join(row[place] for row in table.first_rows))
            for place, column in enumerate(table.columns)
        ]
        yield from lay_out_table(columns, cells)


class BeginPhase(Protocol):
    # ``total`` is in bytes, rows or names; 0 if unknown.
    def __call__(self, phase: str, total: int, unit: str = "bytes", /) -> None: ...


@dataclass(frozen=True)
class Progress:
    """Callbacks of a load: a phase begins with a total, and so much of it is done.

    ``suspend`` shows nothing while the terminal is used for a question; ``notify`` shows a message.
    """

    begin: BeginPhase = lambda _phase, _total, _unit="bytes", /: None
    advance: Callable[[int], None] = lambda _: None
    suspend: Callable[[], AbstractContextManager[object]] = nullcontext
    notify: Callable[[str], None] = lambda _: None
