"""Answers made by hand, for the tests of how they are told and shown."""

from __future__ import annotations

from trustuqa_neo4j.answer import Answer, Evidence, SentStatement, Stage
from trustuqa_neo4j.language.ast import Problem, ProblemKind
from trustuqa_neo4j.matching import NameMatch

QUERY = (
    "Step1: Find the bakers of Rye Street\nQuery1: \"get_information(relation='bakes', tail='rye')\"\n"
    'Step2: Count them\nQuery2: "count(set=output_of_query1)"\n'
)
MS = {"parse": 0.1, "check": 0.2, "map": 1.0, "execute": 2.5, "total": 3.8}


def evidence(head: str = "Ada", tail: str = "rye", line: int = 3) -> Evidence:
    return Evidence(head, "bakes", tail, "town", "bakers", "bakers.csv", line)


ASKED = Answer(
    "answered",
    values=("Ada", 2, 0.5),
    mapped=(NameMatch("ry", "rye", "nearest", 0.9),),
    evidence=(
        evidence(),
        Evidence("Bo", "bakes", "rye", "town", "bakers", "bakers.csv", 4, "1999", None),
    ),
    evidence_total=7,
    trace=(
        Stage("parse", QUERY, "2 steps", 0.1),
        Stage(
            "execute",
            "search_condition('bakes', 'rye')",
            "step 1: 2 nodes by 2 facts",
            2.0,
            (SentStatement("facts_to_tails", {"nodes": list(range(9)), "source": None}, 2, 1.25),),
            step=1,
            members=("Ada", "Bo"),
        ),
        Stage(
            "execute", "count(set=output_of_query1)", "step 2: 1 value", 0.5, (), 2, (1,), ("2",)
        ),
    ),
    ms=MS,
    question="how many bake rye?",
    llm_query=QUERY,
    confidence=0.24,
    samples=5,
    usage={"input_tokens": 1234, "output_tokens": 56, "calls": 1, "cached": 0, "cost": None},
    grounded=False,
    sent=("question", "schema"),
    hints=(),
    datasets=("town",),
)

TABLE = Answer(
    "answered",
    values=("Ada", 3, "Bo", 4),
    columns=("baker", "loaves, a day"),
    rows=(("Ada", 3), ("Bo", 4)),
    ms=MS,
)

NOT_ASKABLE = Answer(
    "not_askable",
    problems=(Problem(ProblemKind.UNKNOWN_RELATION, "town has no relation 'sells'", 1, 24),),
    trace=(Stage("parse", "get_information(relation='sells')", "1 steps", 0.1),),
    question="who sells rye?",
    llm_query="get_information(relation='sells')",
    hints=("who bakes rye?", "who bakes <b>bagels</b>?"),
    ms=MS,
)

ODD = (
    "[red]bold[/red] :smile:",
    "<script>alert('x')</script> & co",
    "\x1b[31mred\x07\x9b\x7f\x00",
    "two\nlines",
    "carriage\r\nreturn",
    "tab\there",
    "line\u2028separator",
    "שלום\u200f!",
    "\u202egnp.exe\u2066",
    "👩‍🚀🇮🇸 é",
    "half \ud800 a pair",
    "",
    "$x^2$ and $y$",
)
"""Values that markup, terminals, HTML, CSV or MathJax could take for something else."""
