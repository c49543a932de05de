"""What README and the pages of docs show is run, and what they print is what comes."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest
from support.documentation import EXAMPLE, PAGES, PROJECT_PAGES, ROOT, blocks
from support.script import run_script
from support.shell import environment, invoke

from trustuqa_neo4j import Settings, TrustUQA, errors
from trustuqa_neo4j.cli import mermaid

LANGUAGE = ROOT / "docs" / "language.md"
RUNNING = ROOT / "docs" / "running-queries.md"
SCRIPTS = str(Path(sys.executable).parent)


def run_command(words: str, server: Settings, folder: Path) -> str:
    """What a command prints; one of ours alone needs no process, which takes seconds."""
    if words.startswith(("tuqa ", "tuqa-load ")) and not set("|<>&;$`") & set(words):
        return invoke(server, *shlex.split(words)).output
    return shell(words, server, folder)


def shell(words: str, server: Settings, folder: Path) -> str:
    env = environment(server)
    done = subprocess.run(
        ["sh", "-c", words],
        cwd=folder,
        env=env | {"PATH": f"{SCRIPTS}{os.pathsep}{env['PATH']}"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=300,
        check=False,
    )
    return done.stdout.decode()


SHORT = ("README", "tour", "running-queries", "answers", "pictures", "validation")
CONSOLES = [
    # Each command is a process of its own, so most pages are long.
    pytest.param(page, id=page.stem, marks=() if page.stem in SHORT else pytest.mark.long)
    for page in PAGES
    if blocks(page, "console")
]


@pytest.mark.parametrize("page", CONSOLES)
def test_consoles(
    page: Path,
    server: Settings,
    tuqa: TrustUQA,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Lines that begin with $ are run in turn; ``…`` in what they print stands for anything."""
    folder = tmp_path / "example"
    shutil.copytree(EXAMPLE, folder)
    monkeypatch.chdir(folder)
    for block in blocks(page, "console"):
        assert block.startswith("$ "), block
        for command in re.split(r"^\$ ", block, flags=re.M)[1:]:
            words, _, expected = command.partition("\n")
            pattern = re.escape(expected).replace("…", "[^\n]*")
            said = run_command(words, server, folder)
            assert re.fullmatch(pattern, said), f"$ {words}\n{said}"


def run_python(page: Path) -> None:
    (code,) = blocks(page, "python")
    exec(compile(code, page.name, "exec"), {})


def test_the_tour_of_python(example: TrustUQA, capsys: pytest.CaptureFixture[str]) -> None:
    run_python(ROOT / "README.md")
    assert capsys.readouterr().out == (
        "Pete Conrad – born in – Philadelphia (apollo.tsv, line 68)\n"
        "row 6 – commander – Pete Conrad (missions.csv, line 7)\n"
    )


def test_the_tutorial_has_ten_steps() -> None:
    """Each is one command, or what is done on the page (tests/browser/test_tutorial.py)."""
    text = (ROOT / "docs" / "tour.md").read_text(encoding="utf-8")
    steps = re.findall(r"^## (\d+)\. .*\n((?:(?!## ).*\n)*)", text, re.M)
    assert [int(number) for number, _ in steps] == list(range(1, 11))
    commands = [len(re.findall(r"^(?:\$ |tuqa )", step, re.M)) for _, step in steps]
    assert commands == [1] * 6 + [0] * 4


def examples_of_the_language() -> list[tuple[str, str, str]]:
    """Section, query and answer of each row of a table whose columns end with example and answer."""
    found = []
    for section in LANGUAGE.read_text(encoding="utf-8").split("\n## ")[1:]:
        title = section.partition("\n")[0]
        for table in re.findall(
            r"^\|.*example \| answer \|\n\|[-|]+\n((?:\|.*\n)+)", section, re.M
        ):
            for row in table.splitlines():
                example, answer = row.strip("|").split(" | ")[-2:]
                text = example.strip(" `")
                query = text if re.match(r"\w+\(", text) else f"get_information({text})"
                found.append((title, query, answer.strip()))
    return found


def test_the_examples_of_the_language(apollo: TrustUQA) -> None:
    examples = examples_of_the_language()
    assert len(examples) > 40
    wrong = []
    for title, query, expected in examples:
        dataset = ["apollo", "sites"] if title == "Names" else "apollo"
        source = "missions.csv" if title == "Rows of tables" else None
        answer = apollo.run(query, dataset, source=source)
        if sorted(map(str, answer.values)) != sorted(expected.split(", ")):
            wrong.append((query, expected, answer.values, answer.problems))
    assert wrong == []


def test_the_table_that_the_language_makes(apollo: TrustUQA) -> None:
    answer = apollo.run(Path("hours.txt").read_text(encoding="utf-8"), "apollo")
    assert answer.columns is not None
    assert answer.rows is not None
    lines = [answer.columns, ["---"] * len(answer.columns), *answer.rows]
    table = "\n".join(f"| {' | '.join(map(str, line))} |" for line in lines)
    assert table.replace("| --- | --- | --- |", "|---|---|---|") in LANGUAGE.read_text("utf-8")


def test_the_picture_of_a_query(apollo: TrustUQA) -> None:
    answer = apollo.run(Path("storms.txt").read_text(encoding="utf-8"), "apollo")
    assert blocks(RUNNING, "mermaid") == [mermaid.draw_steps(answer) + "\n"]


def test_the_picture_of_an_answer(apollo: TrustUQA) -> None:
    answer = apollo.run(Path("storms.txt").read_text(encoding="utf-8"), "apollo")
    drawn = (ROOT / "docs" / "pictures" / "storms.svg").read_text(encoding="utf-8")
    assert answer.picture() == drawn


def test_running_from_python(apollo: TrustUQA, capsys: pytest.CaptureFixture[str]) -> None:
    run_python(RUNNING)
    assert capsys.readouterr().out == (
        "David Scott: 536 hours, 22.3 days\n"
        "Eugene Cernan: 493 hours, 20.5 days\n"
        "John Young: 457 hours, 19.0 days\n"
        "by 16 facts, such as missions.csv:4\n"
    )


def test_pictures_in_python(apollo: TrustUQA, capsys: pytest.CaptureFixture[str]) -> None:
    run_python(ROOT / "docs" / "pictures.md")
    assert "└─ step 1 Apollo 11 crew Michael Collins (apollo, apollo.tsv:16)" in (
        capsys.readouterr().out
    )


def test_answers_in_python(apollo: TrustUQA, capsys: pytest.CaptureFixture[str]) -> None:
    run_python(ROOT / "docs" / "answers.md")
    assert (
        "\nstep\n  1.\n    search_node('crew', condition='Apollo 11')\n" in capsys.readouterr().out
    )


GENERATED = ("answers", "language", "mcp", "models", "performance", "serve")


@pytest.mark.parametrize("page", [*(f"docs/{name}.md" for name in GENERATED), "CONTRIBUTING.md"])
def test_tables_are_those_of_the_code_and_the_history(page: str) -> None:
    command = [sys.executable, "-m", "cogapp", "--check", str(ROOT / page)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"cog -r {page} writes it anew\n{done.stdout}"


def test_the_demonstrations_of_the_example(apollo: TrustUQA) -> None:
    lines = (EXAMPLE / "demonstrations.jsonl").read_text(encoding="utf-8").splitlines()
    assert 20 <= len(lines) <= 30
    for line in map(json.loads, lines):
        answer = apollo.run(line["query"], "apollo")
        assert sorted(map(str, answer.values)) == sorted(line["answers"]), line["question"]
        assert not answer.problems, line["question"]


DEMO = {
    "Which nation won the most gold?": "Japan\n",
    "How many gold medals did Kenya win?": "4\n",
    "Who flew on Apollo 15?": "Alfred Worden\nDavid Scott\nJames Irwin\n",
    "When was Apollo 16 launched?": "1972-04-16\n",
    "How many missions aimed at a lunar landing?": "7\n",
    "Which flew longer, Apollo 14 or Apollo 17?": "Apollo 17\n",
    "Which mission was the longest of those that aimed at a lunar landing?": "Apollo 17\n",
    "Who led NASA on 7 December 1972?": "James Fletcher\n",
    "Where was the commander of Apollo 12 born?": "Philadelphia\n",
    "Who led NASA when the mission was launched that landed in the Descartes Highlands?": (
        "James Fletcher\n"
    ),
    "What was the average number of hours in flight of the missions that aimed at a lunar landing?": (
        "236.9\n"
    ),
    "Who commanded the mission after Apollo 9?": "Thomas Stafford\n",
    "Who led NASA on 1 January 1971?": "empty\n",
    "How much did Apollo 11 cost?": "not askable\n",
}


def test_the_demo(server: Settings, tuqa: TrustUQA, tmp_path: Path) -> None:
    """As ``make demo`` runs it, but for Browser, which belongs to the embedded server."""
    shutil.copytree(EXAMPLE, tmp_path / "example")
    lines = (EXAMPLE / "demo.sh").read_text(encoding="utf-8").splitlines()
    kept = [line for line in lines if not line.startswith("show tuqa neo4j browser")]
    assert len(kept) == len(lines) - 1
    said = run_script("\n".join(kept), server, tmp_path / "example")
    asked = re.findall(r'^\$ tuqa ask "(.*)"\n((?:.*\n)*?)\(\d+\.\d s, ', said, re.M)
    assert [question for question, _ in asked] == list(DEMO), said
    for question, told in asked:
        assert told.startswith(DEMO[question]), said
        assert bool(re.search("(apollo|demo-medals), ", told)) == (
            DEMO[question] not in ("empty\n", "not askable\n")
        ), said


def test_nothing_of_the_demo_has_been_shown() -> None:
    """It would be no feat to answer a question that is a demonstration."""
    lines = (EXAMPLE / "demonstrations.jsonl").read_text(encoding="utf-8").splitlines()
    shown = [json.loads(line)["question"] for line in lines]
    assert len(set(shown)) == len(shown)
    assert not set(shown) & set(DEMO)


def test_every_error_has_its_place_in_troubleshooting() -> None:
    import_module("trustuqa_neo4j.server.app")  # it has errors of its own
    own = (kind for kind in _errors(errors.TrustUQAError) if kind.__module__.startswith("trustuqa"))
    kinds = {kind("x").kind for kind in own}  # other tests have classes of their own
    page = (ROOT / "docs" / "troubleshooting.md").read_text(encoding="utf-8")
    headings = re.findall(r"^##+ ([a-z].*)$", page, re.M)
    assert len(set(headings)) == len(headings)
    assert set(headings) == kinds


def _errors(kind: type[errors.TrustUQAError]) -> Iterator[type[errors.TrustUQAError]]:
    for below in kind.__subclasses__():
        yield below
        yield from _errors(below)


def test_make_knows_what_the_pages_name() -> None:
    made = set(re.findall(r"^([\w.-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.M))
    named = {
        page.name: set(re.findall(r"(?:`|^)make ([\w.-]+)", page.read_text("utf-8"), re.M))
        for page in (ROOT / "README.md", ROOT / "CONTRIBUTING.md")
    }
    assert {"demo", "test", "lint", "bench"} <= named["README.md"] <= made
    assert {"install", "release-check"} <= named["CONTRIBUTING.md"] <= made
    lines = re.findall(r"^make (.*)", (ROOT / ".ci" / "run").read_text(encoding="utf-8"), re.M)
    run = {target for line in lines for target in line.split()}
    assert {"lint", "test", "test-browser"} <= run & made


def test_readme_is_short() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 200
    assert len(re.findall(r"^!\[", text, re.M)) == 1


def test_every_page_can_be_reached_from_readme() -> None:
    reached = {ROOT / "README.md"}
    waiting = [*reached]
    while waiting:
        page = waiting.pop()
        links = re.findall(r"\]\(([^):#]+\.md)", page.read_text(encoding="utf-8"))
        pages = {(page.parent / link).resolve() for link in links} - reached
        reached |= pages
        waiting += pages
    assert [page for page in PAGES if page not in reached] == []


def test_figures_of_readme_are_those_of_the_evaluation() -> None:
    evaluation = (ROOT / "docs" / "evaluation.md").read_text(encoding="utf-8")
    total, right, wrong = re.search(  # type: ignore[union-attr]
        r"\| all \((\d+)\) \| [\d, ]+ \| (\d+), (\d+) \|", evaluation
    ).groups()
    answered = re.search(r"\| unanswerable answered \| .* \| (.*) \|", evaluation)[1]  # type: ignore[index]
    rows = re.findall(r"^\| `(?:fit|decide)` \|(.*)\|$", evaluation, re.M)
    parts = [[cell.strip() for cell in row.split("|")] for row in rows]
    precisions = [part[5] for part in parts]
    readme, trust = (
        " ".join(page.read_text(encoding="utf-8").split())
        for page in (ROOT / "README.md", ROOT / "docs" / "trust.md")
    )
    for text in (readme, trust):
        assert f"Of {total} generated questions" in text
        assert f"{right} were answered right and {wrong} wrong" in text
        assert f"{answered} that have no answer was answered" in text
    assert f"({precisions[0].removesuffix(' %')} and {precisions[1]} right)" in readme
    assert "a third of the questions was answered" in readme
    for count, part_right, part_wrong, refused, offered in (map(int, part[:5]) for part in parts):
        assert 0.3 <= (part_right + part_wrong) / count < 0.37
        assert offered > refused


def test_links_lead_somewhere() -> None:
    """To a file, and to a heading of a page if the link names one."""
    for page in [*PAGES, *PROJECT_PAGES]:
        for link in re.findall(r"\]\(([^):]+)\)", page.read_text(encoding="utf-8")):
            path, _, anchor = link.partition("#")
            target = page.parent / path if path else page
            assert target.exists(), f"{page}: {link}"
            assert not anchor or anchor in heading_anchors(target), f"{page}: {link}"


def heading_anchors(page: Path) -> set[str]:
    """The anchors that GitHub gives the headings of a page."""
    outside_code = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)
    headings = re.findall(r"^#+ (.*)$", outside_code, re.M)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}
