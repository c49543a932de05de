"""The files of benchmarks as their authors release them: one row of ``RELEASES`` for each.

A row has the test questions, the files to load and the published metric, which comes first. Test questions
have no queries; ``--replay FILE`` names a file of them. WebQSP and CronQuestions name answers by ids, so
values are compared by the names that the files beside the questions have.
"""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ..errors import MalformedLine, MissingFile, UnreadableFile, UsageError
from . import metaqa, packs, webqsp, wtq
from .benchmark import Benchmark, Case, CaseSet, QuestionSet, Score, score_names, score_values
from .metrics import value_text
from .object_data import read_object_data
from .packs import PackRecord

_HINT = "give the folder as released; the page on evaluation lists the files and their fields"


@dataclass(frozen=True)
class ReleasedFiles:
    """``questions`` and ``data`` are patterns of files; the first pattern of questions with files counts."""

    format: str
    questions: tuple[str, ...]
    data: tuple[str, ...]
    metrics: tuple[str, ...]
    read: Callable[[Path, Path], Iterable[Case | str]]
    score: Callable[[Path], Score]

    def read_cases(self, folder: Path) -> CaseSet:
        files = list_files(folder, self.questions)
        cases = (case for file in files for case in self.read(folder, file))
        return CaseSet.collect(cases, self.score(folder))


def list_files(folder: Path, patterns: Iterable[str]) -> list[Path]:
    """Return the files of the first pattern that has any, in order."""
    for pattern in patterns:
        if files := sorted(folder.glob(pattern)):
            return files
    raise MissingFile(f"no file {' or '.join(patterns)}", where=str(folder), hint=_HINT)


def list_data(folder: Path, names: Iterable[str]) -> list[Path]:
    """Return the files and folders to load, which are named or match a pattern; without any, the folder."""
    return [
        list_files(folder, (name,))[0] if "*" in name else packs.find_file(folder, name)
        for name in names
    ] or [folder]


def add_queries(cases: CaseSet, file: Path | None) -> CaseSet:
    """Return the cases that have a query in ``file``, found by id or by question."""
    if file is None:
        raise UsageError(
            "these files have no recorded queries",
            hint='--replay FILE names a file of lines {"id": "…", "query": "…"}',
        )
    queries: dict[str, str | None] = {}
    for record in packs.read_records(file):
        key = record.optional("id") or record.text("question")
        queries[key] = record.optional("query") or record.optional("llm_output")
    with_queries = [
        replace(case, query=query)
        for case in cases.cases
        if (query := queries.get(case.id) or queries.get(case.question))
    ]
    missing = len(cases.cases) - len(with_queries)
    left_out = {**cases.left_out, **({"no query for it": missing} if missing else {})}
    return replace(cases, cases=tuple(with_queries), left_out=left_out)


def read_document(path: Path) -> Any:
    """Read one JSON value."""
    text = "\n".join(line for _, line in packs.read_lines(path))
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        where = f"{path}:{error.lineno}"
        raise MalformedLine(f"not JSON ({error.msg})", where=where, hint=_HINT) from error
    except RecursionError as error:
        raise UnreadableFile("nested too deeply", where=str(path), hint=_HINT) from error


def list_records(path: Path, members: Any) -> Iterator[PackRecord]:
    # The numbers of records stand for lines.
    if not isinstance(members, list) or not all(isinstance(member, dict) for member in members):
        raise UnreadableFile("no list of questions", where=str(path), hint=_HINT)
    for number, fields in enumerate(members, 1):
        yield PackRecord(path, number, fields)


# WikiSQL: the gold answer is that of the SQL, over the database of the release or over its tables.

_AGGREGATES = ("{}", "MAX({})", "MIN({})", "COUNT({})", "SUM({})", "AVG({})")
_OPERATORS = ("=", ">", "<")
_TABLE_ID = re.compile(r"[\w-]+")
_NUMBER = re.compile(r"[-+]?\d*\.\d+|\d+")


def read_wikisql(_: Path, file: Path) -> Iterator[Case | str]:
    split = file.name.partition(".")[0]
    tables = {
        record.text("id"): record
        for record in packs.read_records(packs.find_file(file.parent, f"{split}.tables.jsonl"))
    }
    stored = file.with_name(f"{split}.db")
    address = f"{stored.resolve().as_uri()}?mode=ro" if stored.exists() else ":memory:"
    with closing(sqlite3.connect(address, uri=True)) as database:
        loaded: set[str] = set()
        for record in packs.read_records(file):
            name = record.text("table_id")
            if name not in tables:
                raise record.malformed(f"no table {name!r} in {split}.tables.jsonl")
            try:
                if not stored.exists() and name not in loaded:
                    _create_table(database, tables[name])
                    loaded.add(name)
                labels = _run_sql(database, tables[name], record)
            except sqlite3.Error as error:
                raise record.malformed(f"its SQL cannot be run ({error})") from error
            if labels:
                case_id = f"{split}-{record.line}"
                yield Case(case_id, record.text("question"), "", labels, split, name)
            else:
                yield "its SQL has no answer"


def _table_name(record: PackRecord) -> str:
    name = record.text("id")
    if not _TABLE_ID.fullmatch(name):
        raise record.malformed(f"{name!r} is not the id of a table")
    return f'"table_{name.replace("-", "_")}"'


def _create_table(database: sqlite3.Connection, record: PackRecord) -> None:
    types, rows = record.texts("types"), record.fields.get("rows")
    if not isinstance(rows, list) or not all(
        isinstance(row, list) and len(row) == len(types) for row in rows
    ):
        raise record.malformed("no list 'rows' of rows as wide as 'types' in it")
    columns = ", ".join(
        f"col{n} {kind}"
        for n, kind in enumerate("REAL" if kind == "real" else "TEXT" for kind in types)
    )
    name, places = _table_name(record), ", ".join("?" * len(types))
    database.execute(f"CREATE TABLE {name} ({columns})")
    lowered = ([cell.lower() if isinstance(cell, str) else cell for cell in row] for row in rows)
    database.executemany(f"INSERT INTO {name} VALUES ({places})", lowered)  # noqa: S608 # checked


def _run_sql(
    database: sqlite3.Connection, table: PackRecord, record: PackRecord
) -> tuple[str, ...]:
    types, sql = table.texts("types"), record.fields.get("sql")
    try:
        aggregate = _AGGREGATES[sql["agg"]].format(f"col{range(len(types))[sql['sel']]}")  # type: ignore[index]
        conditions = [
            (range(len(types))[column], _OPERATORS[operator], value)
            for column, operator, value in sql["conds"]  # type: ignore[index]
        ]
    except (TypeError, LookupError, ValueError) as error:
        raise record.malformed("no object 'sql' with sel, agg and conds in it") from error
    where = " AND ".join(f"col{column} {sign} ?" for column, sign, _ in conditions)
    query = f"SELECT {aggregate} FROM {_table_name(table)}"  # noqa: S608 # checked
    values = [_read_bound(types[column], value) for column, _, value in conditions]
    rows = database.execute(f"{query} WHERE {where}" if where else query, values)
    return tuple(dict.fromkeys(value_text(row[0]) for row in rows if row[0] is not None))


def _read_bound(kind: str, value: Any) -> Any:
    # A text beside numbers is the first number in it.
    if not isinstance(value, str) or kind != "real":
        return str(value).lower() if kind != "real" else value
    number = _NUMBER.search(value.replace(",", ""))
    return float(number[0]) if number else value.lower()


def read_wikisql_pack(_: Path, file: Path) -> Iterator[Case]:
    for record in packs.read_records(file):
        question, labels = record.text("question"), record.texts("answers")
        yield Case(record.place, question, "", labels, record.text("split"), record.text("table"))


# WikiTableQuestions: a TSV file with escapes; a bar separates the members of an answer.

_WTQ_HEADER = "id\tutterance\tcontext\ttargetValue"
_WTQ_ESCAPE = re.compile(r"\\(.)")
_WTQ_ESCAPES = {"n": "\n", "p": "|", "\\": "\\"}


def read_wtq(_: Path, file: Path) -> Iterator[Case]:
    group = file.name.removesuffix(".tsv")
    for number, line in packs.read_lines(file):
        fields = line.split("\t")
        if number == 1 and line != _WTQ_HEADER:
            columns = _WTQ_HEADER.replace("\t", ", ")
            raise MalformedLine(f"the columns are not {columns}", where=f"{file}:1", hint=_HINT)
        if len(fields) != len(_WTQ_HEADER.split("\t")):
            raise MalformedLine("not four columns", where=f"{file}:{number}", hint=_HINT)
        if number > 1:
            labels = tuple(map(_unescape, fields[3].split("|")))
            yield Case(fields[0], _unescape(fields[1]), "", labels, group, fields[2])


def _unescape(text: str) -> str:
    return _WTQ_ESCAPE.sub(lambda match: _WTQ_ESCAPES.get(match[1], match[0]), text)


# MetaQA: a question, a tab, and answers with bars between them; the folder says the hops.

_HOPS = re.compile(r"(\d)[-_ ]?hop")


def read_metaqa(folder: Path, file: Path) -> Iterator[Case]:
    place = file.relative_to(folder).as_posix()
    hops = _HOPS.search(place)
    group = metaqa.group_name(int(hops[1])) if hops else "test"
    for number, line in packs.read_lines(file):
        question, tab, answers = line.partition("\t")
        if not (tab and answers):
            problem = "no question and answers with a tab between them"
            raise MalformedLine(problem, where=f"{file}:{number}", hint=_HINT)
        topic = metaqa.mask_topic(question)[1]
        labels = tuple(answers.split("|"))
        entities = (topic,) if topic else ()
        yield Case(f"{place}:{number}", question, "", labels, group, entities=entities)


# WebQSP: questions with parses; a relation is clear if it leads between two nodes with names.


def read_webqsp(folder: Path, file: Path) -> Iterator[Case | str]:
    document = read_document(file)
    members = document.get("Questions") if isinstance(document, dict) else None
    clear = _read_clear_relations(folder)
    for record in list_records(file, members):
        parses = record.records("Parses")
        answers = [answer for parse in parses for answer in parse.records("Answers")]
        labels = {
            answer.optional("EntityName") or answer.text("AnswerArgument") for answer in answers
        }
        chains = [parse.fields.get("InferentialChain") or [] for parse in parses]
        is_clear = any(chain and clear.issuperset(chain) for chain in chains)
        topics = dict.fromkeys(parse.optional("TopicEntityName") for parse in parses)
        if not labels:
            yield "no labelled answer"
            continue
        yield Case(
            record.text("QuestionId"),
            record.text("RawQuestion"),
            "",
            tuple(sorted(labels)),
            "semantic-clear" if is_clear else "semantic-unclear",
            entities=tuple(topic for topic in topics if topic),
        )


_FREEBASE = re.compile(r"<http://rdf\.freebase\.com/ns/([^>]*)>")


def _read_clear_relations(folder: Path) -> set[str]:
    facts: list[tuple[str, str, str]] = []
    named = {
        line.partition("\t")[0]
        for file in folder.glob("names.tsv*")
        for _, line in packs.read_lines(file)
    }
    for file in list_files(folder, ("kb.tsv*", "kb.nt*")):
        for _, line in packs.read_lines(file):
            head, relation, tail = [*_FREEBASE.sub(r"\1", line).split("\t"), "", ""][:3]
            facts.append((head, relation, tail))
            if relation == "type.object.name":
                named.add(head)
    return {relation for head, relation, tail in facts if head in named and tail in named}


# CronQuestions: Python objects; the questions have names, the answers ids.

_CRON_NAMES = "**/wd_id2entity_text.txt"


def read_cronquestions(folder: Path, file: Path) -> Iterator[Case]:
    pairs = (
        line.partition("\t")
        for file in list_files(folder, (_CRON_NAMES,))
        for _, line in packs.read_lines(file)
    )
    names = {key: name for key, _, name in pairs}
    for record in list_records(file, read_object_data(file)):
        paraphrases = record.fields.get("paraphrases") or [record.text("question")]
        answers = record.fields.get("answers")
        if not isinstance(answers, list | set | frozenset | tuple):
            raise record.malformed("no set 'answers' in it")
        kind, answer_type = record.text("type"), record.text("answer_type")
        entities = sorted(map(str, record.fields.get("entities") or ()))
        yield Case(
            str(record.fields.get("uniq_id", record.place)),
            str(paraphrases[0]),
            "",
            tuple(sorted(names.get(str(answer), str(answer)) for answer in answers)),
            kind,
            tags=("Simple" if kind.startswith("simple") else "Complex", answer_type.capitalize()),
            entities=tuple(names.get(entity, entity) for entity in entities),
        )


# MultiTQ: one JSON list; the names of its graph have underscores.


def read_multitq(_: Path, file: Path) -> Iterator[Case]:
    for record in list_records(file, read_document(file)):
        tags = (record.optional(name) for name in ("qlabel", "answer_type", "time_level"))
        yield Case(
            str(record.fields.get("quid", record.place)),
            record.text("question"),
            "",
            record.texts("answers"),
            record.text("qtype"),
            tags=tuple(tag.capitalize() for tag in tags if tag),
        )


_GRANULARITIES = {10: "Day", 7: "Month", 4: "Year"}
"""Length of a time → its granularity."""
_TIME = re.compile(r"\d{4}(?:-\d\d){0,2}")


def read_multitq_pack(_: Path, file: Path) -> Iterator[Case]:
    # The form of the answer is its granularity.
    for record in packs.read_records(file):
        labels = record.texts("answers")
        is_time = bool(labels) and _TIME.fullmatch(labels[0])
        granularity = _GRANULARITIES[len(labels[0])] if is_time else "Entity"
        yield Case(
            str(record.fields.get("id", record.place)),
            record.text("question"),
            "",
            labels,
            record.text("type"),
            tags=(granularity,),
        )


def read_event_name(text: str) -> str:
    return " ".join(text.replace("_", " ").split())


# Own questions over a dataset that is loaded.


def read_own(_: Path, file: Path) -> Iterator[Case]:
    names: set[str] = set()
    for record in packs.read_records(file):
        name = str(record.fields.get("id", record.place))
        if name in names:
            raise record.malformed(f"a second question with the id {name!r}")
        names.add(name)
        yield Case(
            name,
            record.text("question"),
            record.optional("query") or "",
            record.texts("answers"),
            record.optional("group") or "questions",
            record.optional("source"),
            entities=record.texts("entities") if "entities" in record.fields else (),
        )


_HITS = ("hits@1", "contains", "exact")
_OWN_METRICS = ("denotation", *_HITS, "f1")


def _score_own() -> Score:
    by_name = score_names(_OWN_METRICS[1:])
    by_value = score_values(wtq.score)
    return lambda case, answer: {**by_value(case, answer), **by_name(case, answer)}


def _score_webqsp(folder: Path) -> Score:
    groups = webqsp.read_name_groups(
        [file for name in webqsp.NAME_FILES for file in sorted(folder.glob(f"{name}*"))]
    )
    return webqsp.score_groups(groups, _WEBQSP_METRICS)


_WEBQSP_METRICS = ("hits@1", "reaches", "exact", "f1")

RELEASES: Mapping[str, ReleasedFiles] = {
    "wikisql": ReleasedFiles(
        "wikisql", ("test.jsonl", "data/test.jsonl"), ("**/test.tables.jsonl",),
        ("denotation",), read_wikisql, lambda _: score_values(wtq.score),
    ),
    "wtq": ReleasedFiles(
        "wikitablequestions", ("data/pristine-unseen-tables.tsv", "pristine-unseen-tables.tsv"), (),
        ("denotation",), read_wtq, lambda _: score_values(wtq.score),
    ),
    "metaqa": ReleasedFiles(
        "metaqa", ("*-hop/vanilla/qa_test.txt", "**/qa_test.txt", "**/qa_test_*hop.txt"),
        ("**/kb.txt*",), metaqa.METRICS, read_metaqa, lambda _: metaqa.score,
    ),
    "webqsp": ReleasedFiles(
        "webqsp", ("**/WebQSP.test.json",), (), _WEBQSP_METRICS, read_webqsp, _score_webqsp,
    ),
    "cronquestions": ReleasedFiles(
        "cronquestions", ("**/questions/test.pickle",), (), _HITS, read_cronquestions,
        lambda _: score_names(_HITS),
    ),
    "multitq": ReleasedFiles(
        "temporal-kg", ("**/questions/test.json", "test.json"), ("**/full.txt",), _HITS,
        read_multitq, lambda _: score_names(_HITS, read_event_name),
    ),
}  # fmt: skip


PACKS: Mapping[str, ReleasedFiles] = {
    "multitq": replace(
        RELEASES["multitq"], questions=("questions.jsonl*",), data=("kg.tsv*",),
        read=read_multitq_pack,
    ),
    "wikisql": replace(
        RELEASES["wikisql"], questions=("questions.jsonl*",), data=("tables",),
        read=read_wikisql_pack,
    ),
}  # fmt: skip
"""Data packs without recorded queries and demonstrations."""


def make_benchmark(name: str, release: ReleasedFiles, pack: str = "") -> Benchmark:
    """Return the benchmark of these files; untaught, the topics of its questions have no brackets."""

    def read(folder: Path) -> QuestionSet:
        return QuestionSet(release.read_cases(folder))

    def read_unmarked(folder: Path) -> QuestionSet:
        cases = release.read_cases(folder)
        if name == "metaqa":
            cases = replace(cases, cases=tuple(map(metaqa.remove_brackets, cases.cases)))
        return QuestionSet(cases)

    def replay(folder: Path, file: Path | None) -> CaseSet:
        return add_queries(release.read_cases(folder), file)

    base = Benchmark(
        name, pack, release.format, release.metrics, replay, read,
        data=release.data, marks=release.questions,
    )  # fmt: skip
    return replace(base, untaught=replace(base, ask=read_unmarked))


def _read_own_file(path: Path) -> CaseSet:
    if path.is_dir():
        raise MissingFile("a folder, not a file of questions", where=str(path), hint=_HINT)
    return CaseSet.collect(read_own(path.parent, path), _score_own())


def _replay_own(path: Path, file: Path | None) -> CaseSet:
    cases = _read_own_file(path)
    if file is not None:
        return add_queries(cases, file)
    with_queries = tuple(case for case in cases.cases if case.query)
    missing = len(cases.cases) - len(with_queries)
    return replace(cases, cases=with_queries, left_out={"no query": missing} if missing else {})


def _ask_own(path: Path) -> QuestionSet:
    cases = _read_own_file(path)
    return QuestionSet(replace(cases, cases=tuple(replace(case, query="") for case in cases.cases)))


OWN = Benchmark("own", "", "", _OWN_METRICS, _replay_own, _ask_own)
OWN = replace(OWN, untaught=OWN)
