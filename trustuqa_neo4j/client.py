"""``TrustUQA``: the Python client.

A client opened from settings closes its connection, and stops an embedded server that it started. A driver
passed by the caller stays open.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, nullcontext
from dataclasses import replace
from inspect import iscoroutinefunction
from os import PathLike
from typing import TYPE_CHECKING, Any

from .answer import Answer, CheckReport
from .deadline import TIMEOUT, Deadline
from .embedding.encoder import LazyEncoder
from .errors import DatabaseError, UnknownDataset, UsageError
from .graph import catalog
from .graph.connection import Connection
from .langchain_client import LangChainMethods
from .llm.budget import Limits, Meter
from .llm.client import Models
from .model.dataset import DatasetTuple, Schema, Scope
from .model.dataset_limit import read_dataset_limit
from .questions import batch
from .questions.context import QuerySession, QuestionContext, QuestionTrace
from .questions.options import (
    MODEL_WORK,
    AskOptions,
    AskRequest,
    CheckOptions,
    QueryOptions,
    read_options,
)
from .settings import Settings
from .spans import describe_answer, describe_load, trace_call
from .values import DEFAULT_VALUE_OPTIONS, ValueOptions
from .wording import CallOption, name_option

if TYPE_CHECKING:
    import neo4j
    from typing_extensions import Unpack

    from .curation.api import Teaching
    from .curation.query_writing import WritingPlan, WrittenQueries
    from .embedding import EmbedderLike, Encoder
    from .execution.name_search import SimilarNames
    from .export.export import ExportReport
    from .export.property_graph import GraphExportReport
    from .graph.catalog import DroppedCounts
    from .graph.load_journal import LoadMode
    from .llm.client import Model, ModelWish
    from .loading.formats import File
    from .loading.inputs import DataFrame, Records
    from .loading.request import LoadReport, Progress
    from .model.demonstration import Demonstration
    from .prompts import Prompt

_log = logging.getLogger(__name__)


def _log_answer(answer: Answer) -> None:
    # Neither the question nor values: they may be private, and a log is kept for long.
    _log.info(
        "asked %s: %s, %d values, origin %s, confidence %s, %.0f ms",
        ", ".join(answer.datasets) or "no dataset",
        answer.outcome,
        len(answer.values),
        answer.origin or "none",
        "none" if answer.confidence is None else f"{answer.confidence:.2f}",
        answer.ms.get("total", 0.0),
    )


def _name_scope() -> str:
    # Who sends requests to a server knows its token, not its client.
    return "this client's scope" if read_dataset_limit() is None else "this token's scope"


class TrustUQA(LangChainMethods):
    """Loads datasets and answers questions over them; safe to share between threads.

    ``datasets`` is an enforced scope: this client reads and writes no other dataset.
    """

    def __init__(
        self,
        driver: neo4j.Driver,
        database: str | None = None,
        *,
        llm: ModelWish = None,
        embedder: EmbedderLike | None = None,
        datasets: Sequence[str] | str | None = None,
    ) -> None:
        super().__init__()
        if iscoroutinefunction(getattr(driver, "verify_connectivity", None)):
            raise UsageError(
                "the driver is an asynchronous one",
                hint="give a GraphDatabase.driver; aask and the other methods with an a do not block",
            )
        if isinstance(driver, str):
            raise UsageError(
                "an address is not a driver",
                hint="TrustUQA.connect(uri=ADDRESS, auth=(USER, PASSWORD)) opens one",
            )
        self.connection: Connection = Connection(driver, database, "the given driver")
        names = (datasets,) if isinstance(datasets, str) else datasets
        self._datasets = None if names is None else frozenset(names)
        settings = Settings.read()
        self._embedding = LazyEncoder(embedder, settings.home)
        self._models = Models(settings, llm)
        self._opened = ExitStack()

    @classmethod
    def connect(
        cls,
        settings: Settings | None = None,
        *,
        uri: str | None = None,
        auth: tuple[str, str] | None = None,
        database: str | None = None,
        llm: ModelWish = None,
        embedder: EmbedderLike | None = None,
        datasets: Sequence[str] | str | None = None,
    ) -> TrustUQA:
        """Open a client for a server, by default the embedded one, which it starts if necessary.

        ``uri`` is the address of a server, ``auth`` its user and password; they and ``database`` come before
        ``NEO4J_URI`` and the other settings. ``settings`` replaces all of these.
        ``embedder`` is the name or folder of a model, ``none``, or an object with ``encode`` or
        ``embed_documents``; the default is in the settings. ``llm`` writes the queries: ``demonstrations``,
        ``openai:NAME``, or any chat model of langchain.

        Raises:
            UsageError, BadSettings, Unreachable, AuthenticationFailed, UnknownDatabase, ServerTooOld,
            EmbeddedError, MissingExtra
        """
        if isinstance(settings, str):
            raise UsageError(
                "an address is not a Settings object",
                hint=f"TrustUQA.connect(uri={settings!r}, auth=(USER, PASSWORD))",
            )
        username, password = (None, None) if auth is None else auth
        if settings is None:
            settings = Settings.read(
                uri=uri, username=username, password=password, database=database
            )
        elif (uri, auth, database) != (None, None, None):
            raise UsageError("settings and an address", hint="put the address into the settings")
        with ExitStack() as undo:
            server = None
            if settings.uri is None:
                from . import embedded

                server = undo.enter_context(embedded.lease_server(settings))
                settings = server.settings
            connection = Connection.open(settings)
            undo.callback(connection.close)
            client = cls(connection.driver, settings.database, datasets=datasets)
            client.connection = connection
            client._embedding = LazyEncoder(embedder or settings.embedder, settings.home)
            client._models = Models(settings, llm)
            client._opened = undo.pop_all()
        return client

    def __enter__(self) -> TrustUQA:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections and the embedded server that this client opened; closing twice is safe."""
        self._models.close()
        self._close_threads()
        self._opened.close()

    def __repr__(self) -> str:
        scope = "" if self._datasets is None else f", datasets {', '.join(sorted(self._datasets))}"
        return f"<TrustUQA {self.connection.where}{scope}>"

    def _repr_html_(self) -> str:
        # A notebook shows the datasets, or why they cannot be read.
        from .render.blocks import TextBlock
        from .render.html import render_html

        try:
            datasets = self.datasets()._repr_html_()
        except DatabaseError as error:
            datasets = render_html([TextBlock("problem", (str(error),))], label="error")
        return render_html([TextBlock("note", (repr(self),))], label="client") + datasets

    def ping(self) -> str:
        """Check the connection; return the version of the server."""
        return self.connection.ping()

    @trace_call(describe_load, has_stages=False)
    def load(
        self,
        *data: str | PathLike[str] | File | DataFrame | Records,
        format: str | None = None,  # noqa: A002 # the word that users know
        dataset: str | None = None,
        source: str | None = None,
        mode: LoadMode = "new",
        encoding: str = "auto",
        values: ValueOptions = DEFAULT_VALUE_OPTIONS,
        header: int | str | None = None,
        skip: int | None = None,
        skip_end: int | None = None,
        delimiter: str = "",
        sheets: Sequence[str] = (),
        columns: Sequence[str] = (),
        rename: Mapping[str, str] | None = None,
        types: Mapping[str, str] | None = None,
        split: Mapping[str, str] | None = None,
        skip_bad: int = 0,
        batch_size: int | None = None,
        dry_run: bool = False,
        embeddings: bool = True,
        class_labels: bool = True,
        progress: Progress | None = None,
    ) -> LoadReport:
        """Load files, DataFrames or records as ``dataset``; by default it is named after the file.

        ``data`` are paths of files and folders, addresses of databases (``sqlite:///shop.db``), DataFrames of
        pandas or polars, lists of records (dicts), or a ``File``: a path with another name. The content
        shows the format; the report has it in ``detected``. To give it, put it before the data,
        ``load("kg", "films.tsv")``, or use ``format``.
        ``source`` replaces the names that the data give their sources; a DataFrame is called DataFrame, and
        a list records. If the dataset exists, ``mode`` decides: ``new`` refuses, ``append`` adds to it,
        ``replace`` replaces the sources that are loaded, and ``replace-all`` the dataset; after both,
        demonstrations are verified again. The encoding ``auto`` is UTF-8, or another one beyond doubt.
        ``values`` sets how numbers and dates are read; ``batch_size`` is in facts per transaction (20,000).
        ``embeddings`` gives a vector to names that are text;
        ``class_labels`` gives members of classes a label with the name of the class. With ``dry_run`` nothing
        is written, and the report has previews of the ``tables``.

        For tables: ``header`` is its line, its lines (``"1-2"``) or ``"none"``; ``skip`` and ``skip_end`` are
        numbers of lines above it and of rows at the end that are not read; ``delimiter`` is the sign between
        the cells of text; ``sheets`` and ``columns`` are
        those that are read; ``rename`` maps old to new names; ``types`` maps columns to text, number or date;
        ``split`` maps columns to the separator of several values in a cell.

        Raises:
            UsageError, DataError, DatabaseError
        """
        # Questions need none of this, and each import makes a short command longer.
        from pathlib import Path
        from tempfile import TemporaryDirectory

        from .loading.load import load
        from .loading.load_inputs import LoadInputs
        from .loading.request import LoadRequest, Progress
        from .loading.table_options import (
            DEFAULT_TABLE_OPTIONS,
            TableOptions,
            add_types,
            parse_delimiter,
            parse_header,
        )

        table = TableOptions(
            header=None if header is None else parse_header(str(header)),
            skip=skip,
            skip_end=skip_end,
            delimiter=parse_delimiter(delimiter),
            sheets=tuple(sheets),
            columns=tuple(columns),
            rename=dict(rename or {}),
            split=dict(split or {}),
        )
        values = add_types(values, types or {})
        if dataset is not None:
            self.check_scope(dataset)
        with TemporaryDirectory(prefix="tuqa-") as folder:
            inputs = LoadInputs.collect(
                data, format, encoding, Path(folder), table != DEFAULT_TABLE_OPTIONS
            )
            if dataset is None:
                dataset = inputs.dataset
                self.check_scope(dataset)
            request = LoadRequest(
                inputs.loader,
                inputs.paths,
                dataset,
                given=inputs.files,
                detected=inputs.detected,
                source=source,
                mode=mode,
                encoding=encoding,
                values=values,
                table=table,
                skip_bad=skip_bad,
                batch_size=batch_size,
                dry_run=dry_run,
                class_labels=class_labels,
            )
            embedding = self.embedding if embeddings else None
            connecting = lambda: nullcontext(self.connection)  # noqa: E731
            report = load(connecting, request, progress or Progress(), embedding)
        if dry_run:
            return report
        if mode in ("replace", "replace-all"):
            self.demonstrations.verify_replaced(dataset, progress)
        return report

    @property
    def scope(self) -> list[str] | None:
        """Return the datasets that this client may use; None for all."""
        allowed = self._allowed
        return None if allowed is None else sorted(allowed)

    @property
    def _allowed(self) -> frozenset[str] | None:
        """Within the scope of this client, a request may be limited to fewer datasets."""
        own, limit = self._datasets, read_dataset_limit()
        return limit if own is None else own if limit is None else own & limit

    @property
    def embedding(self) -> Callable[[], Encoder] | None:
        """Open the encoder of this client once; None without embeddings."""
        return None if self._embedding.is_disabled else self._embedding.open

    @property
    def demonstrations(self) -> Teaching:
        """Return the demonstrations of this client's datasets: questions with their queries."""
        # Most commands neither teach nor ask, and this import brings along what does.
        from .curation.api import Teaching

        encoding = None if self._embedding.is_disabled else self._embedding
        return Teaching(self.connection, encoding, self.check_scope)

    def asked_by(self, llm: ModelWish = None, base_url: str | None = None) -> str:
        """Return the name of the model that ``llm`` means, or ``demonstrations``.

        Raises:
            BadSettings, UsageError, MissingExtra
        """
        return self._models.name(llm, base_url)

    def datasets(self) -> DatasetTuple:
        """List the datasets in the scope of this client, incomplete ones too."""
        datasets, allowed = catalog.list_datasets(self.connection), self._allowed
        return DatasetTuple(d for d in datasets if allowed is None or d.name in allowed)

    @trace_call(describe_answer, has_stages=True)
    def run(
        self,
        query: str,
        dataset: str | Sequence[str] | None = None,
        **options: Unpack[QueryOptions],
    ) -> Answer:
        """Run an LLM query; ``dataset`` is optional if there is only one.

        ``options``: see ``questions.options.QueryOptions``. A limited answer has in ``truncated`` the number
        of all its values or rows.

        Raises:
            UnknownDataset, UnknownSource, IncompleteDataset, TimedOut, Cancelled, DatabaseError
        """
        scope, session = self._open_session(dataset, options, QueryOptions)
        return session.run(query, scope)

    def check(
        self,
        query: str,
        dataset: str | Sequence[str] | None = None,
        *,
        question: str | None = None,
        **options: Unpack[CheckOptions],
    ) -> CheckReport:
        """Validate an LLM query and run nothing; ``dataset`` and ``options`` as for ``run``.

        ``question`` adds warnings about what it mentions and the query does not use.

        Raises:
            UnknownDataset, UnknownSource, IncompleteDataset, TimedOut, Cancelled, DatabaseError
        """
        scope, session = self._open_session(dataset, options, CheckOptions)
        return session.check(query, scope, question)

    @trace_call(describe_answer, has_stages=True)
    def ask(
        self,
        question: str,
        dataset: str | Sequence[str] | None = None,
        **options: Unpack[AskOptions],
    ) -> Answer:
        """Ask a question; without ``dataset``, ask the datasets that know its words in turn.

        ``options``: see ``questions.options.AskOptions``.

        Raises:
            UnknownDataset, UnknownSource, IncompleteDataset, UsageError, TimedOut, Cancelled,
            ModelError, DatabaseError
        """
        keep, base_url = options.get("keep", True), options.get("base_url")
        model = self._models.model(options.get("llm"), keep, base_url)
        for name, work in MODEL_WORK.items() if model is None else ():
            if options.get(name):
                raise UsageError(
                    f"there is no model to {work}",
                    hint=f"name one ({CallOption.LLM}), or leave out {name_option(name)}",
                )
        context = self._question(question, dataset, options, model)
        with context.apply_limits():
            # Without a model, what asks one is not imported.
            if model is None:
                from .questions.without_model import answer_without_model

                answer = answer_without_model(context)
            else:
                from .questions.with_both import answer_with_both

                answer = answer_with_both(context)
                if context.request.prose:
                    from .questions.with_prose import add_prose

                    answer = add_prose(context, answer)
        _log_answer(answer)
        return answer

    def ask_many(
        self,
        questions: Iterable[str],
        dataset: str | Sequence[str] | None = None,
        *,
        at_once: int = batch.AT_ONCE,
        **options: Unpack[AskOptions],
    ) -> Iterator[Answer]:
        """Ask ``questions``, ``at_once`` at a time; yield the answers in their order.

        The error of one question becomes its answer (``failed``).

        Raises:
            UnknownDataset, Cancelled, ModelError, DatabaseError: an error of all questions.
        """
        ask = lambda question: self.ask(question, dataset, **options)  # noqa: E731
        return batch.answers(ask, questions, at_once)

    def prompt(
        self,
        question: str,
        dataset: str | Sequence[str] | None = None,
        **options: Unpack[AskOptions],
    ) -> Prompt:
        """Build the prompt that a model would be sent first; nothing is sent.

        Without ``dataset``, it may be the prompt that lets the model select one of several datasets.

        Raises:
            UnknownDataset, UnknownSource, IncompleteDataset, UsageError, TimedOut, DatabaseError
        """
        from .questions.with_routing import first_prompt

        context = self._question(question, dataset, options)
        with context.apply_limits():
            return first_prompt(context)

    def plan_demonstrations(
        self,
        dataset: str | Sequence[str],
        questions: Sequence[Demonstration],
        *,
        number: int | None = None,
        again: bool = False,
        **options: Unpack[AskOptions],
    ) -> WritingPlan:
        """Estimate what ``write_demonstrations`` with the same arguments takes; no model is asked.

        Raises:
            UnknownDataset, UnknownSource, IncompleteDataset, UsageError, DatabaseError
        """
        from .curation.query_writing import plan_writing

        def measure_prompt(question: Demonstration) -> int:
            own: AskOptions = {**options, "source": question.source}
            return self.prompt(question.question, dataset, **own).tokens

        model = self._writing_model(options)
        return plan_writing(
            self.demonstrations, dataset, questions, measure_prompt,
            limit=number, again=again, prices=model.prices,
        )  # fmt: skip

    def write_demonstrations(
        self,
        dataset: str | Sequence[str],
        questions: Sequence[Demonstration],
        *,
        number: int | None = None,
        again: bool = False,
        workers: int = 4,
        progress: Progress | None = None,
        **options: Unpack[AskOptions],
    ) -> WrittenQueries:
        """Let a model write queries for questions with answers, and verify them.

        Of ``questions``, question, answers, source and fields count. Those with a right query are left out,
        and those whose query failed before, unless ``again``. At most ``number`` are asked. ``max_calls`` and
        ``max_tokens`` limit the use for all of them; ``timeout`` is for each.

        Raises:
            UnknownDataset, UnknownSource, IncompleteDataset, UsageError, ModelError, DatabaseError
        """
        from .curation.query_writing import QueryWriter
        from .loading.request import Progress
        from .questions.with_model import answer_with_model

        model = self._writing_model(options)
        total = Meter(Limits(options.get("max_calls"), options.get("max_tokens")), of="run")
        plan = self.plan_demonstrations(dataset, questions, number=number, again=again, **options)

        def ask(question: Demonstration) -> Answer:
            own: AskOptions = {**options, "source": question.source}
            context = self._question(question.question, dataset, own, model)
            with context.apply_limits():
                return answer_with_model(replace(context, meter=Meter(within=total)))

        writer = QueryWriter(self.demonstrations, dataset, ask, workers)
        return writer.write(plan, progress or Progress(), lambda: total.used)

    def _writing_model(self, options: AskOptions) -> Model:
        """Open the model that is to write queries."""
        if options.get("llm_function", False):
            raise UsageError(
                "demonstrations cannot be computed by a model",
                hint=f"leave out {name_option('llm_function')}",
            )
        keep, base_url = options.get("keep", True), options.get("base_url")
        model = self._models.model(options.get("llm"), keep, base_url)
        if model is None:
            raise UsageError(
                "there is no model to write queries", hint=f"name one ({CallOption.LLM})"
            )
        return model

    def _open_session(
        self, dataset: str | Sequence[str] | None, options: Mapping[str, Any], kind: type
    ) -> tuple[Scope, QuerySession]:
        values = read_options(options, kind)
        scope = self._scope(dataset, values.pop("source", None))
        deadline = Deadline(values.pop("timeout", TIMEOUT), values.pop("cancelled", None))
        return scope, QuerySession(self.connection, self._embedding, deadline, **values)

    def _question(
        self,
        question: str,
        dataset: str | Sequence[str] | None,
        options: AskOptions,
        model: Model | None = None,
    ) -> QuestionContext:
        if not isinstance(question, str):
            raise UsageError(
                f"a question is a text, and this is a {type(question).__name__}",
                hint='ask("who directed Inception?")',
            )
        if not question.strip():
            raise UsageError("there is no question", hint="ask something")
        values = read_options(options)
        request = AskRequest(
            question, self._scope(dataset, values.get("source")), bool(dataset), **values
        )
        last = request.last_question
        if model is not None and last is not None and last.datasets and not dataset:
            # The model reads the last question too.
            scope = self._scope(last.datasets, request.source or last.source)
            request = replace(request, scope=scope, is_chosen=True)
        return QuestionContext(
            self.connection, self._embedding, Deadline(request.timeout, request.cancelled),
            request.evidence, request.limit, request.inference, request.listen,
            request=request, model=model, meter=Meter(Limits(request.max_calls, request.max_tokens)),
            trace=QuestionTrace(request.listen),
        )  # fmt: skip

    def _scope(self, dataset: str | Sequence[str] | None, source: str | None) -> Scope:
        if isinstance(dataset, str):
            names = [dataset]
        elif dataset:
            names = list(dict.fromkeys(dataset))
        else:
            names = [d.name for d in self.datasets() if d.complete]
        if not names and self.scope:
            scope = ", ".join(map(repr, self.scope))
            raise UnknownDataset(
                f"no dataset of {_name_scope()} is loaded: {scope}",
                hint="`tuqa datasets` lists the names that there are",
            )
        if not names:
            raise UnknownDataset("no dataset is loaded", hint="load one with tuqa-load")
        for name in names:
            self.check_scope(name)
        return Scope(tuple(names), source)

    def check_scope(self, dataset: str) -> None:
        """Refuse a dataset that is not in the scope of this client.

        Raises:
            UnknownDataset
        """
        if self.scope is not None and dataset not in self.scope:
            allowed = ", ".join(self.scope) or "nothing"
            raise UnknownDataset(
                f"no dataset {dataset!r} in {_name_scope()}", hint=f"it may read {allowed}"
            )

    def schema(self, dataset: str, source: str | None = None) -> Schema:
        """Describe ``dataset``, or one source of it: classes, relations, sources, columns.

        Raises:
            UnknownDataset, UnknownSource, IncompleteDataset, DatabaseError
        """
        from .graph import dataset_schema

        self.check_scope(dataset)
        schema = self.connection.read(
            lambda reader: dataset_schema.describe_dataset(reader, dataset, source)
        )
        if schema is None and source is not None:
            raise catalog.make_unknown_source_error(self.connection, dataset, source)
        if schema is None:
            raise catalog.make_unknown_dataset_error(self.connection, dataset)
        return schema

    def find_names(
        self,
        text: str,
        dataset: str | Sequence[str] | None = None,
        *,
        source: str | None = None,
        limit: int = 10,
    ) -> SimilarNames:
        """Find relations and names of the data that ``text`` may mean, the most similar first.

        Raises:
            UsageError, UnknownDataset, UnknownSource, IncompleteDataset, TimedOut, DatabaseError
        """
        from .execution.name_search import find_similar_names

        if not text.strip():
            raise UsageError("there is no text", hint="give a name or a word of the question")
        if limit < 1:
            raise UsageError(f"limit={limit}", hint="at least one name is found")
        scope = self._scope(dataset, source)
        return self.connection.read(
            lambda reader: find_similar_names(reader, scope, text, limit),
            TIMEOUT,
            self._embedding,
        )

    def add_synonyms(self, dataset: str, synonyms: Mapping[str, str]) -> None:
        """Store what phrases of questions mean in ``dataset``: phrase → relation, column or name.

        Raises:
            UsageError, DataError, UnknownDataset, IncompleteDataset, DatabaseError
        """
        from .curation.synonyms import add_synonyms

        self.check_scope(dataset)
        add_synonyms(self.connection, dataset, synonyms)

    def remove_synonyms(self, dataset: str, phrases: Iterable[str]) -> None:
        """Delete synonyms of ``dataset``; `schema` lists them.

        Raises:
            DataError, UnknownDataset, IncompleteDataset, DatabaseError
        """
        from .curation.synonyms import remove_synonyms

        self.check_scope(dataset)
        remove_synonyms(self.connection, dataset, phrases)

    def add_notes(self, dataset: str, notes: Sequence[str]) -> None:
        """Store sentences about the data of ``dataset``, which the prompts of models show.

        Raises:
            UsageError, UnknownDataset, IncompleteDataset, DatabaseError
        """
        from .curation.notes import add_notes

        self.check_scope(dataset)
        add_notes(self.connection, dataset, notes)

    def remove_notes(self, dataset: str, notes: Sequence[str]) -> None:
        """Delete notes of ``dataset``; `schema` lists them.

        Raises:
            DataError, UnknownDataset, IncompleteDataset, DatabaseError
        """
        from .curation.notes import remove_notes

        self.check_scope(dataset)
        remove_notes(self.connection, dataset, notes)

    def export(
        self, dataset: str, folder: str | PathLike[str], progress: Progress | None = None
    ) -> ExportReport:
        """Write ``dataset`` to ``folder``, in the format ``exported``.

        Raises:
            UnknownDataset, IncompleteDataset, DataError, DiskFull, DatabaseError
        """
        from .export.export import export
        from .loading.request import Progress

        self.check_scope(dataset)
        return export(self.connection, dataset, folder, progress or Progress())

    def export_graph(
        self, dataset: str, address: str, *, replace: bool = False, progress: Progress | None = None
    ) -> GraphExportReport:
        """Write ``dataset`` as a property graph to the Neo4j database at ``address``.

        ``address`` is as in the format ``neo4j``: ``bolt://user:password@host:7687/database``. ``replace``
        deletes an earlier export of the dataset there.

        Raises:
            UsageError, UnknownDataset, IncompleteDataset, DataError, DatabaseError
        """
        from .export.property_graph import export_graph
        from .loading.request import Progress

        self.check_scope(dataset)
        return export_graph(
            self.connection, dataset, address, progress or Progress(), replace=replace
        )

    def drop_unfinished(self, dataset: str) -> bool:
        """Delete what an interrupted load has written to replace ``dataset`` or to add to it.

        Returns False if there is no such load. What can be asked stays as it is.

        Raises:
            UnknownDataset, LoadRunning, DatabaseError
        """
        from .graph import replacement

        self.check_scope(dataset)
        return replacement.give_up(self.connection, dataset)

    def drop(self, dataset: str, source: str | None = None) -> DroppedCounts:
        """Delete ``dataset``, or one source of it with all that no other source has; return the counts.

        Raises:
            UnknownDataset, UnknownSource, LoadRunning, IncompleteDataset, DatabaseError
        """
        self.check_scope(dataset)
        if source is not None:
            return catalog.drop_source(self.connection, dataset, source)
        return catalog.drop_dataset(self.connection, dataset)

    def rename(self, dataset: str, name: str) -> None:
        """Give ``dataset`` the name ``name``; all that was taught and noted of it goes along.

        Raises:
            UsageError: no dataset can have this name.
            UnknownDataset, DatasetExists, LoadRunning, IncompleteDataset, DatabaseError
        """
        from .graph.rename import rename_dataset
        from .loading.request import check_name

        check_name("dataset", name, "give another name")
        self.check_scope(dataset)
        self.check_scope(name)
        rename_dataset(self.connection, dataset, name)
