"""Tiny data packs for tests of the replay: few facts, few queries, each with a known fate."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any


def jsonl(path: Path, *records: dict[str, Any]) -> Path:
    """Records as JSON lines."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records))
    return path


def lines(path: Path, text: str, separator: str = "\t") -> Path:
    """Lines of fields: ``/`` between them becomes the separator."""
    path.parent.mkdir(parents=True, exist_ok=True)
    rows = [line.strip().replace(" / ", separator) for line in text.strip().splitlines()]
    path.write_text("\n".join(rows) + "\n")
    return path


def step(number: int, call: str) -> str:
    """One step as it was recorded."""
    return f'Step{number}: find it\nQuery{number}: "{call}"'


def metaqa(packs: Path) -> Path:
    """Two of one hop (one right, one not), one of two hops, and three that cannot be run."""
    pack = packs / "metaqa"
    lines(
        pack / "kb.txt",
        """
        Alien / directed_by / Ridley Scott
        Alien / starred_actors / Sigourney Weaver
        Blade Runner / directed_by / Ridley Scott
        Gladiator / directed_by / Ridley Scott
        Gladiator / starred_actors / Russell Crowe
        """,
        "|",
    )
    jsonl(
        pack / "questions.1hop.dev.jsonl",
        {"question": "who directed [Gladiator]", "qtype": "movie_to_director"},
        {"question": "who starred in [Gladiator]", "qtype": "movie_to_actor"},
    )
    jsonl(
        pack / "questions.2hop.test.jsonl",
        {
            "question": "which films share a director with [Alien]",
            "qtype": "movie_to_director_to_movie",
        },
    )
    directed = "get_information(relation='directed_by', head_entity='Alien')"
    jsonl(
        pack / "llm_queries.1hop.jsonl",
        {"question": "who directed [Alien]", "llm_output": step(1, directed)},
        {"question": "who starred in [Alien]", "llm_output": step(1, directed)},
        {"question": "who starred in [Gladiator]", "llm_output": None},
        {"question": "who starred in [Blade Runner]", "llm_output": step(1, directed)},
        {"question": "who shot [Alien]", "llm_output": step(1, directed)},
    )
    second = "get_information(relation='directed_by', tail_entity='output_of_query1')"
    jsonl(
        pack / "llm_queries.2hop.jsonl",
        {
            "question": "which films share a director with [Alien]",
            "llm_output": f"{step(1, directed)}\n{step(2, second)}",
        },
    )
    return pack


def asked(packs: Path) -> Path:
    """MetaQA with test questions: two like a training question, and one like none."""
    pack = metaqa(packs)
    (pack / "questions.2hop.test.jsonl").unlink()
    shown = "get_information(relation='directed_by', head_entity='Gladiator')"
    hand = {"question": "who directed [Gladiator]", "llm_output": step(1, shown)}
    jsonl(pack / "demonstrations.jsonl", hand)
    jsonl(
        pack / "questions.1hop.test.jsonl",
        {"id": "a", "question": "who directed [Blade Runner]", "answers": ["Ridley Scott"]},
        {"id": "b", "question": "who directed [Alien]", "answers": ["Somebody Else"]},
        {"id": "c", "question": "how long is a piece of string", "answers": ["1"]},
    )
    return pack


def wtq(packs: Path) -> Path:
    """Two *core* (one right, one wrong), one *other* that is refused; and what is asked of no one table."""
    pack = packs / "wtq"
    table = pack / "csv" / "204-csv" / "1.csv"
    table.parent.mkdir(parents=True)
    table.write_text('"Nation","Gold"\n"Norway","14"\n"Germany","12"\n"Canada","11"\n')
    where = {"id": "nt-1", "table": "csv/204-csv/1.csv"}
    gold = "get_information(relation='Gold', tail_entity='14')"
    nation = "get_information(relation='Nation', head_entity='output_of_query1')"
    found = f"## Target type: {{Nation}}\n## Query:\n{step(1, gold)}\n{step(2, nation)}"
    jsonl(
        pack / "llm_queries.jsonl",
        {
            "question": "who won 14?",
            "llm_output": found,
            "examples": [{**where, "answers": ["Norway"]}],
        },
        {
            "question": "who won 12?",
            "llm_output": found,
            "examples": [{**where, "id": "nt-2", "answers": ["Germany"]}],
        },
        {
            "question": "which is it?",
            "llm_output": f"{step(1, gold)}\n{step(2, 'divine(output_of_query1)')}",
            "examples": [{**where, "id": "nt-3", "answers": ["Canada"]}],
        },
        {
            "question": "how many?",
            "llm_output": found,
            "examples": [
                {**where, "answers": ["1"]},
                {"id": "nt-4", "table": "csv/204-csv/2.csv", "answers": ["2"]},
            ],
        },
        {"question": "why?", "llm_output": None, "examples": [{**where, "answers": ["1"]}]},
        {"question": "where?", "llm_output": found, "examples": []},
    )
    return pack


def webqsp(packs: Path) -> Path:
    """One that gives exactly its label by an alias, one with one value too many, one left out."""
    pack = packs / "webqsp"
    lines(
        pack / "kb.tsv",
        """
        m.01 / people.person.languages / m.02
        m.03 / people.person.profession / m.04
        m.03 / people.person.profession / m.05
        """,
    )
    lines(
        pack / "names.tsv",
        """
        m.01 / Bob Marley
        m.02 / English
        m.03 / Leonard Nimoy
        m.04 / actor
        m.05 / poet
        """,
    )
    lines(pack / "aliases.tsv", "m.02 / English Language\nm.04 / Actors")
    languages = "get_information(relation='people.person.languages', head_entity='Bob Marley')"
    professions = (
        "get_information(relation='people.person.profession', head_entity='Leonard Nimoy')"
    )
    jsonl(
        pack / "llm_queries.jsonl",
        {
            "question": "what did bob marley speak?",
            "llm_output": step(1, languages),
            "answers": ["English Language"],
            "kb_check": "exact",
        },
        {
            "question": "what did leonard nimoy do?",
            "llm_output": step(1, professions),
            "answers": ["Actor"],
            "kb_check": "overlap",
        },
        {
            "question": "where was he born?",
            "llm_output": step(1, professions),
            "answers": ["Boston"],
            "kb_check": "miss",
        },
    )
    return pack


def yago11k(packs: Path) -> Path:
    """One question of each type, and one of none."""
    pack = packs / "yago11k"
    lines(
        pack / "kg.tsv",
        """
        head / relation / tail / start / end
        O'Neill / playsFor / Red Star / 1990-05-01 / 1992-##-##
        O'Neill / playsFor / Blue Star / 1992-##-## / 1993-##-##
        Weber / playsFor / Red Star / 1992-##-## / 1995-##-##
        Braun / playsFor / Red Star / 1991-##-## / ####-##-##
        Klein / playsFor / Red Star / 1996-##-## / 1997-##-##
        """,
    )
    asked = [
        ("simple_time", "In which years did O'Neill play for Red Star?", [1990, 1991, 1992]),
        ("simple_entity", "Which team did O'Neill play for in 1991?", ["Red Star"]),
        ("first_last", "Which was the last team that O'Neill played for?", ["Blue Star"]),
        ("before_after", "Which teams did O'Neill play for before Blue Star?", ["Red Star"]),
        ("time_join", "Who played for Red Star at the same time as O'Neill?", ["Weber"]),
        ("riddle", "Who is who?", ["Braun"]),
    ]
    jsonl(
        pack / "questions.generated.jsonl",
        *(
            {"question": question, "type": kind, "relation": "playsFor", "answers": answers}
            for kind, question, answers in asked
        ),
    )
    return pack


def cronquestions(packs: Path) -> Path:
    """Questions of the scored types, and two that are not scored."""
    pack = packs / "cronquestions"
    lines(
        pack / "ids" / "kg.tsv",
        """
        head / relation / tail / start / end
        Q1 / P54 / Q11 / 1990 / 1992
        Q1 / P54 / Q12 / 1993 / 1995
        Q2 / P39 / Q13 / 1990 / 1991
        """,
    )
    play, hold = {"relation": "P54"}, {"relation": "P39"}
    entity, time = {"answer_type": "entity"}, {"answer_type": "time"}
    exact: dict[str, str | None] = {"kg_check": "exact"}
    asked = [
        ("simple_time", "When did Q1 play in Q11?", "When did {head} play in {tail}?",
         [1990, 1991, 1992], {**play, **time, "kg_check": None}),
        ("simple_entity", "Who was the Q13 in 1990?", "Who was the {tail} in {time}?",
         ["Q2"], {**hold, **entity, **exact}),
        ("first_last", "Which was the last team that Q1 played in?",
         "Which was the {adj} team that {head} played in?", ["Q12"], {**play, **entity, **exact}),
        ("first_last", "When did Q1 play their last game for Q11?",
         "When did {head} play their {adj} game for {tail}?", [1992], {**play, **time, **exact}),
        ("first_last", "When did Q1 play their first game?",
         "When did {head} play their {adj} game?", [1989], {**play, **time, "kg_check": "none"}),
        ("time_join", "Who played with Q1?", "Who played with {head}?", ["Q2"], {**play, **entity}),
    ]  # fmt: skip
    jsonl(
        pack / "ids" / "questions.jsonl",
        *(
            {
                "id": f"c-{number}",
                "question": question,
                "type": kind,
                "template": template,
                "answers": answers,
                **more,
            }
            for number, (kind, question, template, answers, more) in enumerate(asked)
        ),
    )
    return pack


def wtq_questions(packs: Path) -> Path:
    """WikiTableQuestions with test questions: one is right, two are refused."""
    pack = wtq(packs)
    table = "csv/204-csv/1.csv"
    asked = [("nu-1", "what is the gold of norway?", "14"),
             ("nu-2", "who trained the team of germany?", "Nobody"),
             ("nu-3", "the of and", "1")]  # fmt: skip
    jsonl(
        pack / "questions.test.jsonl",
        *(
            {"id": name, "question": question, "table": table, "answers": [label]}
            for name, question, label in asked
        ),
    )
    return pack


def webqsp_questions(packs: Path) -> Path:
    """WebQSP with two test questions, one of them with a label that the graph lacks."""
    pack = webqsp(packs)
    asked = [("t-1", "test", "what languages does bob marley speak?", "English Language"),
             ("t-2", "test", "where was bob marley born?", "Nine Mile"),
             ("t-3", "val", "where was leonard nimoy born?", "Boston")]  # fmt: skip
    jsonl(
        pack / "questions.jsonl",
        *(
            {"id": name, "split": split, "question": question, "answers": [label]}
            for name, split, question, label in asked
        ),
    )
    return pack


def cronquestions_names(packs: Path, questions: list[str]) -> Path:
    """CronQuestions by names: each question is of the team of Ann, the last has no label."""
    pack = cronquestions(packs)
    lines(
        pack / "kg.tsv",
        """
        head / relation / tail / start / end
        Ann Lee / member of sports team / Red Star / 1990 / 1992
        Ann Lee / member of sports team / Blue Star / 1993 / 1995
        """,
    )
    jsonl(
        pack / "questions.jsonl",
        *(
            {"id": f"n-{number}", "question": question, "type": "simple_entity",
             "answers": ["Red Star"] if number < len(questions) else []}
            for number, question in enumerate(questions, 1)
        ),
    )  # fmt: skip
    return pack


ACME = """\
@prefix rr: <http://www.w3.org/ns/r2rml#> .
@prefix in: <https://example.org/in/> .
<#claim> rr:logicalTable [ rr:tableName "Claim" ] ;
  rr:subjectMap [ rr:template "https://example.org/d/Claim-{id}" ; rr:class in:Claim ] ;
  rr:predicateObjectMap [ rr:predicate in:claimNumber ; rr:objectMap [ rr:column "number" ] ] ;
  rr:predicateObjectMap [ rr:predicate in:lossAmount ; rr:objectMap [ rr:column "amount" ] ] .
"""


def acme(packs: Path) -> Path:
    """Two claims, and five questions in two quadrants, each for the amounts or the number of all claims."""
    pack = packs / "acme"
    lines(pack / "data" / "Claim.csv", "id,number,amount\n1,C-1,10.50\n2,C-2,20")
    (pack / "data" / "claims.r2rml").write_text(ACME)
    (pack / "DDL").mkdir()
    (pack / "DDL" / "ACME_small.ddl").write_text(
        "CREATE TABLE Claim ( id int NOT NULL, number varchar(9), amount decimal(9,2), PRIMARY KEY (id) )"
    )
    (pack / "ontology").mkdir()
    (pack / "ontology" / "insurance.ttl").write_text(
        "@prefix owl: <http://www.w3.org/2002/07/owl#> .\n<https://example.org/in/Claim> a owl:Class .\n"
    )
    amounts = [["C-1", 10.5], ["C-2", 20]]
    asked: dict[str, tuple[str, list[list[Any]]]] = {
        "a": ("LQLS", amounts),
        "b": ("LQLS", amounts),
        "c": ("HQLS", [[2]]),
    }
    asked |= {"d": ("HQLS", amounts), "e": ("LQLS", amounts)}
    jsonl(
        pack / "questions.jsonl",
        *({"id": name, "question": f"Question {name} of claims?", "quadrant": quadrant}
          for name, (quadrant, _) in asked.items()),
    )  # fmt: skip
    jsonl(
        pack / "gold_answers.jsonl",
        *({"id": name, "rows": rows} for name, (_, rows) in asked.items()),
    )
    return pack


WRITERS = {
    "metaqa": metaqa,
    "wtq": wtq,
    "webqsp": webqsp,
    "yago11k": yago11k,
    "cronquestions": cronquestions,
    "acme": acme,
}
"""Benchmark → what writes its pack."""
