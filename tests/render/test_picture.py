"""Pictures of evidence: golden SVGs, shapes and letters, links, limits, and data that is only text."""

from __future__ import annotations

import json
import re
import sys
import tempfile
import types
import webbrowser
import xml.etree.ElementTree as ET
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.answers import ASKED, NOT_ASKABLE, ODD, TABLE, evidence

from trustuqa_neo4j import Answer
from trustuqa_neo4j.answer import Evidence, Stage
from trustuqa_neo4j.errors import UsageError
from trustuqa_neo4j.render.evidence_graph import MAX_ANSWERS, MAX_FACTS
from trustuqa_neo4j.render.picture import KINDS, Picture, cut_text, text_width, wrap_text

GOLDEN = Path(__file__).parent / "pictures"
SVG = "{http://www.w3.org/2000/svg}"


def step(number: int, text: str, *members: str, uses: tuple[int, ...] = ()) -> Stage:
    return Stage(
        "execute", text, f"step {number}: {len(members)} nodes", 1.0, (), number, uses, members
    )


def fact(number: int, head: str, relation: str, tail: str, line: int, **fields: Any) -> Evidence:
    return Evidence(
        head, relation, tail, "moon", "moon.tsv", "moon.tsv", line, step=number, **fields
    )


ONE_FACT = Answer(
    "answered",
    values=("Tycho",),
    evidence=(fact(1, "Surveyor 7", "landing site", "Tycho", 4),),
    evidence_total=1,
    trace=(step(1, "search_node('landing site', condition='Surveyor 7')", "Tycho"),),
    question="where did Surveyor 7 land?",
)
PATH = Answer(
    "answered",
    values=("Thomas Paine",),
    evidence=(
        fact(1, "Apollo 12", "landing site", "Ocean of Storms", 26),
        fact(2, "row 6", "launched", "1969-11-14", 7, head_kind="row", tail_kind="value"),
        fact(3, "NASA", "administrator", "Thomas Paine", 4, start="1969-03-21", end="1970-09-15"),
    ),
    evidence_total=3,
    trace=(
        step(1, "search_condition('landing site', 'Ocean of Storms')", "Apollo 12"),
        step(2, "search_node('launched', condition=output_of_query1)", "1969-11-14", uses=(1,)),
        step(3, "search_node('administrator', condition='NASA', time=…)", "Thomas Paine", uses=(2,)),
    ),
)  # fmt: skip
SETS = Answer(
    "answered",
    values=("David Scott",),
    evidence=(
        fact(1, "Apollo 9", "crew", "David Scott", 6),
        fact(2, "Apollo 15", "crew", "David Scott", 38),
    ),
    evidence_total=2,
    trace=(
        step(1, "search_node('crew', condition='Apollo 9')", "David Scott", "Rusty Schweickart"),
        step(2, "search_node('crew', condition='Apollo 15')", "David Scott", "James Irwin"),
        step(3, "set_intersection(output_of_query1, output_of_query2)", "David Scott", uses=(1, 2)),
    ),
)
COUNT = Answer(
    "answered",
    values=(100,),
    evidence=tuple(
        fact(1, f"row {n}", "population", str(1000 + n), n, head_kind="row", tail_kind="value")
        for n in range(1, 81)
    ),
    evidence_total=100,
    trace=(
        step(1, "search_condition('population', node2 > '0')", "row 1", "row 2", "row 3"),
        step(2, "count(output_of_query1)", "100", uses=(1,)),
    ),
)
HYPEREDGE = Answer(
    "answered",
    values=("Columbia",),
    evidence=(
        fact(1, "Apollo 11 flown by Collins", "module", "Columbia", 9, head_kind="hyperedge",
             inferred="Collins flew Columbia, since module is flown"),
    ),
    evidence_total=1,
    trace=(step(1, "search_node('flown by', qualifier='module')", "Columbia"),),
)  # fmt: skip
EMPTY = Answer("empty", trace=(step(1, "search_node('landing site', condition='Apollo 8')"),))
CASES = {
    "one_fact": ONE_FACT,
    "path": PATH,
    "sets": SETS,
    "hyperedge": HYPEREDGE,
    "empty": EMPTY,
}


def parse(answer: Answer) -> ET.Element:
    return ET.fromstring(answer.picture())


def texts(picture: ET.Element) -> list[str]:
    return ["".join(part.itertext()) for part in picture.iter(f"{SVG}text")]


def kinds(picture: ET.Element) -> list[str]:
    """The kind of each node, without those of the legend."""
    return [
        part.attrib["class"]
        for part in picture.iter()
        if part.get("class") in KINDS and "aria-hidden" not in part.attrib
    ]


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("suffix", ["svg", "mmd", "dot", "txt"])
def test_small_pictures_are_as_committed(name: str, suffix: str) -> None:
    answer = CASES[name]
    drawn = {
        "svg": lambda: answer.picture(),
        "mmd": lambda: answer.picture(format="mermaid"),
        "dot": lambda: answer.picture(format="dot"),
        "txt": lambda: answer.to_text(tree=True) + "\n",
    }[suffix]()
    assert drawn == (GOLDEN / f"{name}.{suffix}").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "answer", [*CASES.values(), COUNT, ASKED, TABLE, NOT_ASKABLE, Answer("failed")]
)
def test_pictures_are_read_aloud(answer: Answer) -> None:
    picture = parse(answer)
    title, description = picture.find(f"{SVG}title"), picture.find(f"{SVG}desc")
    assert title is not None
    assert description is not None
    assert title.text
    assert (description.text or "").startswith("Answer: ")
    assert picture.get("aria-labelledby") == f"{title.get('id')} {description.get('id')}"
    for link in picture.iter(f"{SVG}a"):
        assert link.findtext(f"{SVG}title")


@pytest.mark.parametrize("answer", [*CASES.values(), COUNT, ASKED])
def test_links_lead_to_rows_of_the_table(answer: Answer) -> None:
    picture = parse(answer)
    rows = {f"#{part.get('id')}" for part in picture.iter(f"{SVG}g") if part.get("class") == "fact"}
    links = {link.get("href") for link in picture.iter(f"{SVG}a")}
    assert rows == {f"#fact-{n}" for n in range(1, min(len(answer.evidence), MAX_FACTS) + 1)}
    assert links == rows


def test_each_kind_has_a_letter_and_a_shape() -> None:
    assert len({letter for letter, _ in KINDS.values()}) == len(KINDS)
    shapes = {}
    for answer in (
        PATH,
        HYPEREDGE,
        replace(COUNT, trace=(*COUNT.trace, step(3, "sqrt", "10", uses=(2,)))),
    ):
        for part in parse(answer).iter():
            if part.get("class") in KINDS and "aria-hidden" not in part.attrib:
                outline = tuple(
                    (child.tag, child.get("rx")) for child in part if child.get("class") == "shape"
                )
                shapes[part.attrib["class"]] = outline
    assert shapes.keys() == KINDS.keys()
    assert len(set(shapes.values())) == len(KINDS)


def test_a_path_goes_from_left_to_right() -> None:
    assert kinds(parse(PATH)) == ["entity", "entity", "row", "value", "entity", "entity", "answer"]
    assert PATH.to_text(tree=True).splitlines()[1:] == [
        "tree",
        "  Thomas Paine",
        "  ├─ step 3 NASA administrator Thomas Paine [1969-03-21 – 1970-09-15] (moon, moon.tsv:4)",
        "  ├─ step 2 row 6 launched 1969-11-14 (moon, moon.tsv:7)",
        "  └─ step 1 Apollo 12 landing site Ocean of Storms (moon, moon.tsv:26)",
    ]


def test_nodes_with_one_name_stay_apart_by_their_keys() -> None:
    facts = (
        fact(1, "Odyssey", "maker", "North American", 1, head_key="craft/1"),
        fact(1, "Odyssey", "maker", "Lockheed", 2, head_key="craft/2"),
    )
    answer = replace(ONE_FACT, values=("Lockheed", "North American"), evidence=facts)
    assert texts(parse(answer)).count("Odyssey") == 2
    same = replace(answer, evidence=tuple(replace(each, head_key="craft/1") for each in facts))
    assert texts(parse(same)).count("Odyssey") == 1


def test_a_page_with_a_table_of_facts_has_the_picture_without_one() -> None:
    picture = COUNT.picture(table=False)
    root = ET.fromstring(picture)
    assert 'href="#fact-1"' in picture
    assert 'id="fact-' not in picture
    assert "… 40 more" not in texts(root)
    assert float(root.get("height", 0)) < float(parse(COUNT).get("height", 0))


def test_long_answers_are_cut_and_say_so() -> None:
    shown = texts(parse(COUNT))
    assert sum(text.startswith("row ") and " " not in text[4:] for text in shown) == MAX_FACTS
    assert "… 40 more" in shown
    assert '"40 more facts are not drawn"' in COUNT.picture(format="mermaid")
    assert '"40 more facts are not drawn"' in COUNT.picture(format="dot")
    assert COUNT.to_text(tree=True).splitlines()[-1] == "  … 40 more facts"
    many = replace(ONE_FACT, values=tuple(f"v{n}" for n in range(50)))
    assert kinds(parse(many)).count("answer") == MAX_ANSWERS + 1
    assert "… 30 more" in texts(parse(many))


def test_a_text_that_is_too_long_is_cut_to_its_width() -> None:
    assert cut_text("short", 100) == "short"
    assert cut_text("wide " * 50, 100).endswith("…")
    for text in ("iiii" * 40, "MMMM" * 40, "月球" * 40, "e\u0301" * 80):
        assert text_width(cut_text(text, 100)) <= 100
    assert wrap_text("find the mission that landed there", 100, 2) == [
        "find the",
        "mission that…",
    ]


@pytest.mark.parametrize("odd", ODD)
def test_data_stays_text(odd: str) -> None:
    answer = replace(
        ASKED,
        question=odd,
        values=(odd,),
        evidence=(evidence(odd, odd), replace(evidence(odd), relation=odd, file=odd, start=odd)),
    )
    picture = answer.picture()
    assert {part.tag.removeprefix(SVG) for part in ET.fromstring(picture).iter()} <= {
        "svg", "title", "desc", "style", "rect", "path", "polygon", "line", "text", "tspan", "g", "a",
    }  # fmt: skip
    for control in "\x00\x07\x1b\x7f\x9b\u202e\u2066\u2028\ud800":
        assert control not in picture
    answer.picture(format="mermaid").encode()
    answer.picture(format="dot").encode()


def is_quoted(text: str) -> bool:
    """Whether each line of a DOT or Mermaid text ends outside of quotes."""
    return all(len(re.findall(r'(?<!\\)(?:\\\\)*"', line)) % 2 == 0 for line in text.splitlines())


@given(st.text(), st.text(), st.text(), st.text())
def test_no_data_breaks_a_picture(head: str, relation: str, tail: str, value: str) -> None:
    answer = Answer(
        "answered",
        values=(value,),
        evidence=(fact(1, head, relation, tail, 1, start=value), fact(2, tail, relation, head, 2)),
        question=head,
        trace=(step(1, relation, value), step(2, value, tail, uses=(1,))),
    )
    picture = answer.picture()
    assert ET.fromstring(picture.encode("utf-8")).tag == f"{SVG}svg"
    dot, mermaid = answer.picture(format="dot"), answer.picture(format="mermaid")
    assert is_quoted(dot)
    assert is_quoted(mermaid)
    assert len(dot.splitlines()) == dot.count("\n") == dot.count(";\n") + 2


Box = tuple[float, float, float, float]


def node_boxes(picture: ET.Element) -> list[Box]:
    """Left, top, width and height of each node; entities and answers have rectangles."""
    return [
        tuple(float(shape.attrib[name]) for name in ("x", "y", "width", "height"))  # type: ignore[misc]
        for node in picture.iter()
        if node.get("class") in KINDS and "aria-hidden" not in node.attrib
        for shape in node.findall(f"{SVG}rect")[:1]
    ]


def overlap(first: Box, second: Box) -> bool:
    across = first[0] < second[0] + second[2] and second[0] < first[0] + first[2]
    return across and first[1] < second[1] + second[3] and second[1] < first[1] + first[3]


NAMES = st.sampled_from(["a", "b", "c", "d"])


@given(
    st.lists(st.tuples(st.integers(1, 4), NAMES, NAMES), max_size=12),
    st.lists(NAMES, max_size=3),
    st.lists(st.sets(st.integers(1, 4), max_size=3), min_size=4, max_size=4),
)
def test_every_fact_is_drawn_once(
    facts: list[tuple[int, str, str]], values: list[str], uses: list[set[int]]
) -> None:
    answer = Answer(
        "answered" if values else "empty",
        values=tuple(values),
        evidence=tuple(fact(n, head, "r", tail, 1) for n, head, tail in facts),
        trace=tuple(
            step(n, "search_node('r')", *values[:1], uses=tuple(k for k in sorted(used) if k < n))
            for n, used in enumerate(uses, 1)
        ),
    )
    picture = parse(answer)
    edges = [link.get("href") for link in picture.iter(f"{SVG}a") if link.get("tabindex") == "-1"]
    assert sorted(edges, key=str) == sorted(
        (f"#fact-{n}" for n in range(1, len(facts) + 1)), key=str
    )
    assert answer.to_text(tree=True)
    width, height = (float(picture.attrib[name]) for name in ("width", "height"))
    boxes = node_boxes(picture)
    assert all(x >= 0 and x + w <= width and y >= 0 and y + h <= height for x, y, w, h in boxes)
    assert not any(overlap(first, second) for first, second in combinations(boxes, 2))


def test_a_picture_of_an_answer_without_steps() -> None:
    old = Answer.from_dict(
        {"outcome": "answered", "values": ["rye"], "evidence_total": 1,
         "evidence": [{"head": "Ada", "relation": "bakes", "tail": "rye", "dataset": "town",
                       "source": "b", "file": "b.csv", "line": 3}]}
    )  # fmt: skip
    assert [text for text in texts(parse(old)) if text in ("Ada", "bakes", "rye")] == [
        "bakes", "Ada", "rye", "rye",
    ]  # fmt: skip


def test_unknown_formats_are_refused() -> None:
    with pytest.raises(UsageError) as raised:
        ONE_FACT.picture(format="png")  # type: ignore[arg-type]
    assert str(raised.value) == "no picture of the format 'png'\nhint: take svg or mermaid or dot"


def test_a_picture_shows_itself_in_a_notebook(monkeypatch: pytest.MonkeyPatch) -> None:
    picture = ONE_FACT.picture()
    assert isinstance(picture, Picture)
    assert picture._repr_svg_() == picture
    displayed: list[object] = []
    notebook = types.ModuleType("IPython")
    notebook.get_ipython = lambda: types.SimpleNamespace(kernel=1)  # type: ignore[attr-defined]
    display = types.ModuleType("IPython.display")
    display.display = displayed.append  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "IPython", notebook)
    monkeypatch.setitem(sys.modules, "IPython.display", display)
    ONE_FACT.show()
    assert displayed == [picture]


def test_a_picture_opens_in_the_browser(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    opened: list[str] = []
    monkeypatch.setitem(sys.modules, "IPython", None)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(webbrowser, "open", opened.append)
    ONE_FACT.show()
    (file,) = tmp_path.iterdir()
    assert opened == [file.as_uri()]
    assert file.read_text(encoding="utf-8") == ONE_FACT.picture()


def test_an_answer_read_from_json_has_the_same_picture() -> None:
    again = Answer.from_dict(json.loads(json.dumps(PATH.to_dict())))
    assert again.picture() == PATH.picture()
