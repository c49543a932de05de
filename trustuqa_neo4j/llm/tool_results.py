"""Tools for agents: the words that describe them, and answers and checks as text for their models.

Results are JSON: cell values in them are quoted data.
"""

from __future__ import annotations

import json
from typing import Any

from ..answer import Answer, CheckReport, Evidence
from ..language.ast import excerpt

_MAX_VALUES = 50  # values or rows in the result of a tool
_MAX_FACTS = 10
MAX_NAMES = 200  # that a search of names finds

ASK = (
    "Ask a question in plain words about the loaded data. Replies with the outcome, the values of the "
    "answer, and the facts that prove it, each with its file and line; or with readings: what the question "
    "may mean, each with its values and its number for `pick`."
)
RUN = (
    'Run a query of steps (Query1: "get_information(...)" ...) over the loaded data. Replies with the '
    "outcome, the values, the facts that prove them, and the problems of the query."
)
CHECK = (
    'See what is wrong with a query of steps (Query1: "get_information(...)" ...) before it is run. '
    "Replies with the problems, each with its step and what to try, or says that there is none."
)
DESCRIBE = "Describe a dataset: its relations or columns, with kinds, ranges and samples."
FIND_NAMES = "Find how relations and names are written in the data."
LANGUAGE_USE = "The query language in ten lines, with examples."
LANGUAGE = """\
A query has numbered steps, Query1: "…", Query2: "…"; the result of the last one is the answer.
get_information(head_entity=, relation=, tail_entity=, key=, value=) finds facts and returns what is left out:
  get_information(head_entity='Alien', relation='directed by') returns who directed it.
  get_information(relation='directed by', tail_entity='Ridley Scott') returns what he directed.
  get_information(relation='Nation', tail_entity='Japan', key='Gold') returns Japan's Gold.
output_of_query1 stands for the result of step 1, wherever a value can stand.
Conditions: value>250, value<='2012', value contains 'moon'; lists mean any: tail_entity=['Rome', 'Chicago'].
Of results: count(set=…), max(set=…), min(set=…), sum(set=…), mean(set=…), set_intersection(set1=…, set2=…).
At a time: key='time', value='1969' selects facts that held then; key='start time' returns when they began.
Names stand in quotes, as `describe` and `find_names` show them; the engine corrects small errors of them."""
QUESTION = (
    "The question, complete in itself, with names as in the data; with `follows` it may be short."
)
FOLLOW_UP = (
    "For: and in 2012? only those in Berlin; of these, which is the oldest? how many are they?"
)
PICK = "Number of a reading that this question was offered; null for the first time."
TEXT = "A name or word, as the question has it."
OFFSET = "`next` of the page before; 0 for the first."
QUERY = "Steps such as Query1: \"get_information(head_entity='Alien')\"."


def format_answer(answer: Answer) -> str:
    """Format an answer as JSON for a model: what is empty is left out, long lists are cut."""
    columns, rows = answer.table
    is_table = len(columns) > 1
    count = len(rows) if is_table else len(answer.values)
    content: dict[str, Any] = {
        "outcome": answer.outcome,
        "values": [] if is_table else list(answer.values[:_MAX_VALUES]),
        "columns": list(columns) if is_table else [],
        "rows": [list(row) for row in rows[:_MAX_VALUES]] if is_table else [],
        "total": answer.truncated or (count if count > _MAX_VALUES else None),
        "query": answer.llm_query,
        "understood": answer.understood,
        "sentence": answer.sentence,
        "confidence": answer.confidence,
        "readings": [
            {
                "pick": number,
                "understood": reading.understood,
                "values": list(reading.values),
                "total": reading.total,
                "query": reading.query,
            }
            for number, reading in enumerate(answer.readings, 1)
        ],
        "facts": list(map(describe_fact, answer.evidence[:_MAX_FACTS])),
        "facts_total": answer.evidence_total if answer.evidence_total > _MAX_FACTS else None,
        "problems": [problem.message for problem in answer.problems],
        "notes": [note.message for note in answer.notes],
        "hints": list(answer.hints),
        "grounded": None if answer.grounded else False,
    }
    content = {name: value for name, value in content.items() if value not in (None, [])}
    return json.dumps(content, ensure_ascii=False)


def format_report(report: CheckReport, query: str) -> str:
    """Format the problems of a check: a line for each, with its place in the query."""
    lines = []
    for problem in report.problems:
        where = "" if problem.step is None else f", step {problem.step}"
        lines.append(f"{problem.severity}: {problem.kind}{where}: {problem.message}")
        if problem.position is not None:
            lines += [f"  {line}" for line in excerpt(query, problem.position).splitlines()]
    lines += [f"{match.given!r} is read as {match.used!r}" for match in report.mapped]
    return "\n".join(lines) if lines else "Nothing is wrong with this query."


def describe_fact(fact: Evidence) -> str:
    time = ""
    if fact.start is not None or fact.end is not None:
        time = f" [{fact.start or '…'} – {fact.end or '…'}]"
    return f"{fact.head} | {fact.relation} | {fact.tail}{time} ({fact.dataset}, {fact.place})"
