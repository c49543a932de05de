"""The views of data in a browser: dropped files, progress, keyboard, accessibility, narrow and dark."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect
from support.browser import assert_accessible, assert_fits, drop_file, drop_files, tab_to

from trustuqa_neo4j import TrustUQA

pytestmark = pytest.mark.browser

CSV = "name,height,planted\nAlder,12 m,2001-03-04\nBirch,15 m,2002-05-06\n<b>Cedar</b>,40 m,1999-01-01\n"
SIZES = [(1280, "light"), (1280, "dark"), (360, "light"), (360, "dark")]


def load_by_drop(page: Page, name: str = "trees.csv", content: str = CSV) -> None:
    page.goto("/data")
    drop_file(page, name, content)
    page.wait_for_url("**/data/previews/*")
    page.get_by_role("button", name="Load").click()
    page.wait_for_url("**/data/loads/*")
    expect(page.get_by_role("status")).to_have_text("The data is loaded.")


def test_a_dropped_file_is_previewed_and_loaded(page: Page, tuqa: TrustUQA) -> None:
    page.get_by_role("link", name="Data", exact=True).click()
    drop_file(page, "trees.csv", CSV)
    page.wait_for_url("**/data/previews/*")
    expect(page.get_by_role("heading", level=1)).to_have_text("Preview of trees.csv")
    expect(page.get_by_role("columnheader", name="height")).to_contain_text("number, m")
    expect(page.get_by_role("cell", name="<b>Cedar</b>")).to_be_visible()
    assert tuqa.datasets() == ()
    page.get_by_role("button", name="Load").click()
    expect(page.get_by_role("status")).to_have_text("The data is loaded.")
    expect(page.locator("#load")).to_contain_text("9 facts from 1 source")
    page.get_by_role("link", name="Ask it now").click()
    expect(page).to_have_url(re.compile(r"/\?dataset=trees$"))
    assert [dataset.name for dataset in tuqa.datasets()] == ["trees"]


def test_chosen_files_are_named_and_measured(page: Page) -> None:
    page.goto("/data")
    files = page.get_by_label("Drop files here")
    files.set_input_files([
        {"name": "a.csv", "mimeType": "text/csv", "buffer": CSV.encode()},
        {"name": "b.csv", "mimeType": "text/csv", "buffer": CSV.encode()},
    ])  # fmt: skip
    expect(page.locator("[data-status]")).to_have_text(f"a.csv, b.csv: {2 * len(CSV)} bytes")
    page.get_by_role("button", name="Preview").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Preview of a.csv and 1 more")


def test_a_file_above_the_limit_is_not_sent(page: Page) -> None:
    page.goto("/data")
    page.evaluate("document.querySelector('form[data-drop]').dataset.limit = '10'")
    drop_file(page, "trees.csv", CSV)
    expect(page.locator("[data-status]")).to_contain_text("more than this server takes")
    expect(page).to_have_url(re.compile(r"/data$"))


def test_a_file_dropped_elsewhere_on_the_page_does_not_leave_it(page: Page) -> None:
    page.goto("/data")
    transfer = page.evaluate_handle(
        "() => { const t = new DataTransfer(); t.items.add(new File(['a,b\\n1,2\\n'], 'x.csv')); return t; }"
    )
    page.locator("h1").dispatch_event("drop", {"dataTransfer": transfer})
    page.wait_for_url("**/data/previews/*")


def test_an_unreadable_file_can_be_read_with_other_options(page: Page) -> None:
    page.goto("/data")
    drop_file(page, "lines.txt", "one line\nanother line of words\n")
    page.wait_for_url("**/data/previews/*")
    page.goto("/data")
    drop_file(page, "odd.bin", "\x00\x01\x02\x03" * 50)
    expect(page.get_by_role("alert")).to_be_visible()
    page.get_by_label("Format").select_option("table")
    page.get_by_role("button", name="Read again").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Preview of odd.bin")


def test_each_change_of_how_a_file_is_read_is_shown_at_once(page: Page) -> None:
    page.goto("/data")
    trees = "name,day,size,tags\nAlder,03/04/2005,12,a;b\nBirch,05/06/2006,none known,c;d\n"
    drop_file(page, "trees.csv", trees)
    page.wait_for_url("**/data/previews/*")
    day, size = (page.get_by_role("columnheader", name=name) for name in ("day", "size"))
    expect(day).to_contain_text("text")
    page.get_by_text("Read them with other options").click()
    page.get_by_label("Order of dates").select_option("dmy")
    expect(day).to_contain_text("date, dmy")
    page.get_by_label("Words of missing values").fill("none known")
    page.get_by_label("Words of missing values").press("Tab")
    expect(size).to_contain_text("1 empty")
    size.get_by_text("Change").click()
    size.get_by_label("Type").select_option("text")
    expect(size).to_contain_text("text")
    size.get_by_text("Change").click()
    size.get_by_label("Name").fill("height")
    size.get_by_label("Name").press("Tab")
    expect(page.get_by_role("columnheader", name="height")).to_be_visible()
    page.get_by_label("Line of the header").fill("none")
    page.get_by_label("Line of the header").press("Tab")
    expect(page.get_by_role("columnheader", name="column 1")).to_be_visible()
    # What was chosen before is still there.
    expect(page.get_by_label("Order of dates")).to_have_value("dmy")


def test_progress_is_shown_and_a_load_is_cancelled(page: Page, tuqa: TrustUQA) -> None:
    page.goto("/data")
    rows = "".join(f"name {number},{number} m,text {number % 99}\n" for number in range(60_000))
    drop_file(page, "long.csv", f"name,height,remark\n{rows}")
    page.wait_for_url("**/data/previews/*")
    page.get_by_role("button", name="Load").click()
    status = page.get_by_role("status")
    expect(status).to_have_text("Writing long.csv")
    expect(page.locator("#count")).to_contain_text(" of ")
    expect(page.locator("progress[value]")).to_be_visible()
    # The stream changes the page, and the button stays the same one.
    cancel = page.get_by_role("button", name="Cancel")
    cancel.focus()
    before = page.locator("#count").inner_text()
    expect(page.locator("#count")).not_to_have_text(before)
    expect(cancel).to_be_focused()
    page.keyboard.press("Enter")
    # What was written is deleted first, which takes its time on a busy machine.
    expect(status).to_have_text("The load was cancelled.", timeout=180_000)
    assert tuqa.datasets() == ()


def test_a_lost_connection_is_told(page: Page, tuqa: TrustUQA) -> None:
    state = '<p role="status" id="phase">Reading</p><progress id="bar"></progress>'
    page.route(
        "**/progress",
        lambda route: route.fulfill(content_type="text/event-stream", body=f"data: {state}\n\n"),
    )
    page.goto("/data")
    rows = "".join(f"name {number},{number} m\n" for number in range(10_000))
    drop_file(page, "long.csv", f"name,height\n{rows}")
    page.wait_for_url("**/data/previews/*")
    page.get_by_role("button", name="Load").click()
    expect(page.get_by_role("status")).to_contain_text("The connection to the server is lost.")
    page.unroute("**/progress")
    page.reload()
    expect(page.get_by_role("status")).to_have_text("The data is loaded.", timeout=120_000)


def test_every_data_view_by_keyboard(page: Page, tuqa: TrustUQA) -> None:
    # Chromium is told to hand over its choosers when the first listener comes, and Playwright does not wait
    # for that: a key that is pressed at once may open a real one.
    page.on("filechooser", lambda _: None)
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to the content")).to_be_focused()
    tab_to(page, page.get_by_role("link", name="Data", exact=True))
    page.keyboard.press("Enter")
    page.wait_for_url("**/data")
    tab_to(page, page.locator("#file"))
    with page.expect_file_chooser() as chooser:
        page.keyboard.press("Space")
    file = {"name": "trees.csv", "mimeType": "text/csv", "buffer": CSV.encode()}
    chooser.value.set_files([file])
    tab_to(page, page.get_by_label("Name of the dataset"))
    page.keyboard.type("plants")
    tab_to(page, page.get_by_text("Options", exact=True))
    page.keyboard.press("Enter")
    tab_to(page, page.get_by_label("Line of the header"))
    page.keyboard.type("1")
    tab_to(page, page.get_by_role("button", name="Preview"))
    page.keyboard.press("Enter")
    page.wait_for_url("**/data/previews/*")
    # A wide table is scrolled with the arrows.
    tab_to(page, page.get_by_role("group", name="First rows"))
    # The options are open, as one of them was chosen.
    tab_to(page, page.get_by_role("button", name="Read again"))
    with page.expect_navigation():
        page.keyboard.press("Enter")
    tab_to(page, page.get_by_role("button", name="Load"))
    page.keyboard.press("Enter")
    page.wait_for_url("**/data/loads/*")
    expect(page.get_by_role("status")).to_have_text("The data is loaded.")
    tab_to(page, page.get_by_role("link", name="See its schema"))
    page.keyboard.press("Enter")
    page.wait_for_url("**/data/plants")
    tab_to(page, page.get_by_label("Search for a name"))
    page.keyboard.type("heigth")
    page.keyboard.press("Enter")
    page.wait_for_url("**/data/plants?search=heigth*")
    tab_to(page, page.get_by_role("link", name="height", exact=True))
    page.keyboard.press("Enter")
    expect(page.get_by_role("rowheader", name="height", exact=True)).to_be_visible()
    tab_to(page, page.get_by_role("link", name="trees.csv"))
    page.keyboard.press("Enter")
    page.wait_for_url("**source=trees.csv")
    tab_to(page, page.get_by_role("link", name="Ask it"))
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(r"/\?dataset=plants$"))


@pytest.mark.parametrize("context", SIZES, indirect=True, ids=lambda size: f"{size[0]}-{size[1]}")
def test_every_data_view_is_accessible_and_fits(page: Page, films: TrustUQA) -> None:
    def check() -> None:
        assert_accessible(page)
        assert_fits(page)

    page.goto("/data")
    page.get_by_text("Options", exact=True).click()
    check()
    wide = ",".join(f"a long name of column {number}" for number in range(30))
    cells = ",".join(f"{number} km" for number in range(30))
    drop_file(page, f"{'long-' * 20}name.csv", f"{wide}\n{cells}\n")
    page.wait_for_url("**/data/previews/*")
    page.get_by_text("Read them with other options").click()
    check()
    page.get_by_role("button", name="Load").click()
    expect(page.get_by_role("status")).to_have_text("The data is loaded.")
    check()
    page.get_by_role("link", name="See its schema").click()
    check()
    page.goto("/data/films")
    check()
    page.goto("/data/films?search=Alien")
    check()
    page.goto("/data/films?search=staring")
    check()
    page.goto("/data")
    drop_file(page, "cast.tsv", "Alien\tstarring\tWeaver\nAliens\tstarring\nFilm\tstarring\tX\n")
    page.get_by_text("Read them with other options").click()
    page.get_by_label("Format").select_option("kg")
    page.get_by_role("button", name="Read again").click()
    expect(page.get_by_role("heading", name="Lines that are left out")).to_be_visible()
    check()
    page.goto("/data/nothing")
    check()


def test_a_note_of_a_load_is_followed(page: Page, tuqa: TrustUQA) -> None:
    load_by_drop(page, "people.csv", "name,zip\nAnn,01234\nBea,04567\nCem,01239\n")
    assert_accessible(page)
    first = page.url
    page.get_by_role("button", name="Read zip as text").click()
    page.wait_for_url(lambda url: "/data/loads/" in url and url != first)
    expect(page.get_by_role("status")).to_have_text("The data is loaded.")
    expect(page.get_by_role("button", name="Read zip as text")).to_have_count(0)
    (relation,) = (r for r in tuqa.schema("people").relations if r.name == "zip")
    assert relation.tails.text == 3


def test_files_of_several_formats_are_dropped_together(page: Page, tuqa: TrustUQA) -> None:
    page.goto("/data")
    flights = "".join(f"Ann {n}\tflew to\tRome\t200{n}\t200{n}\n" for n in range(5))
    drop_files(page, {"trees.csv": CSV, "flights.tsv": flights})
    page.wait_for_url("**/data/previews/*")
    expect(page.locator(".detected")).to_contain_text("flights.tsv is read as temporal-kg")
    assert_accessible(page)
    page.get_by_role("button", name="Load").click()
    expect(page.get_by_role("status")).to_have_text("The data is loaded.")
    (dataset,) = tuqa.datasets()
    assert [source.kind for source in dataset.sources] == ["temporal-kg", "table"]


def test_a_dataset_is_renamed(page: Page, tuqa: TrustUQA) -> None:
    load_by_drop(page)
    page.get_by_role("link", name="See its schema").click()
    page.get_by_text("Rename this dataset").click()
    assert_accessible(page)
    page.get_by_label("New name").fill("plants of 2001")
    page.get_by_role("button", name="Rename").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("plants of 2001")
    assert [dataset.name for dataset in tuqa.datasets()] == ["plants of 2001"]
    page.goto("/data/trees")
    expect(page.get_by_role("alert")).to_contain_text("no dataset 'trees'")


def test_without_script_a_load_shows_its_state(page: Page, tuqa: TrustUQA) -> None:
    browser = page.context.browser
    assert browser is not None
    plain = browser.new_context(
        storage_state=page.context.storage_state(),
        base_url=page.url,
        java_script_enabled=False,
    )
    still = plain.new_page()
    still.goto("/data")
    file = {"name": "trees.csv", "mimeType": "text/csv", "buffer": CSV.encode()}
    still.get_by_label("Drop files here").set_input_files([file])
    still.get_by_role("button", name="Preview").click()
    still.get_by_role("button", name="Load").click()
    still.wait_for_url("**/data/loads/*")
    link = still.get_by_role("link", name="Show the present state")
    while link.count():
        with still.expect_navigation():
            link.click()
    expect(still.get_by_role("status")).to_have_text("The data is loaded.")
    plain.close()
    assert [dataset.name for dataset in tuqa.datasets()] == ["trees"]
