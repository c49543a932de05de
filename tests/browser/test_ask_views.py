"""Questions in a browser: ask, open the proof, change a step, teach, ask anew; keyboard, narrow and dark."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect
from support.browser import assert_accessible, assert_fits, drop_file, tab_to

from trustuqa_neo4j import TrustUQA

pytestmark = pytest.mark.browser

CSV = "name,height\nAlder,12\nBirch,15\nCedar,40\n"
QUESTION = "what is the height of the Birch?"
SIZES = [(1280, "light"), (1280, "dark"), (360, "light"), (360, "dark")]


def load_trees(page: Page) -> None:
    page.goto("/data")
    drop_file(page, "trees.csv", CSV)
    page.wait_for_url("**/data/previews/*")
    page.get_by_role("button", name="Load").click()
    page.get_by_role("link", name="Ask it now").click()
    page.wait_for_url("**/?dataset=trees")


def ask(page: Page, question: str) -> None:
    page.get_by_label("Question", exact=True).first.fill(question)
    page.get_by_role("button", name="Ask", exact=True).click()


def expect_value(page: Page, value: str) -> None:
    expect(page.locator("article.answer p.value")).to_have_text(value)


def test_from_a_dropped_file_to_a_taught_question(page: Page, tuqa: TrustUQA) -> None:
    load_trees(page)
    expect(page.get_by_label("Data", exact=True)).to_have_value("trees")
    ask(page, QUESTION)
    expect_value(page, "15")
    expect(page).to_have_url(re.compile(r"/ask\?"))
    expect(page.locator("#answer-title")).to_be_focused()

    # The proof: the line of the file, and the facts around a name.
    page.locator("a.place").first.click()
    expect(page.locator(".file .marked")).to_contain_text("Birch,15")
    page.get_by_role("button", name="Close").click()
    expect(page.locator(".file")).to_have_count(0)
    expect(page.locator("a.place").first).to_be_focused()
    for link in ("table a[data-around]", "svg a[data-around]"):
        page.locator(link).first.click()
        expect(page.get_by_role("heading", name="Around")).to_be_focused()
        expect(page.get_by_role("group", name="Facts around the name")).to_be_visible()
        page.get_by_role("button", name="Close").click()
        expect(page.locator(link).first).to_be_focused()

    # The same steps with another name.
    page.get_by_text("Change the steps and run them again").click()
    steps = page.locator("#query")
    written = steps.input_value()
    assert "Birch" in written
    steps.fill(written.replace("Birch", "Cedar"))
    page.get_by_role("button", name="Check").click()
    expect(page.locator("#report")).to_contain_text("The steps can be run.")
    page.get_by_role("button", name="Run").click()
    expect_value(page, "40")

    # A question that nobody could answer until it was taught.
    page.get_by_text("Teach these steps").click()
    page.locator("#teach-question").fill("size of the mightiest?")
    page.get_by_role("button", name="Teach").click()
    expect(page.locator("#taught")).to_contain_text("Taught")
    ask(page, "size of the mightiest?")
    expect(page.locator("article.answer .asked")).to_have_text("size of the mightiest?")
    expect_value(page, "40")
    (demonstration,) = tuqa.demonstrations.listed("trees")
    assert demonstration.question == "size of the mightiest?"


def test_a_wrong_step_is_explained(page: Page, films: TrustUQA) -> None:
    page.goto("/ask?question=who+starred+in+Alien%3F&dataset=films")
    page.get_by_text(re.compile("the steps")).last.wait_for(state="attached")
    page.locator("summary", has_text=re.compile("steps")).first.click()
    page.locator("#query").fill(
        "get_information(head_entity='Alien', relation='nonsense of words')"
    )
    page.get_by_role("button", name="Check").click()
    expect(page.locator("#report .problems li").first).to_contain_text("nonsense of words")


def test_an_answer_has_an_address_of_its_own(page: Page, films: TrustUQA) -> None:
    page.goto("/?dataset=films")
    ask(page, "who starred in Alien?")
    expect(page.locator("ul.values li").first).to_be_visible()
    values = page.locator("ul.values li").all_inner_texts()
    page.get_by_role("link", name="Link to this question").click()
    page.wait_for_url("**/ask?*question=*")
    assert page.locator("ul.values li").all_inner_texts() == values
    with page.expect_download() as download:
        page.get_by_role("link", name="Download as CSV").click()
    assert values[0] in download.value.path().read_text()


def test_a_question_is_saved_and_asked_again(page: Page, films: TrustUQA) -> None:
    page.goto("/?dataset=films")
    ask(page, "who starred in Alien?")
    page.get_by_role("button", name="Save this question").click()
    expect(page.get_by_text("★ Saved")).to_be_visible()
    assert_accessible(page)
    page.get_by_role("link", name="the page of films").click()
    page.get_by_role("link", name="who starred in Alien?").click()
    page.wait_for_url("**/ask?*")
    expect(page.locator("ul.values li").first).to_be_visible()
    page.goto("/data/films")
    page.get_by_role("button", name="Delete who starred in Alien?").click()
    expect(page.get_by_text("The question is deleted.")).to_be_visible()
    assert films.demonstrations.listed("films", ("saved",)) == []


def test_questions_are_kept_in_this_browser(page: Page, films: TrustUQA) -> None:
    page.goto("/?dataset=films")
    ask(page, "who starred in Alien?")
    expect(page.locator("article.answer")).to_be_visible()
    page.goto("/")
    history = page.get_by_role("region", name="Your questions")
    history.get_by_role("link", name="who starred in Alien?").click()
    expect(page.locator("article.answer .asked")).to_have_text("who starred in Alien?")
    page.go_back()
    page.wait_for_url(re.compile(r"/$"))
    expect(page.get_by_role("heading", level=1)).to_have_text("Ask your data")
    page.get_by_role("button", name="Clear the list").click()
    expect(history).to_be_hidden()


def test_asking_by_keyboard(page: Page, films: TrustUQA) -> None:
    page.goto("/?dataset=films")
    question = page.locator("#question")
    expect(question).to_be_focused()
    page.keyboard.type("who starred in Alien?")
    page.keyboard.press("Enter")
    expect(page.locator("#answer-title")).to_be_focused()
    tab_to(page, page.locator("a.place").first)
    page.keyboard.press("Enter")
    expect(page.locator(".file .marked").first).to_be_visible()
    tab_to(page, page.get_by_role("button", name="Close"))
    page.keyboard.press("Enter")
    expect(page.locator("a.place").first).to_be_focused()
    tab_to(page, page.locator(".facts a[data-around]").first)
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Around")).to_be_focused()
    tab_to(page, page.get_by_role("button", name="Close"))
    page.keyboard.press("Enter")
    tab_to(page, page.get_by_role("group", name="Picture of the proof"))
    tab_to(page, page.get_by_text("Change the steps and run them again"))
    page.keyboard.press("Enter")
    tab_to(page, page.locator("#query"))
    tab_to(page, page.get_by_role("button", name="Run"))
    page.keyboard.press("Enter")
    expect(page.locator("#answer-title")).to_be_focused()
    tab_to(page, page.get_by_text("Teach these steps"))
    page.keyboard.press("Enter")
    tab_to(page, page.locator("#teach-question"))
    page.keyboard.type("cast of that film?")
    tab_to(page, page.get_by_role("button", name="Teach"))
    page.keyboard.press("Enter")
    expect(page.locator("#taught")).to_contain_text("Taught")


@pytest.mark.parametrize("context", SIZES, indirect=True, ids=lambda size: f"{size[0]}-{size[1]}")
def test_every_view_of_a_question_is_accessible_and_fits(page: Page, films: TrustUQA) -> None:
    def check() -> None:
        assert_accessible(page)
        assert_fits(page)

    page.goto("/?dataset=films")
    expect(page.locator("#examples")).not_to_contain_text("Show examples")
    check()
    ask(page, "who starred in Alien?")
    expect(page.locator("article.answer")).to_be_visible()
    check()
    page.locator("a.place").first.click()
    expect(page.locator(".file .marked").first).to_be_visible()
    page.locator(".facts a[data-around]").first.click()
    expect(page.get_by_role("heading", name="Around")).to_be_visible()
    page.get_by_text("Change the steps and run them again").click()
    page.get_by_text("Teach these steps").click()
    page.get_by_role("button", name="Check").click()
    expect(page.locator("#report")).not_to_be_empty()
    check()
    page.get_by_role("link", name="Link to this question").click()
    page.wait_for_url("**/ask?*question=*")
    check()
    page.goto("/ask?question=what+is+the+meaning+of+it+all%3F&dataset=films")
    expect(page.locator("article.answer")).to_be_visible()
    check()
    page.goto("/answers/none")
    check()


NATIONS = [
    {"Nation": "Japan", "Area": "Asia", "Gold": 20},
    {"Nation": "Italy", "Area": "Europe", "Gold": 12},
    {"Nation": "Peru", "Area": "America", "Gold": -3},
    {"Nation": "China", "Area": "Asia", "Gold": 40},
]


@pytest.mark.parametrize("context", SIZES, indirect=True, ids=lambda size: f"{size[0]}-{size[1]}")
def test_pick_a_reading_see_a_chart_keep_an_example_and_delete(page: Page, tuqa: TrustUQA) -> None:
    tuqa.load(NATIONS, dataset="nations", embeddings=False)
    page.goto("/?dataset=nations")
    ask(page, "What is the population of Japan?")
    cards = page.locator("a.reading")
    expect(cards.first.locator(".found")).not_to_be_empty()
    assert_accessible(page)
    assert_fits(page)
    found = cards.first.locator(".found").inner_text()
    cards.first.click()
    expect_value(page, found)
    # "This is what I mean": the reading is kept, and the question is then answered.
    page.get_by_role("button", name="This is right").click()
    expect(page.locator("#confirmed")).to_contain_text("Taught")
    page.goto("/?dataset=nations")
    ask(page, "What is the population of Japan?")
    expect_value(page, found)
    ask(page, "What is the total gold for each area?")
    chart = page.locator("svg.tuqa-chart")
    expect(chart.locator("rect")).to_have_count(3)
    # Whole rows prove the groups, and are read without scrolling sideways, on a phone as cards.
    facts = page.locator(".facts.rows")
    expect(facts.locator("td[id]")).to_have_count(12)
    assert facts.evaluate("e => e.parentElement.scrollWidth <= e.parentElement.clientWidth")
    # The style of the chart is allowed.
    assert chart.locator("rect").first.evaluate("e => getComputedStyle(e).strokeWidth") == "0.5px"
    assert_accessible(page)
    assert_fits(page)
    page.get_by_role("button", name="This is right").click()
    expect(page.locator("#confirmed")).to_contain_text("Taught")
    page.get_by_role("button", name="Undo").click()
    expect(page.locator("#confirmed")).to_contain_text("The example is deleted.")
    page.goto("/data/nations")
    page.get_by_text("Delete this dataset").click()
    assert_accessible(page)
    page.get_by_label("Type the name").fill("nations")
    page.get_by_role("button", name="Delete", exact=True).click()
    page.wait_for_url("**/data")
    assert "nations" not in {dataset.name for dataset in tuqa.datasets()}


def test_the_sample_from_its_load_to_its_deletion(page: Page, tuqa: TrustUQA) -> None:
    """The path of a person who sees the page for the first time."""
    page.goto("/")
    page.get_by_role("link", name="Load a file").click()
    page.get_by_role("button", name="Load sample data").click()
    expect(page.get_by_role("status")).to_have_text("The data is loaded.", timeout=120_000)
    page.get_by_role("link", name="Ask it now").click()
    page.locator("#examples li a").first.click()
    expect(page.locator("article.answer")).to_be_visible()

    # Ask, and take a reading of what is not understood.
    ask(page, "What is the population of Apollo 11?")
    page.locator("a.reading", has_text="Neil Armstrong").click()
    expect_value(page, "Neil Armstrong")

    # Ask on; the address lasts, a refused question leaves the last answer, and other data follow nothing.
    ask(page, "Who flew on Apollo 15?")
    expect(page.locator("ul.values li")).to_have_count(3)
    ask(page, "and on Apollo 16?")
    expect(page.locator("article.answer .asked")).to_contain_text("after Who flew on Apollo 15?")
    expect(page.locator("ul.values")).to_contain_text("Ken Mattingly")
    assert_accessible(page)
    followed = page.url
    ask(page, "and the colour of it?")
    expect(page.locator("#answer-title")).to_have_text("The question could not be understood")
    ask(page, "how many are they?")
    expect_value(page, "3")
    page.get_by_role("region", name="Your questions").get_by_text("and on Apollo 16?").click()
    expect(page.locator("ul.values")).to_contain_text("Ken Mattingly")

    # A question of its own has an address of its own.
    ask(page, "What is the total hours in flight for each aim?")
    expect(page.locator("svg.tuqa-chart rect")).to_have_count(3)
    expect(page).not_to_have_url(re.compile("follows"))
    page.get_by_role("button", name="This is right").click()
    expect(page.locator("#confirmed")).to_contain_text("Taught")
    page.get_by_role("button", name="Undo").click()
    expect(page.locator("#confirmed")).to_contain_text("The example is deleted.")
    page.get_by_role("link", name="Data", exact=True).click()
    page.get_by_role("rowheader", name="apollo").get_by_role("link").click()
    page.get_by_text("Delete this dataset").click()
    page.get_by_label("Type the name").fill("apollo")
    page.get_by_role("button", name="Delete", exact=True).click()
    page.wait_for_url("**/data")
    assert tuqa.datasets() == ()

    # The link still opens, and says why it has no answer.
    page.goto(followed)
    expect(page.get_by_role("alert")).to_contain_text("Unknown dataset")
    assert_accessible(page)
