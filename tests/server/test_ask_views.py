"""The views of questions, over the real database: as pages without a script, as parts, and as a stream."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from hashlib import sha256
from html import unescape
from pathlib import Path
from threading import Event
from typing import Any

import httpx
import pytest
from starlette.testclient import TestClient
from support.pages import (
    BASE,
    NASTY,
    SCRIPT,
    STARRING,
    Browse,
    check_page,
    check_part,
    read_messages,
    run,
)
from support.samples import FILMS
from support.web import BEARER, run_server

from trustuqa_neo4j import Answer, Demonstration, Settings, TrustUQA
from trustuqa_neo4j.answer import Stage
from trustuqa_neo4j.errors import Cancelled
from trustuqa_neo4j.render.spreadsheet import rows_to_xlsx
from trustuqa_neo4j.server.answer_page import AnswerPage, explain_confidence
from trustuqa_neo4j.server.examples import propose_of_relation

# The form.


def test_the_form_lists_the_datasets(browser: TestClient) -> None:
    response = browser.get("/")
    check_page(response.text)
    assert response.status_code == 200
    assert '<option value="films" selected>films</option>' in response.text
    assert 'action="/ask" method="get"' in response.text


def test_without_data_the_page_leads_to_the_data(browse: Browse) -> None:
    page = browse(allow_load=True).get("/").text
    check_page(page)
    assert "There are no data yet." in page
    assert '<a href="/data">Load a file</a>' in page


def test_the_form_and_its_address_may_lack_a_question(browser: TestClient) -> None:
    page = browser.get("/ask", params={"question": " ", "dataset": "films"}).text
    check_page(page)
    assert '<div id="result"></div>' in page


def test_examples_are_the_demonstrations(browser: TestClient, films: TrustUQA) -> None:
    films.demonstrations.add(
        "films",
        Demonstration("who starred in Alien?", STARRING, ("Sigourney Weaver", "Tom Skerritt")),
    )
    part = browser.get("/examples", params={"dataset": "films"}, headers=SCRIPT).text
    check_part(part)
    assert re.findall('data-question="([^"]+)"', part) == ["who starred in Alien?"]
    assert "dataset=films" in part


@pytest.mark.usefixtures("missions")
def test_without_demonstrations_examples_are_made_that_have_answers(
    browse: Browse, tuqa: TrustUQA
) -> None:
    page = browse().get("/examples", params={"dataset": "missions"}).text
    check_page(page)
    questions = re.findall('data-question="([^"]+)"', page)
    assert 1 <= len(questions) <= 3
    assert {tuqa.ask(question, "missions").outcome for question in questions} == {"answered"}


def test_examples_name_rows_by_their_names(browse: Browse, tuqa: TrustUQA, tmp_path: Path) -> None:
    path = tmp_path / "staff.csv"
    path.write_text("Staff ID,Full name,Salary\n7,Ada Holm,52000\n8,Bo Lind,48000\n")
    tuqa.load(path)
    page = browse().get("/examples", params={"dataset": "staff"}).text
    assert "which Full name has the highest Salary?" in page


@pytest.mark.parametrize(
    ("relation", "question"),
    [
        ("directed_by", "what was X directed by?"),
        ("born in", "what was X born in?"),
        ("capital", "what is the capital of X?"),
        ("commanded", "what has X commanded?"),
        ("flew on", ""),
        ("writtenBy", "what was X written By?"),
        ("on call", ""),
        ("owns", ""),
        ("has part", ""),
        ("members", ""),
        ("head office", "what is the head office of X?"),
    ],
)
def test_examples_of_a_relation_are_sentences(relation: str, question: str) -> None:
    assert propose_of_relation(relation, "X") == question


def test_examples_of_a_graph_have_answers(browser: TestClient, films: TrustUQA) -> None:
    part = browser.get("/examples", params={"dataset": "films"}, headers=SCRIPT).text
    questions = re.findall('data-question="([^"]+)"', part)
    assert "what was Alien directed by?" in questions
    assert {films.ask(question, "films").outcome for question in questions} == {"answered"}


def test_examples_are_found_once_for_the_data(
    browse: Browse, films: TrustUQA, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    aask = films.aask

    async def count(question: str, *arguments: Any, **options: Any) -> Answer:
        asked.append(question)
        return await aask(question, *arguments, **options)

    monkeypatch.setattr(films, "aask", count)
    browser = browse(allow_teach=True)
    first = browser.get("/examples", params={"dataset": "films"}, headers=SCRIPT).text
    assert 1 <= len(asked) <= 6
    asked.clear()
    assert browser.get("/examples", params={"dataset": "films"}, headers=SCRIPT).text == first
    assert asked == []
    # What is taught comes first.
    data = {"question": "who played in Alien?", "query": STARRING, "dataset": "films"}
    browser.post("/teach", data=data, headers={**SCRIPT, "Origin": BASE})
    part = browser.get("/examples", params={"dataset": "films"}, headers=SCRIPT).text
    assert "who played in Alien?" in part


@pytest.mark.usefixtures("missions")
def test_examples_of_all_data_name_their_dataset(browser: TestClient) -> None:
    part = browser.get("/examples", headers=SCRIPT).text
    check_part(part)
    assert set(re.findall('data-dataset="([^"]+)"', part)) == {"films", "missions"}


def test_examples_of_an_unknown_dataset_are_a_problem(browser: TestClient) -> None:
    response = browser.get("/examples", params={"dataset": "nothing"}, headers=SCRIPT)
    assert response.status_code == 404
    assert "Unknown dataset" in response.text


# Questions.


@pytest.mark.usefixtures("missions")
def test_a_question_is_answered_without_a_script(browse: Browse) -> None:
    params = {"question": "who commanded Apollo 13?", "dataset": "missions"}
    response = browse().get("/ask", params=params)
    tree = check_page(response.text)
    assert response.status_code == 200
    assert '<p class="value"><bdi>Jim Lovell</bdi></p>' in response.text
    assert "Understood as" in response.text
    assert re.search(r"<p><bdi>[^<]+ Jim Lovell\.</bdi></p>", response.text)  # the sentence
    assert "the calibrated probability that the question was read rightly" in response.text
    assert 'value="who commanded Apollo 13?"' in response.text
    assert {"fact-1", "fact-2"} <= set(tree.ids)
    assert 'href="#fact-1"' in response.text  # of the picture


@pytest.mark.usefixtures("missions")
def test_a_question_of_a_script_is_answered_by_a_stream(browse: Browse) -> None:
    params = {"question": "who commanded Apollo 13?", "dataset": "missions"}
    response = browse().get("/ask", params=params, headers=SCRIPT)
    assert response.headers["content-type"].startswith("text/event-stream")
    first, *stages, last = read_messages(response.text)
    for message in (first, *stages, last):
        check_part(message)
    assert "data-cancel" in first
    assert "looking for a demonstration" in stages[0]
    assert re.search(r'reading the question <span class="muted">\d+ ms</span>', "".join(stages))
    assert all('hx-target="#stages"' in stage for stage in stages)
    assert "Jim Lovell" in last
    assert (
        '<hx-partial hx-target="#status" hx-swap="innerHTML"><span>Answer: 1 value</span>' in last
    )


def test_a_script_that_goes_away_cancels_its_question(
    server: Settings, films: TrustUQA, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, ended = Event(), Event()

    def wait(*_: object, cancelled: Event, listen: Any, **options: object) -> Answer:
        listen(Stage("read", "who?", "nothing yet", 1.0))
        begun.set()
        assert cancelled.wait(60)
        ended.set()
        raise Cancelled("the question was cancelled")

    with TrustUQA.connect(server) as tuqa, run_server(tuqa, tmp_path) as address:
        monkeypatch.setattr(tuqa, "ask", wait)
        with (
            httpx.Client(base_url=address, headers={**BEARER, **SCRIPT}, timeout=60) as client,
            client.stream("GET", "ask", params={"question": "who?", "dataset": "films"}) as stream,
        ):
            parts = stream.iter_text()
            text = ""
            while "reading the question" not in text:
                text += next(parts)
            assert begun.wait(60)
        assert ended.wait(60)


def test_a_problem_ends_the_stream(browser: TestClient) -> None:
    params = {"question": "who starred in Alien?", "dataset": "nothing"}
    response = browser.get("/ask", params=params, headers=SCRIPT)
    last = read_messages(response.text)[-1]
    check_part(last)
    assert response.status_code == 200
    assert "Unknown dataset" in last
    assert 'class="hint"' in last


def test_a_problem_of_a_page_has_its_status(browser: TestClient) -> None:
    params = {"question": "who starred in Alien?", "dataset": "nothing"}
    response = browser.get("/ask", params=params)
    check_page(response.text)
    assert response.status_code == 404
    assert "Unknown dataset" in response.text
    assert 'value="who starred in Alien?"' in response.text


def test_a_number_that_is_none_is_refused(browser: TestClient) -> None:
    response = browser.get("/ask", params={"question": "who?", "dataset": "films", "pick": "x"})
    check_page(response.text)
    assert response.status_code == 400
    assert "pick" in response.text


def test_the_history_of_a_browser_gets_whole_pages(browser: TestClient) -> None:
    headers = {**SCRIPT, "HX-History-Restore-Request": "true"}
    params = {"question": "who starred in Alien?", "dataset": "films"}
    check_page(browser.get("/ask", params=params, headers=headers).text)


@pytest.mark.usefixtures("missions")
def test_a_question_that_is_not_understood_offers_readings(browse: Browse) -> None:
    browser = browse()
    params = {"question": "which purple commander flew near Apollo 13?", "dataset": "missions"}
    page = browser.get("/ask", params=params).text
    check_page(page)
    assert "The question could not be understood" in page
    picks = re.findall('href="(/ask[^"]+pick=1)"', page)
    assert picks
    cards = re.findall('<span class="found">(.*?)</span>', page)
    assert cards
    reason = "The data do not explain &#39;purple&#39;"
    assert page.index(reason) < page.index("Did you mean")
    assert "demonstrat" not in page.partition("Did you mean")[0]
    picked = browser.get(picks[0].replace("&amp;", "&")).text
    check_page(picked)
    assert '<h2 id="answer-title" tabindex="-1" data-focus>Answer</h2>' in picked


# Answers.


def test_an_answer_can_be_opened_again(browser: TestClient) -> None:
    address = run(browser, question="who starred in Alien?")
    page = browser.get(address).text
    tree = check_page(page)
    assert "<li><bdi>Sigourney Weaver</bdi></li>" in page
    assert 'value="who starred in Alien?"' in page
    assert tree.ids.count("fact-1") == 1
    part = browser.get(address, headers=SCRIPT).text
    check_part(part)
    assert part.lstrip().startswith("<title>who starred in Alien? · TrustUQA</title>")


def test_the_link_of_an_answer_asks_its_question_again(browser: TestClient) -> None:
    address = "/ask?question=who+directed+Alien%3F&dataset=films"
    page = browser.get(address).text
    assert f'href="{address.replace("&", "&amp;")}">Link to this question' in page
    # Opened by its id, it leads to its question too: ids end with the server.
    opened = browser.get(re.findall(r'/answers/[^".]+', page)[0]).text
    assert f'href="{address.replace("&", "&amp;")}">Link to this question' in opened
    assert "Link to this answer" in browser.get(run(browser)).text


def read_follows(page: str) -> str:
    """What the next question of the page may follow."""
    fields = re.findall('name="follows" value="([^"]*)"', page)
    return unescape(fields[0]) if fields else ""


def test_a_question_follows_the_answer_of_the_page(browser: TestClient) -> None:
    def ask(question: str, follows: str, **others: str) -> httpx.Response:
        fields = {"question": question, "dataset": "films", "follows": follows} | others
        return browser.get("/ask", params=fields)

    first = browser.get("/ask", params={"question": "who directed Aliens?", "dataset": "films"})
    last = read_follows(first.text)
    second = ask("and Alien?", last)
    check_page(second.text)
    assert '<p class="value"><bdi>Ridley Scott</bdi></p>' in second.text
    assert "after</span> <bdi>who directed Aliens?</bdi>" in second.text
    # Its words mean something else elsewhere: they are neither saved nor an example.
    assert "Save this question" not in second.text
    assert "This is right" not in second.text
    # The link has all that the question needs.
    (link,) = re.findall('<a href="(/ask[^"]+)">Link to this question', second.text)
    assert "Ridley Scott" in browser.get(unescape(link)).text
    # A refused question leaves the last answer.
    refused = ask("and the colour of it?", read_follows(second.text))
    assert "could not be understood" in refused.text
    assert json.loads(read_follows(refused.text))["question"] == "and Alien?"
    # A question of its own, or to other data, has a link of its own.
    alone = ask("who directed Alien?", last).text
    assert 'href="/ask?question=who+directed+Alien%3F&amp;dataset=films">Link' in alone
    assert "Save this question" in alone
    assert "follows" not in str(ask("and Alien?", last, dataset="other").url)


def test_offered_readings_keep_what_the_question_follows(
    browse: Browse, tuqa: TrustUQA, missions: Path
) -> None:
    browser = browse()
    fields = {"question": "which missions were in 1969?", "dataset": "missions"}
    follows = read_follows(browser.get("/ask", params=fields).text)
    page = browser.get(
        "/ask", params={**fields, "question": "and the purple ones?", "follows": follows}
    ).text
    for card in re.findall('class="reading" href="([^"]+)"', page):
        assert "follows=" in card
        check_page(browser.get(unescape(card)).text)


@pytest.mark.parametrize(
    "follows",
    ["{", "3", "null", '{"outcome": "great"}', "[" * 9_000],
    ids=["cut", "number", "null", "outcome", "nested"],
)
def test_what_is_not_an_answer_is_not_followed(browser: TestClient, follows: str) -> None:
    fields = {"question": "and Alien?", "dataset": "films", "follows": follows}
    response = browser.get("/ask", params=fields)
    check_page(response.text)
    assert response.status_code == 400


def test_a_link_to_a_dataset_that_is_gone_says_so(browser: TestClient) -> None:
    page = browser.get("/?dataset=gone").text
    check_page(page)
    assert '<option value="gone" selected>gone (not loaded)</option>' in page
    assert "There is no dataset <bdi>gone</bdi> any more" in page
    asked = browser.get("/ask?question=who+directed+Alien%3F&dataset=gone")
    assert asked.status_code == 404
    assert '<option value="gone" selected>' in asked.text
    assert "any more" not in asked.text  # the problem says it


def test_an_unknown_answer_is_a_problem(browser: TestClient) -> None:
    for address in ("/answers/a9", "/answers/a9.csv", "/answers/a9/facts/1/lines"):
        response = browser.get(address)
        assert response.status_code == 404
        check_page(response.text)
        assert "no answer &#39;a9&#39;" in response.text


def test_a_table_is_shown_and_downloaded(browser: TestClient, missions: Path) -> None:
    query = "get_table(columns=['mission', 'commander'])"
    address = run(browser, query, "missions")
    page = browser.get(address).text
    check_page(page)
    assert '<th scope="col"><bdi>commander</bdi></th>' in page
    assert "<td><bdi>Jim Lovell</bdi></td>" in page
    response = browser.get(f"{address}.csv")
    assert response.headers["content-type"] == "text/csv; charset=utf-8"
    assert 'filename="a1.csv"' in response.headers["content-disposition"]
    rows = [line.split(",") for line in missions.read_text(encoding="utf-8").splitlines()]
    assert response.text.splitlines() == [f"{row[0]},{row[2]}" for row in rows]
    workbook = browser.get(f"{address}.xlsx")
    assert workbook.headers["content-type"].endswith("spreadsheetml.sheet")
    assert workbook.content == rows_to_xlsx(
        ("mission", "commander"), [(r[0], r[2]) for r in rows[1:]]
    )
    lines = browser.get(f"{address}.md").text.splitlines()
    assert lines[:2] == ["| mission | commander |", "| --- | --- |"]
    assert lines[2:] == [f"| {row[0]} | {row[2]} |" for row in rows[1:]]
    content = browser.get(f"{address}.json").json()
    assert content["rows"] == [[row[0], row[2]] for row in rows[1:]]
    unknown = browser.get(f"{address}.exe")
    assert unknown.status_code == 404
    assert "there are csv, xlsx, md, json" in unknown.text


def test_groups_have_a_chart_whose_style_is_allowed(browse: Browse, tuqa: TrustUQA) -> None:
    rows = [{"nation": "Japan", "area": "Asia"}, {"nation": "China", "area": "Asia"},
            {"nation": "Italy", "area": "Europe"}]  # fmt: skip
    tuqa.load(rows, dataset="nations")
    browser = browse()
    params = {"question": "How many nations are there per area?", "dataset": "nations"}
    response = browser.get("/ask", params=params)
    check_page(response.text)
    chart = response.text.partition('<svg class="tuqa-chart"')[2].partition("</svg>")[0]
    assert 'href="#fact-' in chart
    style = chart.partition("<style>")[2].partition("</style>")[0]
    digest = b64encode(sha256(style.encode()).digest()).decode()
    assert f"'sha256-{digest}'" in response.headers["content-security-policy"]


def test_long_answers_are_cut(browse: Browse, tuqa: TrustUQA, tmp_path: Path) -> None:
    path = tmp_path / "numbers.csv"
    path.write_text("name\n" + "".join(f"n{n}\n" for n in range(600)), encoding="utf-8")
    tuqa.load("table", path, dataset="numbers")
    browser = browse()
    address = run(browser, "get_information(relation='name')", "numbers")
    page = browser.get(address).text
    tree = check_page(page)
    assert page.count("<li><bdi>n") == 200
    assert "400 more are not shown" in page
    assert len([name for name in tree.ids if name.startswith("fact-")]) == 500
    assert "<summary>450 more facts</summary>" in page
    assert "100 more. All facts were selected by:" in page
    assert "step 1, 600 facts: search_node(relation=&#39;name&#39;)" in page
    assert "tuqa run STEPS.txt --dataset numbers --evidence 600" in page
    assert "The first 60 facts are drawn." in page
    assert len(browser.get(f"{address}.csv").text.splitlines()) == 601


def test_facts_say_which_rows_they_prove(browse: Browse, tuqa: TrustUQA, tmp_path: Path) -> None:
    path = tmp_path / "sales.csv"
    # What the West sold once is what the North sold in all.
    path.write_text("shop,sold\nNorth,5\nNorth,12\nWest,17\nWest,3\n", encoding="utf-8")
    tuqa.load("table", path, dataset="sales")
    steps = (
        "Query1: get_table(columns=['shop', 'sold'])\n"
        "Query2: group_by(output_of_query1, by='shop', values='sum(sold) as total')"
    )
    browser = browse()
    page = browser.get(run(browser, steps, "sales")).text
    check_page(page)
    assert '<th scope="col">Proves</th>' in page
    rows = page.partition('<table class="facts rows">')[2].split("<tr>")[2:]
    proves = [re.findall(r'data-column="Proves"><bdi>([^<]*)</bdi>', row)[-1] for row in rows[:4]]
    assert proves == ["North, 17"] * 2 + ["West, 20"] * 2
    assert '<th scope="col"><bdi>shop</bdi></th><th scope="col"><bdi>sold</bdi></th>' in page
    assert [page.count(f'<td id="fact-{number}"') for number in range(1, 9)] == [1] * 8
    page = browser.get(run(browser, f"{steps}\nQuery3: count(output_of_query2)", "sales")).text
    assert "Proves" not in page


def test_names_of_the_data_are_only_text(browse: Browse, tuqa: TrustUQA, tmp_path: Path) -> None:
    path = tmp_path / "nasty.tsv"
    path.write_text(f"{NASTY}\tknows <b>\t{NASTY} two\n", encoding="utf-8")
    tuqa.load("kg", path, dataset="<i>'nasty'</i>")
    browser = browse(allow_teach=True)
    dataset = "<i>'nasty'</i>"
    address = run(browser, "get_information(relation='knows <b>')", dataset, question=NASTY)
    around = {"dataset": dataset, "name": NASTY}
    pages = [
        browser.get("/").text,
        browser.get("/examples", params={"dataset": dataset}).text,
        browser.get("/ask", params={"question": NASTY, "dataset": dataset}).text,
        browser.get(address).text,
        browser.get(f"{address}/facts/1/lines").text,
        browser.get("/around", params=around).text,
        browser.get("/ask", params={"question": "what?", "dataset": NASTY}).text,
    ]
    for page in pages:
        tree = check_page(page)
        assert {"b", "i"}.isdisjoint(tree.tags)
        assert tree.tags.count("script") == 4
    assert "&lt;script&gt;" in pages[3]
    assert pages[5].count("knows &lt;b&gt;") == 1


def test_characters_that_steer_are_shown_as_pictures(
    browse: Browse, tuqa: TrustUQA, tmp_path: Path
) -> None:
    path = tmp_path / "odd.tsv"
    path.write_text("a\tb\tabc\x1b[31m \u202edef\n", encoding="utf-8")
    tuqa.load("kg", path, dataset="odd")
    browser = browse()
    page = browser.get(run(browser, "get_information(head_entity='a', relation='b')", "odd")).text
    assert "abc␛[31m" in page
    assert "\x1b" not in page
    assert "\u202e" not in page


@pytest.mark.usefixtures("films")
def test_a_private_server_shows_values_to_people(browse: Browse) -> None:
    browser = browse(private=True)
    assert "Sigourney Weaver" in browser.get(run(browser)).text


# Words.


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        (Answer("answered"), ""),
        (Answer("answered", confidence=0.87, origin="read"), "Confidence 87%: the calibrated prob"),
        (Answer("answered", confidence=0.9999, origin="read"), "Confidence 99%"),
        (Answer("answered", confidence=1.0, origin="demonstrated"), "Confidence 100%: how well an"),
        (
            Answer("answered", confidence=0.6, samples=5, origin="model"),
            "60%: 3 of 5 queries of the",
        ),
        (
            Answer("answered", confidence=1.0, samples=1, origin="model"),
            "1 of 1 query of the model",
        ),
    ],
)
def test_a_confidence_is_explained(answer: Answer, text: str) -> None:
    assert text in explain_confidence(answer)


def test_what_the_program_computed_is_told_from_cells() -> None:
    cells, sums = Answer("answered", values=("15",)), Answer("answered", values=(15,))
    judged = Answer("answered", values=(15,), grounded=False)
    assert [AnswerPage("a1", answer).is_computed for answer in (cells, sums, judged)] == [
        False, True, False,
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("outcome", "title"),
    [
        ("answered", "Answer"),
        ("empty", "The data have no answer"),
        ("not_askable", "The question could not be understood"),
        ("rejected", "The steps have a mistake"),
        ("abstained", "Not certain enough to answer"),
        ("failed", "The steps could not be read"),
    ],
)
def test_every_outcome_has_words(outcome: Any, title: str) -> None:
    page = AnswerPage("a1", Answer(outcome))
    assert page.title == title
    assert bool(page.explanation) == (outcome != "answered")


def test_the_last_run_of_a_step_is_shown() -> None:
    stages = tuple(
        Stage("execute", f"search_node('{name}')", f"step 1: {name}", 1.0, step=1) for name in "ab"
    )
    (step,) = AnswerPage("a1", Answer("answered", trace=stages)).steps
    assert (step.operation, step.result) == ("search_node('b')", "b")


# Steps.


def test_steps_are_in_words_with_what_they_gave(browser: TestClient) -> None:
    query = f"Step1: Find who starred in Alien\nQuery1: {STARRING}\nQuery2: count(output_of_query1)"
    page = browser.get(run(browser, query)).text
    check_page(page)
    assert '<p class="words"><bdi>Find who starred in Alien</bdi></p>' in page
    assert '<p class="words"><bdi>the number of step 1</bdi></p>' in page
    assert "2 nodes by 2 facts" in page


STAGE_NAMES = (
    "reading the steps", "finding the names", "planning the search", "searching, step 1",
    "collecting the facts",
)  # fmt: skip


def test_changed_steps_answer_in_place(browser: TestClient) -> None:
    data = {"query": STARRING, "dataset": "films", "question": "who starred in Alien?"}
    response = browser.post("/run", data=data, headers={**SCRIPT, "Origin": BASE})
    assert response.headers["content-type"].startswith("text/event-stream")
    *stages, answer = [text for text in re.split(r"(?:\r?\n){2}", response.text) if "data:" in text]
    words = " ".join(stages)
    places = [words.index(name) for name in STAGE_NAMES]
    assert places == sorted(places)
    assert 'data-answer="a1"' in answer
    assert "Tom Skerritt" in answer
    assert "who starred in Alien?" in answer


def test_wrong_steps_show_where_they_are_wrong(browser: TestClient) -> None:
    page = browser.get(
        run(browser, "Query1: get_information(head_entity='Alien'\r\nQuery2: blub(")
    ).text
    check_page(page)
    assert "The steps could not be read" in page
    assert re.search(r"<pre[^>]*>[^<]+\n *\^</pre>", page)
    assert "<details open>" in page


@pytest.mark.parametrize(
    ("query", "text"),
    [
        (STARRING, "✓ The steps can be run."),
        ("get_information(head_entity='Alien', relation='starring", "The steps have a mistake."),
        ("blub(1)", "undefined function"),
    ],
)
def test_steps_are_checked(browser: TestClient, query: str, text: str) -> None:
    data = {"query": query, "dataset": "films"}
    part = browser.post("/check", data=data, headers={**SCRIPT, "Origin": BASE}).text
    check_part(part)
    assert text in part
    check_page(browser.post("/check", data=data, headers={"Origin": BASE}).text)


def test_browsers_send_the_origin_of_forms(browser: TestClient) -> None:
    """Under the policy ``no-referrer`` they would send ``null``, which is refused."""
    assert browser.get("/").headers["referrer-policy"] == "same-origin"


@pytest.mark.parametrize("path", ["/run", "/check", "/teach", "/wrong", "/save"])
def test_forms_of_other_sites_and_without_steps_are_refused(browser: TestClient, path: str) -> None:
    data = {"query": STARRING, "dataset": "films", "question": "who?"}
    foreign = browser.post(path, data=data, headers={"Origin": "http://elsewhere.example"})
    assert foreign.status_code == 403
    empty = browser.post(path, data={"dataset": "films"}, headers={"Origin": BASE})
    assert empty.status_code == 400
    check_page(empty.text)


# Teaching.


def test_a_question_is_taught(browser: TestClient, films: TrustUQA) -> None:
    data = {"question": "who played in Alien?", "query": STARRING, "dataset": "films"}
    part = browser.post("/teach", data=data, headers={**SCRIPT, "Origin": BASE}).text
    check_part(part)
    assert "✓ Taught" in part
    assert films.ask("who played in Alien?", "films").values == ("Sigourney Weaver", "Tom Skerritt")
    examples = browser.get("/examples", params={"dataset": "films"}, headers=SCRIPT).text
    assert "who played in Alien?" in examples


def test_a_right_answer_becomes_an_example_that_can_be_undone(
    browser: TestClient, films: TrustUQA
) -> None:
    question = "who directed Alien?"
    page = browser.get("/ask", params={"question": question, "dataset": "films"}).text
    assert "This is right" in page
    answer = films.ask(question, "films")
    assert answer.llm_query is not None
    data = {"question": question, "query": answer.llm_query, "dataset": "films"}
    headers = {**SCRIPT, "Origin": BASE}
    assert "Undo" in browser.post("/teach", data=data, headers=headers).text
    assert films.ask(question, "films").origin == "demonstrated"
    again = browser.get("/ask", params={"question": question, "dataset": "films"}).text
    assert "This is right" not in again
    undone = browser.post("/unteach", data=data, headers=headers).text
    check_part(undone)
    assert "The example is deleted." in undone
    assert films.demonstrations.listed("films") == []
    assert "no such example" in browser.post("/unteach", data=data, headers=headers).text
    assert browser.post("/unteach", data={"dataset": "films"}, headers=headers).status_code == 400


def test_a_wrong_answer_is_kept_for_the_owner(browser: TestClient, films: TrustUQA) -> None:
    question = "who starred in Alien?"
    address = run(browser, question=question)
    assert "This is wrong" in browser.get(address).text
    data = {"question": question, "query": STARRING, "dataset": "films", "why": "<b>no</b>"}
    part = browser.post("/wrong", data=data, headers={**SCRIPT, "Origin": BASE}).text
    check_part(part)
    assert "Kept as wrong" in part
    page = browser.get("/data/films").text
    check_page(page)
    assert "Answers that people marked as wrong" in page
    assert f"<bdi>{question}</bdi>" in page
    assert "&lt;b&gt;no&lt;/b&gt;" in page
    assert films.demonstrations.listed("films") == []
    undo = {"dataset": "films", "question": question, "state": "wrong"}
    assert "deleted" in browser.post("/unteach", data=undo, headers={"Origin": BASE}).text
    assert "marked as wrong" not in browser.get("/data/films").text


def test_a_question_is_saved_and_found_with_its_data(browser: TestClient, films: TrustUQA) -> None:
    question = "who starred in <b>Alien</b>?"
    assert "Save this question" in browser.get(run(browser, question=question)).text
    data = {"question": question, "query": STARRING, "dataset": "films"}
    headers = {**SCRIPT, "Origin": BASE}
    part = browser.post("/save", data=data, headers=headers).text
    check_part(part)
    assert '★ Saved: the question stands on <a href="/data/films">' in part
    # It stands beside the same question that is taught, and that is wrong.
    browser.post("/teach", data=data, headers=headers)
    browser.post("/wrong", data=data, headers=headers)
    page = browser.get("/data/films").text
    check_page(page)
    assert "Saved questions" in page
    assert "/ask?question=who%20starred%20in%20%3Cb%3EAlien" in page
    films.load("kg", FILMS, dataset="films", mode="replace-all", embeddings=False)
    (saved,) = films.demonstrations.listed("films", ("saved",))
    assert (saved.question, saved.query, saved.state) == (question, STARRING, "saved")
    undo = {"dataset": "films", "question": question, "state": "saved"}
    undone = browser.post("/unteach", data=undo, headers=headers).text
    assert "The question is deleted." in undone
    assert "Saved questions" not in browser.get("/data/films").text
    assert len(films.demonstrations.listed("films", ("wrong",))) == 1
    assert len(films.demonstrations.listed("films")) == 1


def test_readers_mark_nothing(films: TrustUQA, browse: Browse) -> None:
    reader = browse()
    assert "This is wrong" not in reader.get(run(reader, question="who?")).text
    data = {"question": "who?", "query": STARRING, "dataset": "films"}
    for path in ("/wrong", "/save"):
        refused = reader.post(path, data=data, headers={"Origin": BASE})
        assert refused.status_code == 403
    assert films.demonstrations.listed("films", ("wrong", "saved")) == []
    films.demonstrations.save("films", Demonstration("who starred?", STARRING))
    films.demonstrations.store_wrong("films", Demonstration("who painted?", STARRING))
    page = reader.get("/data/films").text
    check_page(page)
    assert 'href="/ask?question=who%20starred%3F' in page
    assert "who painted?" not in page
    assert "/unteach" not in page


def test_steps_without_an_answer_are_not_taught(browser: TestClient, films: TrustUQA) -> None:
    query = "get_information(head_entity='Amélie', relation='starring')"
    data = {"question": "who played?", "query": query, "dataset": "films"}
    response = browser.post("/teach", data=data, headers={**SCRIPT, "Origin": BASE})
    assert response.status_code == 400
    assert "not answered" in response.text
    assert films.demonstrations.listed("films") == []


def test_teaching_needs_a_dataset(browser: TestClient) -> None:
    data = {"question": "who played?", "query": STARRING}
    response = browser.post("/teach", data=data, headers={**SCRIPT, "Origin": BASE})
    assert response.status_code == 400
    assert "no dataset" in response.text


def test_teaching_must_be_allowed(films: TrustUQA, browse: Browse) -> None:
    browser = browse()
    assert "Teach these steps" not in browser.get(run(browser)).text
    assert "This is right" not in browser.get(run(browser)).text
    data = {"question": "who played?", "query": STARRING, "dataset": "films"}
    assert browser.post("/unteach", data=data, headers={"Origin": BASE}).status_code == 403
    response = browser.post("/teach", data=data, headers={"Origin": BASE})
    assert response.status_code == 403
    check_page(response.text)
    assert films.demonstrations.listed("films") == []


# Refusal.


def test_a_browser_without_the_token_gets_a_page(browser: TestClient) -> None:
    browser.cookies.clear()
    response = browser.get("/")
    assert response.status_code == 401
    check_page(response.text)
    assert "Open the printed address" in response.text
    program = browser.get("/", headers={"Accept": "application/json"})
    assert program.status_code == 401
    assert program.json()["title"] == "no token"


def test_teaching_begins_with_what_is_known(browser: TestClient) -> None:
    params = {"question": "Who is the CEO of Alien?", "dataset": "films"}
    page = browser.get("/ask", params=params).text
    check_page(page)
    form = page[page.index('<form class="edit" action="/teach"') :]
    first = unescape(re.findall(r'<span class="meaning"><bdi>(.*?)</bdi>', page)[0])
    assert f"first reading: <bdi>{first}</bdi>" in unescape(form)
    steps = form.partition('id="teach-query"')[2].partition(">")[2].partition("</textarea>")[0]
    assert unescape(steps).strip().startswith("Query1: ")
    assert "<option selected>films</option>" in form
