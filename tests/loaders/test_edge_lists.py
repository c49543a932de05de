"""Edge lists: which lines are edges and not a table, and the facts that they become."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from support.items import facts, items, written

from trustuqa_neo4j import TrustUQA
from trustuqa_neo4j.errors import MalformedLine, UnreadableFile
from trustuqa_neo4j.loading.format_detection import detect_formats
from trustuqa_neo4j.loading.formats import ReadOptions

ROADS = [("Alm", "Bax"), ("Bax", "Cor"), ("Cor", "Alm"), ("Dun", "Bax")]
IDS = [("0", "1"), ("0", "2"), ("1", "2"), ("2", "0"), ("3", "1")]


def joined(rows: list[tuple[str, ...]], sign: str, head: str = "") -> str:
    return head + "".join(sign.join(row) + "\n" for row in rows)


def weighted(rows: list[tuple[str, str]]) -> list[tuple[str, ...]]:
    return [(*row, f"0.{number}") for number, row in enumerate(rows, 3)]


EDGES = {
    "tab": (joined(IDS, "\t", "# Directed graph\n# FromNodeId\tToNodeId\n"), "source, target; tab"),
    "blanks": (joined(IDS, " ", "% asym positive\n"), "source, target; blanks"),
    "more blanks": (joined(ROADS, "   "), "source, target; blanks"),
    "comma": (joined(IDS, ","), "source, target; comma"),
    "names": (joined(ROADS, ","), "source, target; comma"),
    "weights": (joined(weighted(ROADS), " "), "source, target, weight; blanks"),
    "header": (joined(ROADS, ",", "Source,Target\n"), "Source, Target; comma"),
    "ids below a header": (joined(IDS, "\t", "node_1\tnode_2\n"), "node_1, node_2; tab"),
    "more columns": (
        joined(weighted(IDS), ",", "source,target,length\n"), "source, target, length; comma",
    ),
    "meaning": (joined(ROADS, ",", "town,next town\n"), "town, next town; comma"),
}  # fmt: skip


@pytest.mark.parametrize("name", EDGES)
@pytest.mark.parametrize("file", ["e.csv", "e.txt", "e.edges.gz"])
def test_lines_of_edges_are_a_graph(tmp_path: Path, name: str, file: str) -> None:
    content, description = EDGES[name]
    path = tmp_path / file
    data = content.encode()
    path.write_bytes(gzip.compress(data) if file.endswith("gz") else data)
    (detected,) = detect_formats([str(path)])
    assert (detected.format, detected.description) == ("kg", description)
    is_sure = name in ("header", "ids below a header", "more columns")
    assert detected.alternative == ("" if is_sure else "table")
    pairs = IDS if "0\t1" in content or "0,1" in content or "0 1" in content else ROADS
    result = facts(items("kg", written(tmp_path, {file: path.read_bytes()})))
    assert [(fact.head, fact.tail) for fact in result] == pairs
    relation = "next town" if name == "meaning" else "linked to"
    assert {fact.relation for fact in result} == {relation}


@pytest.mark.parametrize(
    "content",
    [
        "code,name\nDE,Germany\nFR,France\nIT,Italy\nPL,Poland\n",
        "x,y\n1,2\n2,3\n3,4\n4,1\n",
        "smokes,drinks\nyes,no\nno,yes\nno,no\nyes,yes\n",
        "before,after\nill,well\nwell,ill\nill,well\nill,well\nwell,ill\n",
        "from,to,rate\n0,10,5\n10,20,7\n20,30,9\n",
        "From,To,Mayor\n1 May 1990,4 June 1994,Ann\n4 June 1994,2 July 1999,Bob\n2 July 1999,,Cid\n",
        "start,end\n2020-01-01,2020-01-02\n2020-01-02,2020-01-03\n2020-01-03,2020-01-04\n",
        "home,away,goals\nA,B,1\nB,C,2\nC,A,3\nA,C,1\n",
        "1.5,2.5\n2.5,3.5\n3.5,1.5\n",
        "1,2,3\n2,3,1\n3,1,2\n1,3,2\n",
        "source,target\nHund,dog\nKatze,cat\nMaus,mouse\n",
        "a,b\nx,y\n",
    ],
)
def test_two_columns_of_other_things_are_a_table(tmp_path: Path, content: str) -> None:
    path = tmp_path / "t.csv"
    path.write_text(content)
    (detected,) = detect_formats([str(path)])
    assert detected.format == "table"


def test_triples_are_no_edges(tmp_path: Path) -> None:
    rows = [
        ("Ann", "knows", "Bob"),
        ("Bob", "knows", "Cid"),
        ("Cid", "helps", "Ann"),
        ("Dan", "helps", "Bob"),
    ]
    result = facts(items("kg", written(tmp_path, {"t.tsv": joined(rows, "\t")})))
    assert [(f.head, f.relation, f.tail) for f in result] == rows


def test_a_quoted_cell_that_goes_on_in_the_next_line_is_no_edge(tmp_path: Path) -> None:
    result = facts(items("kg", written(tmp_path, {"t.csv": '0,"0\r:",:\n'})))
    assert [(f.head, f.relation, f.tail) for f in result] == [("0", "0\r:", ":")]


def test_facts_of_edges(tmp_path: Path) -> None:
    options = ReadOptions()
    content = (
        '# roads\n\nsource,target,km,via\nAlm,"Bax, Old",12,\n# closed\n"Bax, Old",Alm,7,hill\n'
    )
    result = facts(items("kg", written(tmp_path, {"r.csv": content}), options))
    assert [(f.head, f.relation, f.tail, f.line, f.qualifiers) for f in result] == [
        ("Alm", "linked to", "Bax, Old", 4, (("km", "12"),)),
        ("Bax, Old", "linked to", "Alm", 6, (("km", "7"), ("via", "hill"))),
    ]
    assert list(options.remarks) == [
        "an edge list: each line is a fact 'linked to' that leads from source to target"
    ]


def test_two_columns_of_names_are_edges_if_the_user_says_so(tmp_path: Path) -> None:
    with pytest.raises(UnreadableFile, match="has three columns"):
        items("kg", written(tmp_path, {"m.csv": "town,rain\nAlm,16\nBax,20\n"}))
    result = facts(items("kg", written(tmp_path, {"r.csv": "code,name\nDE,Germany\nFR,France\n"})))
    assert [(f.head, f.relation, f.tail) for f in result] == [
        ("DE", "name", "Germany"), ("FR", "name", "France"),
    ]  # fmt: skip


def test_a_bad_line(tmp_path: Path) -> None:
    files = written(tmp_path, {"r.txt": joined(IDS * 5, " ") + "7\n8 9\n"})
    with pytest.raises(MalformedLine, match=r"not an edge: 1 cell where 2 are needed, r\.txt:26"):
        items("kg", files)
    assert len(facts(items("kg", files, ReadOptions(skip_bad=1)))) == 26


def test_both_ends_are_asked(tuqa: TrustUQA, tmp_path: Path) -> None:
    path = tmp_path / "roads.csv"
    path.write_text(joined(weighted(ROADS), ",", "source,target,weight\n"))
    tuqa.load(path, dataset="roads", embeddings=False)
    query = "get_information(head_entity='Bax', relation='linked to')"
    assert tuqa.run(query, "roads").values == ("Cor",)
    query = "get_information(relation='linked to', tail_entity='Bax')"
    assert set(tuqa.run(query, "roads").values) == {"Alm", "Dun"}
