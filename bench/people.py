"""The paths of three people, in seconds: an own table asked, a column put right, a token for a colleague.

Each begins where a person begins who has installed the package, with a home of its own, and does what the
person does: commands in a shell, clicks on the page. What people read and type takes them longer. The jars of
Neo4j are those of this machine; a first download of 170 MB comes on top of it.

    python bench/people.py

It writes ``docs/results/people.md``, and fails if a path takes longer than it may.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from urllib.error import HTTPError
from urllib.request import Request, urlopen

from harness import isolated_home, run_command
from playwright.sync_api import expect, sync_playwright

TABLE = "Name,Zip,Salary\nAda Holm,01234,52000\nBo Lind,04567,48000\nCy Berg,01239,61000\n"
PATHS = {
    "own table to the first answer": 60,
    "a wrong type of a column put right": 20,
    "a token for a colleague": 20,
}
"""The paths, with their limits in seconds."""
HEAD = """# Paths of three people

Written by `python bench/people.py`.

| path | seconds | limit |
|---|---|---|"""
RESULTS = Path(__file__).parents[1] / "docs" / "results" / "people.md"
PORT = 8791
ADDRESS = f"http://127.0.0.1:{PORT}"
TOKEN = "token-of-the-benchmark"  # of a server that lives for a minute


def main() -> None:
    os.environ["TUQA_SERVE_TOKEN"] = TOKEN
    os.environ.pop("NEO4J_URI", None)
    with TemporaryDirectory() as folder:
        table = Path(folder, "people.csv")
        table.write_text(TABLE, encoding="utf-8")
        home = Path(folder, "home")
        home.mkdir()
        with isolated_home(home):
            os.environ["TUQA_HOME"] = str(home)
            seconds = [ask_own_table(table)]
            with serving():
                seconds += [correct_column(table), make_token()]
    report = describe_paths(seconds)
    print(report, end="")
    RESULTS.write_text(report, encoding="utf-8")
    if any(took > limit for took, limit in zip(seconds, PATHS.values(), strict=True)):
        sys.exit("a path is above its limit")


def describe_paths(seconds: Sequence[float]) -> str:
    """The seconds of each path beside its limit, as a page in Markdown."""
    rows = zip(PATHS.items(), seconds, strict=True)
    lines = [f"| {name} | {took:.0f} | {limit} |" for (name, limit), took in rows]
    return "\n".join((HEAD, *lines, ""))


def ask_own_table(table: Path) -> float:
    """Load a file and ask it; the server is made and started meanwhile."""
    start = perf_counter()
    run_command("tuqa-load", str(table))
    answer = run_command("tuqa", "ask", "Who has the highest salary?")
    assert answer.out.startswith("Cy Berg\n"), answer.out
    return perf_counter() - start


@contextmanager
def serving() -> Iterator[None]:
    script = str(Path(sys.executable).with_name("tuqa"))
    command = [script, "serve", "--port", str(PORT), "--allow-load"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline().startswith("page:")
        try:
            yield
        finally:
            process.terminate()


def correct_column(table: Path) -> float:
    """On the page, read a column as text that was read as numbers, and ask for a value of it."""
    with sync_playwright() as playwright:
        path = shutil.which("chromium")
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        page = browser.new_page(base_url=ADDRESS)
        page.goto(f"/?token={TOKEN}")
        start = perf_counter()
        page.goto("/data")
        page.get_by_label("Drop files here").set_input_files(table)
        page.get_by_label("Name of the dataset").fill("corrected")
        page.get_by_role("button", name="Preview").click()
        column = page.get_by_role("columnheader", name="Salary")
        expect(column).to_contain_text("number")
        column.get_by_text("Change").click()
        column.get_by_label("Type").select_option("text")
        expect(page.get_by_role("columnheader", name="Salary")).to_contain_text("text")
        page.get_by_role("button", name="Load").click()
        page.get_by_role("link", name="Ask it now").click(timeout=60_000)
        page.get_by_label("Question", exact=True).fill("What is the salary of Ada Holm?")
        page.get_by_role("button", name="Ask", exact=True).click()
        expect(page.locator("p.value")).to_have_text("52000")
        seconds = perf_counter() - start
        browser.close()
    return seconds


def make_token() -> float:
    """Make a token for one dataset, and use it; another one stays closed to it."""
    start = perf_counter()
    made = run_command("tuqa", "serve", "token", "make", "anna", "--dataset", "people")
    token = made.out.split()[-1]
    assert read_status("people", token) == 200
    seconds = perf_counter() - start
    assert read_status("corrected", token) == 404
    return seconds


def read_status(dataset: str, token: str) -> int:
    request = Request(
        f"{ADDRESS}/api/v1/datasets/{dataset}/schema", headers={"Authorization": f"Bearer {token}"}
    )
    try:
        with urlopen(request) as response:
            return int(response.status)
    except HTTPError as error:
        return error.code


if __name__ == "__main__":
    main()
