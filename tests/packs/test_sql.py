"""ACME as tables: what its files and definitions come to, and joins over them against SQLite's own."""

from __future__ import annotations

import csv
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from trustuqa_neo4j import TrustUQA
from trustuqa_neo4j.loading.request import LoadReport

pytestmark = pytest.mark.packs

NAME = "acme, tables"


@pytest.fixture(scope="module")
def acme(client: TrustUQA, packs: Path) -> Iterator[LoadReport]:
    folder = packs / "acme"
    yield client.load("sql", folder / "DDL", folder / "data", dataset=NAME, embeddings=False)
    client.drop(NAME)


@pytest.fixture(scope="module")
def tables(packs: Path) -> sqlite3.Connection:
    """The files as they stand, in a database of the test's own."""
    connection = sqlite3.connect(":memory:")
    for path in (packs / "acme" / "data").glob("*.csv"):
        with path.open(newline="") as file:
            header, *rows = csv.reader(file)
        if path.stem == "Agreement":
            header[0] = "Agreement_Identifier"
        columns = ", ".join(f'"{name}"' for name in header)
        connection.execute(f"CREATE TABLE {path.stem} ({columns})")
        places = ", ".join("?" * len(header))
        connection.executemany(f"INSERT INTO {path.stem} VALUES ({places})", rows)
    return connection


def test_counts(acme: LoadReport, tables: sqlite3.Connection) -> None:
    names = [name for (name,) in tables.execute("SELECT name FROM sqlite_master")]
    assert (len(names), acme.sources) == (29, 29)
    values = 0
    rows = 0
    for name in names:
        for row in tables.execute(f"SELECT * FROM {name}"):
            rows += 1
            values += sum(cell != "" for cell in row)
    links = 68
    assert acme.facts == values + rows + links


def test_the_repair_is_reported(acme: LoadReport) -> None:
    (remark,) = [what for what in acme.remarks if "is twice in the header" in what]
    assert remark == (
        "'Agreement_Type_Code' is twice in the header: the first is read as "
        "'Agreement_Identifier', the missing key"
    )


def run(client: TrustUQA, name: str, columns: str) -> list[tuple[str, ...]]:
    answer = client.run(
        f"Query1: \"get_information(relation='type', tail_entity='{name}')\"\n"
        f'Query2: "get_table(head_entity=output_of_query1, columns={columns})"',
        NAME,
    )
    assert answer.rows is not None, answer
    return sorted(tuple(map(str, row)) for row in answer.rows)


def test_joins_along_foreign_keys(
    acme: LoadReport, client: TrustUQA, tables: sqlite3.Connection
) -> None:
    rows = run(
        client, "Claim",
        "['Company_Claim_Number', 'has Catastrophe > Catastrophe_Name', '^has Claim#1 > Claim_Amount',"
        " '^has Claim#2 > has Policy_Coverage_Detail > Policy_Identifier']",
    )  # fmt: skip
    expected = tables.execute(
        "SELECT Company_Claim_Number, Catastrophe_Name, Claim_Amount, d.Policy_Identifier FROM Claim c"
        " JOIN Catastrophe t ON t.Catastrophe_Identifier = c.Catastrophe_Identifier"
        " JOIN Claim_Amount a ON a.Claim_Identifier = c.Claim_Identifier"
        " JOIN Claim_Coverage v ON v.Claim_Identifier = c.Claim_Identifier"
        " JOIN Policy_Coverage_Detail d ON d.Effective_Date = v.Effective_Date"
        " AND d.Policy_Coverage_Detail_Identifier = v.Policy_Coverage_Detail_Identifier"
    )
    assert rows == sorted(expected.fetchall())
    assert len(rows) == 8


def test_joins_over_a_repaired_key(
    acme: LoadReport, client: TrustUQA, tables: sqlite3.Connection
) -> None:
    rows = run(
        client, "Policy",
        "['Policy_Number', 'has Agreement > Agreement_Name',"
        " 'has Agreement > ^has Agreement > has Party_Role > Party_Role_Name']",
    )  # fmt: skip
    expected = tables.execute(
        "SELECT Policy_Number, Agreement_Name, Party_Role_Name FROM Policy p"
        " JOIN Agreement a ON a.Agreement_Identifier = p.Policy_Identifier"
        " JOIN Agreement_Party_Role r ON r.Agreement_Identifier = a.Agreement_Identifier"
        " JOIN Party_Role o ON o.Party_Role_Code = r.Party_Role_Code"
    )
    assert rows == sorted(expected.fetchall())
    assert len(rows) == 4


def test_joins_by_value_without_a_foreign_key(
    acme: LoadReport, client: TrustUQA, tables: sqlite3.Connection
) -> None:
    """Loss_Payment points to a table that is not there; the identifier is the same value nevertheless."""
    rows = run(
        client, "Loss_Payment",
        "['Claim_Amount_Identifier > ^Claim_Amount_Identifier > Claim_Amount']",
    )  # fmt: skip
    expected = tables.execute(
        "SELECT Claim_Amount FROM Loss_Payment l"
        " JOIN Claim_Amount a ON a.Claim_Amount_Identifier = l.Claim_Amount_Identifier"
    )
    assert rows == sorted(expected.fetchall())


def test_evidence_has_file_and_line(acme: LoadReport, client: TrustUQA) -> None:
    query = "get_information(relation='Catastrophe_Name', tail_entity='Fire', key='type')"
    answer = client.run(query, NAME)
    assert answer.values == ("Catastrophe",)
    assert {(Path(fact.file).name, fact.line) for fact in answer.evidence} == {
        ("Catastrophe.csv", 5)
    }
