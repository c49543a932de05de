"""Questions that follow another: edits of its query, offers, and refusals."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from trustuqa_neo4j import Answer, TrustUQA
from trustuqa_neo4j.errors import UsageError
from trustuqa_neo4j.execution import grouping
from trustuqa_neo4j.questions.follow_up import read_follow_up, read_shift
from trustuqa_neo4j.questions.past_question import PastQuestion

SHIPS = """Ship,Harbour,Flag,Crew,Length,Built
Aurelia,Trond,Norway,14,42,1991
Bellis,Trond,Norway,9,31,2003
Corvus,Malm,Sweden,22,65,2010
Dione,Malm,Norway,17,58,2010
Erato,Kolding,Denmark,11,37,1991
Fortuna,Kolding,Denmark,30,88,2018
"""
GUILD = """Ada Brill\tteaches\tBen Coil
Ada Brill\tteaches\tCara Dunn
Ben Coil\tborn in\tOsterwick
Cara Dunn\tborn in\tHallem
Ada Brill\tborn in\tLunde
Eva Frost\tteaches\tGil Hart
Gil Hart\tborn in\tHallem
Ada Brill\tage\t55
Ben Coil\tage\t31
Cara Dunn\tage\t28
Gil Hart\tage\t19
Eva Frost\tage\t60
Hallem\tlocated in\tNorland
Osterwick\tlocated in\tSudland
"""
TENURES = """head\trelation\ttail\tstart\tend
Nell Ray\tmayor of\tOsterwick\t1990\t1996
Otto Sand\tmayor of\tOsterwick\t1997\t2004
Pia Toft\tmayor of\tHallem\t1990\t2004
"""
MILLS = """Mill,Valley,Season,Grain,Keeper
Aska,North,2018,1200,Ole
Aska,North,2019,1500,Ole
Brekke,North,2018,2500,
Brekke,North,2019,2100,Ida
Carlo,South,2018,1700,Per
Carlo,South,2019,800,Per
"""
TABLE, GRAPH, TIMES = "followed ships", "followed guild", "followed tenures"
ROWS = "followed mills"


@pytest.fixture(scope="module")
def data(client: TrustUQA, tmp_path_factory: pytest.TempPathFactory) -> Iterator[TrustUQA]:
    folder = tmp_path_factory.mktemp("followed")
    for name, form, text in (
        (TABLE, "table", SHIPS), (GRAPH, "kg", GUILD), (TIMES, "temporal-kg", TENURES),
        (ROWS, "table", MILLS),
    ):  # fmt: skip
        path = folder / f"{name}.{'csv' if form == 'table' else 'tsv'}"
        path.write_text(text, encoding="utf-8")
        client.load(form, path, dataset=name, embeddings=False)
    yield client
    for name in (TABLE, GRAPH, TIMES, ROWS):
        client.drop(name)


@pytest.mark.parametrize(
    ("dataset", "first", "second", "values"),
    [
        (TABLE, "Which ships are in Trond?", "And in Malm?", {"Corvus", "Dione"}),
        (TABLE, "Which ships are in Trond?", "how many are they?", {2}),
        (TABLE, "In which harbours are the ships from Norway?", "how many is that?", {2}),
        (TABLE, "What is the crew of Corvus?", "how many more is that than Dione?", {5}),
        (TABLE, "Which ship has the largest crew?", "why is it the largest?", {"Fortuna"}),
        (TABLE, "What is the length of Corvus?", "Is that longer than Fortuna?", {"no"}),
        (TABLE, "What is the length of Corvus?", "is it shorter than Fortuna?", {"yes"}),
        (TABLE, "How many ships are in Malm?", "Is that more than in Trond?", {"no"}),
        (TABLE, "What is the total crew in Malm?", "Do the ships in Trond have more?", {"no"}),
        (TABLE, "Which ship has the largest crew?", "how many more is that than the Corvus?", {8}),
        (TABLE, "What is the crew of Corvus?", "Is it more than 20?", {"yes"}),
        (TABLE, "How many ships have a crew of more than 20?", "how many have a crew of more than 25?",
         {1}),
        (TABLE, "What is the crew of Corvus?", "and how many ships?", {6}),
        (TABLE, "Which ship in Malm has the largest crew?", "And the second?", {"Dione"}),
        (TABLE, "Which ship has the largest crew?", "And the second?", {"Corvus"}),
        (TABLE, "Which ship has the smallest crew?", "which comes third?", {"Aurelia"}),
        (TABLE, "Which ship has the largest crew?", "which comes second", {"Corvus"}),
        (TABLE, "What is the largest crew?", "and the total?", {103}),
        (TABLE, "What is the crew of Corvus?", "And how long is it?", {"65"}),
        (TABLE, "Which ships are in Malm?", "which of the two has more crew?", {"Corvus"}),
        (TABLE, "Which ships have a crew of more than 20?", "And which have fewer than 10?",
         {"Bellis"}),
        (TABLE, "Which ships in Malm are from Norway?", "and which ones in Malm are not?",
         {"Corvus"}),
        (TABLE, "Which ships are in Malm?", "only those from Norway", {"Dione"}),
        (TABLE, "Which ships are in Malm?", "of these, which has the largest crew?", {"Corvus"}),
        (TABLE, "Which ships are in Malm?", "What is their average crew?", {19.5}),
        (TABLE, "Which ships are in Malm?", "without those from Norway", {"Corvus"}),
        (TABLE, "How many ships are in Kolding?", "which ones?", {"Erato", "Fortuna"}),
        (TABLE, "Which ship has the largest crew?", "and the smallest?", {"Bellis"}),
        (TABLE, "Which ship has the largest crew?", "and in Trond?", {"Aurelia"}),
        (TABLE, "Which ships were built in 1991?", "what about 2010?", {"Corvus", "Dione"}),
        (TABLE, "What is the crew of Corvus?", "and the length?", {"65"}),
        (TABLE, "Which ships were built after 1990?", "which of them are in Malm but not from Norway?",
         {"Corvus"}),
        (TABLE, "What is the crew of Corvus?", "And of Dione?", {"17"}),
        (TABLE, "Which ships are in Malm?", "the longest?", {"Corvus"}),
        (TABLE, "What is the crew of Corvus?", "let's say Dione", {"17"}),
        (TABLE, "What is the crew of Corvus?", "No, I meant Dione.", {"17"}),
        (TABLE, "What is the crew of Corvus?", "not Corvus, Dione", {"17"}),
        (TABLE, "What is the crew of Corvus?", "Dione I mean", {"17"}),
        (TABLE, "What is the crew of Corvus?", "same question for Dione please", {"17"}),
        (TABLE, "What is the crew of Corvus?", "which flag", {"Sweden"}),
        (TABLE, "Which ships have a crew of more than 20?", "over 25?", {"Fortuna"}),
        (TABLE, "Which ships have a crew of more than 20?", "make it 10",
         {"Aurelia", "Corvus", "Dione", "Erato", "Fortuna"}),
        (TABLE, "Which ships were built in 1991?", "19 years later?", {"Corvus", "Dione"}),
        (TABLE, "Which ships are in Malm?", "which were built in 2010?", {"Corvus", "Dione"}),
        (TABLE, "Which ships are in Malm?", "how many of them are from Norway?", {1}),
        (TABLE, "Which ships are in Malm?", "the total crew?", {39}),
        (TABLE, "What are the lengths of the ships in Malm?", "what's the highest?", {"65"}),
        (TABLE, "How many ships are in Kolding?", "which ones are from Denmark?",
         {"Erato", "Fortuna"}),
        (TABLE, "What is the crew of Corvus?", "And how many ships are in Kolding?", {2}),
        (TABLE, "How many ships are in Malm?", "and how many aren't?", {4}),
        (TABLE, "Which ships have a crew of more than 20?", "and which do not?",
         {"Aurelia", "Bellis", "Dione", "Erato"}),
        (TABLE, "What is the total crew of the ships in Malm?", "And the average?", {19.5}),
        (TABLE, "What is the average crew of the ships in Malm?", "the lowest instead", {"17"}),
        (TABLE, "What is the crew of Corvus?", "Could you tell me the length?", {"65"}),
        (GRAPH, "Who teaches Gil Hart?", "And Cara Dunn?", {"Ada Brill"}),
        (GRAPH, "Who teaches Ben Coil?", "Where was she born?", {"Lunde"}),
        (GRAPH, "Who does Ada Brill teach?", "where were they born?", {"Osterwick", "Hallem"}),
        (GRAPH, "Who does Ada Brill teach?", "how many are they?", {2}),
        (TIMES, "Who was mayor of Osterwick in 1992?", "and in 2000?", {"Otto Sand"}),
        (TIMES, "Who was mayor of Osterwick in 1992?", "and of Hallem?", {"Pia Toft"}),
        (TIMES, "Who was mayor of Osterwick in 1992?", "and of Hallem in 2000?", {"Pia Toft"}),
        (TIMES, "Who was mayor of Osterwick in 1992?", "what was it in 2000?", {"Otto Sand"}),
        (TIMES, "Who was mayor of Osterwick in 1992?", "When did she start there?", {"1990"}),
        (GRAPH, "Who teaches Ben Coil?", "who else does she teach?", {"Cara Dunn"}),
        (TIMES, "Who was mayor of Osterwick in 1992?", "why?", {"Nell Ray"}),
        # another end of an order, and another number
        (TABLE, "Which flag has the most ships?", "and the fewest?", {"Sweden"}),
        (TABLE, "What are the top 2 ships by crew?", "the bottom 2?", {"Bellis", "Erato"}),
        (TABLE, "What are the top 2 ships by crew?", "make it 3", {"Corvus", "Dione", "Fortuna"}),
        (TABLE, "Which ship has the largest crew?", "which one has the smallest crew?", {"Bellis"}),
        (TABLE, "Which ship has the largest crew?", "and the two longest?", {"Corvus", "Fortuna"}),
        # facts before and after the last one, and their times
        (TIMES, "Who was mayor of Osterwick in 1992?", "who came directly after him?", {"Otto Sand"}),
        (TIMES, "Who was mayor of Osterwick in 2000?", "and before that?", {"Nell Ray"}),
        (TIMES, "Who was mayor of Osterwick in 2000?", "Who was his predecessor?", {"Nell Ray"}),
        (TIMES, "Who was mayor of Osterwick in 2000?", "until when did he stay in office?", {"2004"}),
        (TIMES, "Who has been mayor of Osterwick?", "who was the first?", {"Nell Ray"}),
        (TIMES, "Was Nell Ray mayor of Osterwick?", "until when?", {"1996"}),
        # two steps of a graph
        (GRAPH, "Who does Ada Brill teach?", "only those born in Norland", {"Cara Dunn"}),
        (GRAPH, "Who does Ada Brill teach?", "which of them were not born in Norland?", {"Ben Coil"}),
        # the noun of the last question
        (TABLE, "How many flags are there?", "which of them has the most ships?", {"Norway"}),
        (TABLE, "Which ships are in Trond?", "which ones are in Malm?", {"Corvus", "Dione"}),
        (TABLE, "Which flag has the most ships?", "and which harbour does?",
         {"Trond", "Malm", "Kolding"}),
        (TABLE, "Which ships are in Malm?", "which of them aren't from Norway?", {"Corvus"}),
        (TABLE, "Which ships are in Malm?", "are any of them from Denmark?", {"no"}),
        (TABLE, "What is the average crew of the ships in Malm?", "which is the longest one?",
         {"Corvus"}),
        # a name by its column, and others than it
        (TABLE, "What is the flag of Aurelia?", "which other ships have that flag?",
         {"Bellis", "Dione"}),
        (TABLE, "Which ships in Malm have a crew of more than 20?",
         "and which ships in that harbour do not?", {"Dione"}),
        (GRAPH, "Where was Cara Dunn born?", "who else was born there?", {"Gil Hart"}),
        # ends of orders among nodes, and members of a number of them
        (GRAPH, "Who does Ada Brill teach?", "who is the youngest?", {"Cara Dunn"}),
        (GRAPH, "How many people does Ada Brill teach?", "which of them was born in Hallem?",
         {"Cara Dunn"}),
        (TABLE, "How many ships are in Malm?", "and the longest one?", {"Corvus"}),
        # bounds
        (TABLE, "Which ships have a crew of more than 20?", "and under 12?", {"Bellis", "Erato"}),
        (TABLE, "Which ships have a crew of more than 20?", "at least 22?", {"Corvus", "Fortuna"}),
        (TABLE, "Which ships have a crew of more than 12?", "and the smallest crew?", {"Aurelia"}),
        (ROWS, "Which mills had more than 1600 grain in 2018?", "and in 2019?", {"Brekke"}),
        # what belongs to a name, and what is asked of some
        (GRAPH, "How old is Cara Dunn?", "and her teacher?", {"55"}),
        (TABLE, "Which ships are in Malm?", "the crew of the longest?", {"22"}),
        (TABLE, "What is the crew of Corvus?", "and the length of Dione?", {"58"}),
        (TABLE, "Which ship has the largest crew?", "which other ships are in that harbour?",
         {"Erato"}),
        # times and wholes
        (TABLE, "Which ships were built in 2010?", "and 7 years before that?", {"Bellis"}),
        (TABLE, "What is the total crew of the ships in Malm?", "and of all ships?", {103}),
        (ROWS, "What is the total grain of Aska in 2018?", "and over all seasons?", {2700}),
        (TABLE, "Which ship was built last?", "when?", {"2018"}),
        # comparisons
        (TABLE, "What is the length of Corvus?", "how much longer is Fortuna?", {23}),
        (TABLE, "What is the total crew in Malm?", "Is it more in Kolding?", {"yes"}),
    ],
)  # fmt: skip
def test_a_follow_up_changes_the_last_query(
    data: TrustUQA, dataset: str, first: str, second: str, values: set[object]
) -> None:
    answer = data.ask(second, follows=_ask(data, first, dataset))
    assert (answer.outcome, set(answer.values)) == ("answered", values), answer
    assert answer.understood
    assert answer.datasets == (dataset,)


def test_a_name_replaces_the_one_before_it_and_is_not_joined(data: TrustUQA) -> None:
    first = _ask(data, "Which ships are in Trond?", TABLE)
    second = data.ask("And in Malm?", follows=first)
    assert set(data.ask("and in Kolding?", follows=second).values) == {"Erato", "Fortuna"}


@pytest.mark.parametrize(
    ("dataset", "first", "second", "rows"),
    [
        (TABLE, "How many ships are there?", "and per harbour?", {("Trond", 2), ("Malm", 2), ("Kolding", 2)}),
        (TABLE, "How many ships are there?", "Split that by flag.",
         {("Norway", 3), ("Sweden", 1), ("Denmark", 2)}),
        (TABLE, "What is the average crew of the ships from Norway?",
         "I would like to see that figure for each harbour separately.",
         {("Trond", 11.5), ("Malm", 17)}),
        (TABLE, "How many ships are in Malm?", "and in each of the other harbours?",
         {("Trond", 2), ("Kolding", 2)}),
        (GRAPH, "How many people were born in Lunde?", "And in each of the other towns?",
         {("Osterwick", 1), ("Hallem", 2)}),
    ],
)  # fmt: skip
def test_a_number_is_computed_for_groups(
    data: TrustUQA, dataset: str, first: str, second: str, rows: set[tuple[str, float]]
) -> None:
    answer = data.ask(second, dataset, follows=_ask(data, first, dataset))
    assert {(row[0], float(str(row[1]))) for row in answer.rows} == rows


@pytest.mark.parametrize(
    "question",
    [
        "Which ships are in Malm?",
        "Who teaches Gil Hart?",
        "Which countries export more than they import?",
        "How many ships does each harbour have?",
        "Do any ships have a crew of 30?",
        "Show only the ships.",
        "Show me all ships from Norway.",
        "Could you tell me which ships are in Kolding?",
        "Which flags are there?",
        "How many ships are there in total?",
    ],
)
def test_a_question_that_stands_alone_is_not_changed(data: TrustUQA, question: str) -> None:
    last = _ask(data, "Which ships are in Trond?", TABLE)
    given = data.ask(question, TABLE, follows=last)
    alone = data.ask(question, TABLE)
    assert (given.outcome, given.values, given.llm_query) == (
        alone.outcome, alone.values, alone.llm_query
    )  # fmt: skip


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("How many ships are in Malm?", "how many crew does each of them have?"),
        ("Which ships are in Malm?", "and which ones do?"),
        ("Which ships are in Malm?", "which other ships are there?"),
        ("Which ships are in Malm?", "how many crew of each?"),
        ("Which ships are in Malm?", "sort them by colour, the brightest first"),
        # the longest of one
        ("What is the crew of Corvus?", "and the longest?"),
        # nothing was ordered, and the second row is not meant
        ("Which ship has a crew of 22?", "which came second?"),
        ("Which ship in Malm is from Sweden?", "why is that one from Sweden?"),
        # not the length of the one
        ("Which ship is the longest?", "how many are they?"),
    ],
)
def test_words_that_no_edit_uses_are_not_passed_over(
    data: TrustUQA, first: str, second: str
) -> None:
    answer = data.ask(second, follows=_ask(data, first, TABLE))
    assert answer.outcome == "not_askable", answer.understood


def test_several_meanings_are_offered_with_numbers_to_pick(data: TrustUQA) -> None:
    last = _ask(data, "Who teaches Ben Coil?", GRAPH)
    offered = data.ask("Where was it born?", follows=last)
    assert (offered.outcome, len(offered.readings)) == ("not_askable", 2)
    assert {reading.values for reading in offered.readings} == {("Lunde",), ("Osterwick",)}
    places = {data.ask("Where was it born?", follows=last, pick=pick).values for pick in (1, 2)}
    assert places == {("Lunde",), ("Osterwick",)}
    with pytest.raises(UsageError, match="there is no reading 3"):
        data.ask("Where was it born?", follows=last, pick=3)


def test_a_possessive_after_a_question_about_someone(data: TrustUQA) -> None:
    """A possessive may go back to the answer, and to the name that the question was about."""
    offered = data.ask("and her age?", follows=_ask(data, "Who teaches Ben Coil?", GRAPH))
    assert offered.outcome == "not_askable"
    assert {reading.values for reading in offered.readings} == {("55",), ("31",)}


@pytest.mark.parametrize(
    "question",
    [
        "And in Atlantis?",
        "and the colour?",
        "only the blue ones",
        "What did they eat?",
        "not Malm, Kolding",
    ],
)
def test_what_the_data_do_not_explain_is_refused(data: TrustUQA, question: str) -> None:
    answer = data.ask(question, follows=_ask(data, "Which ships are in Trond?", TABLE))
    assert (answer.outcome, answer.values) == ("not_askable", ())
    assert "after the last question" in answer.problems[0].message


@pytest.mark.parametrize(
    ("first", "second", "values"),
    [
        ("What is the crew of Corvus?", "vs Dione?", {("17",), (5,)}),
        ("Which ships have a crew of more than 10?", "and under 20?",
         {("Aurelia", "Bellis", "Dione", "Erato")}),
    ],
)  # fmt: skip
def test_what_may_mean_both_is_offered(
    data: TrustUQA, first: str, second: str, values: set[tuple[object, ...]]
) -> None:
    offered = data.ask(second, follows=_ask(data, first, TABLE))
    assert (offered.outcome, {reading.values for reading in offered.readings}) == (
        "not_askable", values
    )  # fmt: skip


def test_a_query_that_measures_something_else_is_not_gone_on_with(data: TrustUQA) -> None:
    """The answer is right by chance."""
    query = (
        "Query1: get_information(relation='Length', tail_entity='highest')\n"
        "Query2: get_information(head_entity=output_of_query1, relation='Ship')"
    )
    last = replace(data.run(query, TABLE), question="Which ship has the most crew?")
    assert last.values == ("Fortuna",)
    offered = data.ask("and in Trond?", follows=last)
    assert (offered.outcome, len(offered.readings)) == ("not_askable", 1)


def test_an_empty_cell_is_not_an_answer(data: TrustUQA) -> None:
    last = _ask(data, "Who was the keeper of Aska in 2018?", ROWS)
    answer = data.ask("and of Brekke?", follows=last)
    assert answer.values == ()
    assert "empty cell" in answer.problems[0].message


def test_a_word_of_two_kinds_is_offered(data: TrustUQA) -> None:
    last = _ask(data, "How many ships are in Kolding?", TABLE)
    offered = data.ask("what is the average crew?", follows=last)
    assert (offered.outcome, {r.values for r in offered.readings}) == (
        "not_askable", {(20.5,), (17.1666666667,)}
    )  # fmt: skip


def test_what_a_word_could_refer_to_is_told(data: TrustUQA) -> None:
    answer = data.ask("When did she die?", follows=_ask(data, "Who does Ada Brill teach?", GRAPH))
    assert answer.outcome == "not_askable"
    assert answer.problems[0].message == (
        "the data do not explain 'she' after the last question; it could be Ben Coil or Cara Dunn"
    )


def test_the_last_of_several_answers_is_followed() -> None:
    query = "Query1: \"get_information(head_entity='{}', relation='crew')\""

    def answer(name: str, dataset: str = TABLE) -> Answer:
        return Answer(
            "answered", ("9",), question=f"crew of {name}?", llm_query=query.format(name),
            datasets=(dataset,),
        )  # fmt: skip

    answers = [answer("Aurelia"), answer("Ben", GRAPH), answer("x" * 3000), answer("Bellis")]
    past = PastQuestion.read([*answers, answer("Corvus")])
    assert (past.question, past.query) == ("crew of Corvus?", query.format("Corvus"))
    # The oldest, one over other data and a very long one are not among them.
    assert [earlier.question for earlier in past.earlier] == ["crew of Bellis?"]
    with pytest.raises(UsageError, match=r"follows=\[\] is not an answer"):
        PastQuestion.read([])


def test_what_counts_one_value_is_refused(data: TrustUQA) -> None:
    last = _ask(data, "What is the crew of Corvus?", TABLE)
    for question in ("in total?", "how many is that?", "the average?"):
        assert data.ask(question, follows=last).outcome == "not_askable", question


def test_one_of_the_last_answer_is_not_one_of_all(data: TrustUQA) -> None:
    """The last ship of all is from Denmark."""
    first = data.ask("When were the ships from Norway built?", TABLE)
    assert {*first.values} == {"1991", "2003", "2010"}
    answer = data.ask("which flag has the last one?", TABLE, follows=first)
    assert answer.values != ("Denmark",)


def test_a_follow_up_to_a_refused_question_is_refused(data: TrustUQA) -> None:
    refused = data.ask("Who painted the ships of Trond?", TABLE)
    assert refused.outcome == "not_askable"
    answer = data.ask("And in Malm?", TABLE, follows=refused)
    assert (answer.outcome, answer.problems[0].message) == (
        "not_askable", "the question follows one that has no answer"
    )  # fmt: skip


def test_a_follow_up_to_another_dataset_is_an_error(data: TrustUQA) -> None:
    last = _ask(data, "Who teaches Ben Coil?", GRAPH)
    with pytest.raises(UsageError, match=f"follows one to '{GRAPH}'"):
        data.ask("and Gil Hart?", TABLE, follows=last)


def test_the_dict_of_an_answer_or_its_query_is_enough(data: TrustUQA) -> None:
    last = _ask(data, "Which ships are in Trond?", TABLE)
    content = {name: last.to_dict()[name] for name in ("question", "llm_query", "datasets")}
    for follows in (content, last.llm_query):
        answer = data.ask("and in Malm?", TABLE, follows=follows)
        assert set(answer.values) == {"Corvus", "Dione"}


@pytest.mark.parametrize("value", [3, ["And?"], {"outcome": "great"}])
def test_what_is_not_an_answer_is_an_error(data: TrustUQA, value: object) -> None:
    with pytest.raises(UsageError):
        data.ask("and in Malm?", TABLE, follows=value)  # type: ignore[arg-type]


def test_follow_ups_in_threads_keep_to_their_own_answer(data: TrustUQA) -> None:
    last = {
        harbour: _ask(data, f"Which ships are in {harbour}?", TABLE)
        for harbour in ("Trond", "Malm", "Kolding")
    }
    with ThreadPoolExecutor(6) as pool:
        answers = list(pool.map(
            lambda harbour: data.ask("only those from Norway", follows=last[harbour]), [*last] * 4
        ))  # fmt: skip
    for harbour, answer in zip([*last] * 4, answers, strict=True):
        expected = {"Trond": {"Aurelia", "Bellis"}, "Malm": {"Dione"}, "Kolding": set()}
        assert set(answer.values) == expected[harbour], answer


def test_a_large_answer_can_be_followed(
    client: TrustUQA, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its names are too many for the text of a query, its facts for a list, its rows for a short table."""
    monkeypatch.setattr(grouping, "MIN_ROWS", 4_000)
    path = tmp_path / "parts.csv"
    rows = (f"part {number},{'red' if number % 2 else 'green'},{number}" for number in range(4_000))
    path.write_text("Part,Colour,Weight\n" + "\n".join(rows), encoding="utf-8")
    client.load("table", path, dataset="followed parts", embeddings=False)
    try:
        last = client.run("Query1: get_information(relation='Part')", "followed parts", limit=5)
        last = Answer("answered", llm_query="Query1: get_information(relation='Part')",
                      datasets=("followed parts",), question="list all parts",
                      values=last.values)  # fmt: skip
        answer = client.ask("only the red ones", follows=last, evidence=3)
        assert len(answer.values) == 2_000
    finally:
        client.drop("followed parts")


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Why?", "explanation"),
        ("And in 2012?", "change"),
        ("Japan?", "change"),
        ("only those in the South", "restriction"),
        ("how many are they?", "count"),
        ("what do they add up to?", "sum"),
        ("what's the highest?", "max"),
        ("who are they?", "members"),
        ("not Japan, Italy", "correction"),
        ("what was it in 2012?", "comparison"),
        ("which of them is the oldest", "choice"),
        ("sorted by crew, smallest first", "order"),
        ("in order of length", "order"),
    ],
)
def test_the_rule_of_a_text(text: str, name: str) -> None:
    follow_up = read_follow_up(text)
    assert follow_up is not None
    assert follow_up.rule == name


@pytest.mark.parametrize("text", ["", "?", "Who directed Alien?", "List all ships in Malm."])
def test_a_text_that_follows_nothing(text: str) -> None:
    follow_up = read_follow_up(text)
    assert follow_up is None or follow_up.stands_alone


@pytest.mark.parametrize(
    ("text", "old", "new"),
    [
        ("ten years later", "1991", "2001"),
        ("the year before", "1991", "1990"),
        ("the next year", "May 1991", None),
        ("the day after", "28 February 2024", "2024-02-29"),
        ("two weeks earlier", "2024-01-03", "2023-12-20"),
        ("the day after", "May 2024", None),
        ("a day later", "9999-12-31", None),
    ],
)
def test_a_time_counted_from_that_of_the_last_question(
    text: str, old: str, new: str | None
) -> None:
    shift = read_shift(text)
    assert shift is not None
    assert shift.move(old) == new
    assert read_shift("next year") is None


@pytest.mark.parametrize(
    ("first", "second", "rows"),
    [
        ("Which ships are in Malm or Kolding?", "sort them by length, longest first",
         [("Fortuna", "88"), ("Corvus", "65"), ("Dione", "58"), ("Erato", "37")]),
        ("Which ships are in Malm or Kolding?", "order them by crew",
         [("Erato", "11"), ("Dione", "17"), ("Corvus", "22"), ("Fortuna", "30")]),
        ("Which ships are in Malm or Kolding?", "order them by building year, latest first",
         [("Fortuna", "2018"), ("Corvus", "2010"), ("Dione", "2010"), ("Erato", "1991")]),
        ("What is the total crew per harbour?", "And how many ships for each?",
         [("Trond", 2), ("Malm", 2), ("Kolding", 2)]),
        ("What is the total crew per harbour?", "and the average for each?",
         [("Trond", 11.5), ("Malm", 19.5), ("Kolding", 20.5)]),
    ],
)  # fmt: skip
def test_the_last_rows_and_groups_are_asked_anew(
    data: TrustUQA, first: str, second: str, rows: list[tuple[Any, ...]]
) -> None:
    answer = data.ask(second, TABLE, follows=_ask(data, first, TABLE))
    assert answer.rows is not None
    is_order = "by" in second
    assert [*answer.rows] == rows if is_order else {*answer.rows} == {*rows}


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("What is the crew of Corvus?", "is Dione heavier?"),  # says nothing of the crew
        ("What is the crew of Corvus?", "is Dione older?"),
        ("Which ships are in Malm?", "sort them by length from odd to even"),
        ("Which harbours have ships from Norway?", "sort them by crew"),  # harbours are no rows
        ("Which ship in Malm has the largest crew?", "and the fifth?"),
    ],
)
def test_what_the_last_result_does_not_have_is_not_computed(
    data: TrustUQA, first: str, second: str
) -> None:
    assert not data.ask(second, TABLE, follows=_ask(data, first, TABLE)).values


def test_groups_are_asked_of_what_they_have(data: TrustUQA) -> None:
    """*how many owners* is not the number of the ships of each harbour."""
    first = _ask(data, "What is the total crew per harbour?", TABLE)
    answer = data.ask("And how many owners for each?", TABLE, follows=first)
    assert answer.outcome == "not_askable"


def _ask(tuqa: TrustUQA, question: str, dataset: str) -> Answer:
    answer = tuqa.ask(question, dataset)
    if answer.outcome != "answered":
        answer = tuqa.ask(question, dataset, pick=1)
    assert answer.outcome == "answered", answer
    return answer


def test_a_year_is_not_a_number_of_members(data: TrustUQA) -> None:
    first = data.ask("What are the top 2 ships by crew?", TABLE)
    answer = data.ask("and in 2010?", TABLE, follows=first)
    assert "number='2010'" not in (answer.llm_query or "")


def test_a_count_of_values_is_not_made_for_groups(data: TrustUQA) -> None:
    """Three flags are not six ships."""
    first = data.ask("How many different flags are there?", TABLE)
    assert first.values == (3,)
    assert data.ask("per harbour?", TABLE, follows=first).outcome != "answered"
