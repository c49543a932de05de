"""A program as users write it: ``make lint`` checks its types, and nothing runs it."""

# pandas has no types of its own.
# pyright: strict, reportMissingTypeStubs=false

from __future__ import annotations

import asyncio
from pathlib import Path

import trustuqa_neo4j
from trustuqa_neo4j import Answer, Demonstration, Evidence, Settings, Trace, TrustUQA, TrustUQAError
from trustuqa_neo4j.answer import CheckReport, Stage
from trustuqa_neo4j.errors import DataError, UnknownDataset
from trustuqa_neo4j.loading.request import LoadReport, Progress
from trustuqa_neo4j.values.value import ValueOptions


def load(tuqa: TrustUQA) -> LoadReport:
    import pandas

    frame = pandas.DataFrame({"name": ["a"], "n": [1]})
    tuqa.load(
        "films.csv",
        dataset="films",
        mode="replace",
        header=1,
        types={"n": "number"},
        columns=["a"],
        rename={"a": "b"},
    )
    tuqa.load(Path("films.csv"), "kg.tsv", dataset="x", values=ValueOptions(dates="dmy"))
    tuqa.load(frame, dataset="frame")
    tuqa.load([{"a": 1, "b": "x"}], dataset="records")
    tuqa.load([{"a": 1}, {"b": "x"}], dataset="records", progress=Progress())
    report = tuqa.load("kg", "films.tsv", dataset="films", dry_run=True)
    print(
        report.dataset,
        report.facts,
        report.sources,
        report.detected,
        report.tables,
        report.to_dict(),
    )
    for table in report.tables:
        print(table)
    return report


def ask(tuqa: TrustUQA) -> Answer:
    answer = tuqa.ask(
        "who directed Alien?",
        "films",
        votes=3,
        timeout=10,
        llm="demonstrations",
        private=True,
        listen=print,
    )
    answer = tuqa.ask(
        "who directed Alien?",
        ["films", "sites"],
        source="a",
        pick=1,
        fields={"a": "b"},
        entities=["x"],
    )
    for value in answer.values:
        print(value)
    columns, rows = answer.table
    print(columns, [cell for row in rows for cell in row])
    frame = answer.to_pandas(typed=True)
    print(frame.shape)
    print(answer.to_dict()["values"], answer.to_csv(), answer.to_text(why=True), answer.understood)
    print(
        Answer.from_dict(answer.to_dict()), Answer.json_schema(), answer.usage, answer.ms["total"]
    )
    for reading in answer.readings:
        print(reading.query, reading.probability, reading.understood)
    facts: tuple[Evidence, ...] = answer.evidence
    for fact in facts:
        print(fact.head, fact.place, fact.line + 1)
    trace: Trace = answer.trace
    for stage in trace:
        one: Stage = stage
        print(one.stage, [sent.parameters for sent in stage.sent])
    for problem in answer.problems:
        print(problem.kind, problem.message, problem.step, problem.to_dict())
    for match in answer.mapped:
        print(match.given, match.used, match.how, match.score)
    for note in answer.notes:
        print(note.kind, note.message, note.samples)
    picture = answer.picture(format="svg")
    print(
        len(picture),
        answer.picture(format="mermaid", link_node=lambda dataset, name: f"/{dataset}/{name}"),
    )
    answer.show()
    return answer


def manage(tuqa: TrustUQA) -> None:
    print(tuqa.ping(), tuqa.asked_by())
    for dataset in tuqa.datasets():
        print(dataset.name, dataset.facts, dataset.complete, dataset.sources, dataset.to_dict())
    schema = tuqa.schema("films")
    for relation in schema.relations:
        print(relation.name, relation.facts, relation.samples, relation.qualifiers)
    print(schema.classes, schema.sources, schema.to_dict(), schema.kind)
    report: CheckReport = tuqa.check("f()", "films", question="who?")
    print(report.good, report.problems, report.to_dict("f()"))
    names = tuqa.find_names("Ridly", "films")
    print(names.exact, names.similar, names.relations)
    teaching = tuqa.demonstrations
    teaching.add("films", Demonstration("who?", "get_information()"))
    stored = teaching.teach("films", Demonstration("who?", "get_information()", source="a"))
    print(stored.state, stored.question, stored.query)
    for entry in teaching.listed("films"):
        print(entry.question)
    prompt = tuqa.prompt("who?", "films", examples=3)
    print([(m.role, m.content) for m in prompt.messages])
    for answer in tuqa.ask_many(["a", "b"], "films"):
        print(answer.outcome)
    tuqa.drop("films")


async def asynchronous() -> None:
    async with TrustUQA.connect(uri="bolt://localhost", auth=("neo4j", "x")) as tuqa:
        answer = await tuqa.aask("who?", "films", votes=1)
        print(answer.values)
        run = await tuqa.arun("f()", "films", limit=3)
        check = await tuqa.acheck("f()")
        print(run.rows, check.good)
        async for each in tuqa.aask_many(["a"], at_once=2):
            print(each.outcome)


class MyEmbedder:
    def encode(self, texts: list[str]) -> list[list[float]]:
        return [[0.0] for _ in texts]


def main() -> None:
    settings = Settings.read()
    try:
        with TrustUQA.connect(
            settings, llm="demonstrations", datasets=["films"], embedder="off"
        ) as tuqa:
            load(tuqa)
            ask(tuqa)
            manage(tuqa)
            run = tuqa.run("f()", "films", evidence=3, limit=1, inference=False, timeout=3)
            print(run.columns, run.rows)
    except UnknownDataset as error:
        print(error.what, error.where, error.hint)
    except (DataError, TrustUQAError) as error:
        print(error, error.kind)
    asyncio.run(asynchronous())
    print(trustuqa_neo4j.__version__)
