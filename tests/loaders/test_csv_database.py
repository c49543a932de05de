"""``sql``: CSV files as a database, with table definitions in any dialect and without."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.items import facts, items, parts, written

from trustuqa_neo4j.errors import MalformedLine, MissingFile, TrustUQAError, UnreadableFile
from trustuqa_neo4j.loading.formats import File, ReadOptions, get_loader
from trustuqa_neo4j.model.facts import ClassDeclared, Item, RelationDeclared
from trustuqa_neo4j.values import ValueOptions

EXPAND = get_loader("sql").expand

SERVER = """
CREATE TABLE Loan
(
\tLoan_Id int NOT NULL ,
\tMember_Id int NULL ,
\tFee money NULL ,
\tDue datetime NULL ,
\t PRIMARY KEY (Loan_Id ASC),
\t FOREIGN KEY (Member_Id) REFERENCES Member(Member_Id),
 FOREIGN KEY (Branch_Id) REFERENCES Branch(Branch_Id)
)

CREATE TABLE Late_Loan
(
\tLoan_Id int NOT NULL ,
\t PRIMARY KEY (Loan_Id ASC),
\t FOREIGN KEY (Loan_Id) REFERENCES Loan(Loan_Id)
)"""
LOANS = "Loan_Id,MEMBER_ID,Fee,Due\r\n1,4,1000.10,2020-05-01\r\n2,,7,\r\n3,9,,"
MEMBERS = "Kind,Name,Kind\r\n4,Ann,adult\r\n5,,child"


def read(
    folder: Path, contents: dict[str, str | bytes], reading: ReadOptions | None = None
) -> list[Item]:
    return items("sql", written(folder, contents), reading)


def readable_facts(result: list[Item]) -> list[tuple[str, str, str, int]]:
    return [
        (
            fact.head.replace("\x1f", ":").replace("\x1e", "#"),
            fact.relation,
            fact.tail.replace("\x1f", ":").replace("\x1e", "#"),
            fact.line,
        )
        for fact in facts(result)
    ]


def remarks(reading: ReadOptions) -> dict[str, list[str]]:
    return {what: remark.places for what, remark in reading.remarks.items()}


def test_definitions_of_sql_server(tmp_path: Path) -> None:
    """No semicolons, tables that are not there, a header that repeats where the key is meant."""
    reading = ReadOptions()
    contents: dict[str, str | bytes] = {
        "d/all.ddl": SERVER, "loan.csv": LOANS, "Member.csv": MEMBERS, "Late_Loan.csv": "Loan_Id\r\n1",
    }  # fmt: skip
    result = read(tmp_path, contents, reading)
    assert readable_facts(result) == [
        ("Late_Loan:1", "type", "Late_Loan", 2), ("Late_Loan:1", "Loan_Id", "1", 2),
        ("Loan:1", "type", "Loan", 2), ("Loan:1", "Loan_Id", "1", 2), ("Loan:1", "Member_Id", "4", 2),
        ("Loan:1", "Fee", "1000.10", 2), ("Loan:1", "Due", "2020-05-01", 2),
        ("Loan:2", "type", "Loan", 3), ("Loan:2", "Loan_Id", "2", 3), ("Loan:2", "Fee", "7", 3),
        ("Loan:3", "type", "Loan", 4), ("Loan:3", "Loan_Id", "3", 4), ("Loan:3", "Member_Id", "9", 4),
        ("Member:4", "type", "Member", 2), ("Member:4", "Member_Id", "4", 2),
        ("Member:4", "Name", "Ann", 2), ("Member:4", "Kind", "adult", 2),
        ("Member:5", "type", "Member", 3), ("Member:5", "Member_Id", "5", 3),
        ("Member:5", "Kind", "child", 3),
        ("Late_Loan:1", "has Loan", "Loan:1", 2),
        ("Loan:1", "has Member", "Member:4", 2),
    ]  # fmt: skip
    assert {part.source: part.file for part in parts(result)} == {
        "Late_Loan": "Late_Loan.csv", "Loan": "loan.csv", "Member": "Member.csv",
    }  # fmt: skip
    assert remarks(reading) == {
        "'Kind' is twice in the header: the first is read as 'Member_Id', the missing key": [
            "Member.csv"
        ],
        "no definition of this table: all its values are text": ["Member.csv"],
        "foreign key to Branch, which is not a table here": ["Loan (Branch_Id)"],
        "foreign key without a row in Member": ["loan.csv:4"],
    }
    relations = {item.name: item for item in result if isinstance(item, RelationDeclared)}
    assert relations["Fee"].datatypes == ("number",)
    assert relations["Due"].datatypes == ("date",)
    assert relations["Name"].datatypes == ()
    assert ClassDeclared("Late_Loan", ("Loan",), ("Member",)) in result


MYSQL = """-- MySQL
CREATE TABLE `member` (
  `id` int(11) NOT NULL AUTO_INCREMENT COMMENT 'the number', `name` varchar(20) DEFAULT NULL,
  `boss` int(11) REFERENCES member(id), PRIMARY KEY (`id`), KEY `n` (`name`)
) ENGINE=InnoDB COMMENT='who borrows';
INSERT INTO member VALUES (1, 'CREATE TABLE x (y int)');
"""
POSTGRES = """SET client_encoding = 'UTF8';
CREATE TABLE public.member (id integer NOT NULL, name character varying(20), boss integer);
COMMENT ON TABLE public.member IS 'who borrows';
COMMENT ON COLUMN public.member.id IS 'the number';
ALTER TABLE ONLY public.member ADD CONSTRAINT pk PRIMARY KEY (id);
ALTER TABLE ONLY public.member
    ADD CONSTRAINT fk FOREIGN KEY (boss) REFERENCES public.member ON DELETE SET NULL;
"""
TSQL = """CREATE TABLE [dbo].[member] (
  [id] [int] IDENTITY(1,1) NOT NULL, [name] [nvarchar](20) NULL, [boss] [int] NULL,
  CONSTRAINT [pk] PRIMARY KEY CLUSTERED ([id] ASC)) ON [PRIMARY]
GO
ALTER TABLE [dbo].[member] WITH CHECK ADD CONSTRAINT [f] FOREIGN KEY([boss]) REFERENCES [dbo].[member] ([id])
GO
"""
ORACLE = """CREATE TABLE member (id NUMBER(10) NOT NULL, name VARCHAR2(20 CHAR), boss NUMBER(10),
  CONSTRAINT pk PRIMARY KEY (id), CONSTRAINT fk FOREIGN KEY (boss) REFERENCES member (id));
"""


@pytest.mark.parametrize("ddl", [MYSQL, POSTGRES, TSQL, ORACLE], ids=["m", "p", "t", "o"])
def test_dialects(tmp_path: Path, ddl: str) -> None:
    result = read(tmp_path, {"a.sql": ddl, "member.csv": "id,name,boss\n1,Ann,\n2,Bob,1\n"})
    assert readable_facts(result)[-1] == ("member:2", "has member", "member:1", 3)
    assert [fact[2] for fact in readable_facts(result) if fact[1] == "name"] == ["Ann", "Bob"]
    if "who borrows" in ddl:
        assert ClassDeclared("member", comment="who borrows") in result
        relations = {item.name: item for item in result if isinstance(item, RelationDeclared)}
        assert relations["id"].comment == "the number"


def test_without_definitions(tmp_path: Path) -> None:
    reading = ReadOptions()
    content = 'A,"two words",a,A_2\n1,"x, y",,z\n,,,\n'
    result = read(tmp_path, {"t.csv": content, "empty.csv": "x,y\n"}, reading)
    assert readable_facts(result) == [
        ("t#2", "type", "t", 2), ("t#2", "A", "1", 2), ("t#2", "two words", "x, y", 2),
        ("t#2", "A_2", "z", 2), ("t#3", "type", "t", 3),
    ]  # fmt: skip
    assert remarks(reading) == {
        "repeated column name, read as 'a_3'": ["t.csv"],
        "no primary key, so rows are identified by their position": ["empty", "t"],
    }
    assert [part.source for part in parts(result)] == ["empty", "t"]


def test_differences_of_files_and_definitions(tmp_path: Path) -> None:
    ddl = "CREATE TABLE Loan_Party (id INT PRIMARY KEY, gone INT); CREATE TABLE alone (id INT);"
    reading = ReadOptions()
    read(
        tmp_path, {"a.ddl": ddl, "Loan_Party.csv": "id,more\n1,2\n", "Alnoe.csv": "x\n1\n"}, reading
    )
    result = remarks(reading)
    del result["no primary key, so rows are identified by their position"]
    assert result == {
        "no definition of this table (did you mean alone? then rename the file): all its values are text": [
            "Alnoe.csv"
        ],
        "columns that are not in the table definition: their values are text": [
            "Loan_Party.csv (more)"
        ],
        "columns of the table definition that are not in the file": ["Loan_Party.csv (gone)"],
        "table definition without a CSV file": ["alone"],
    }


def test_rows_without_a_value_in_their_key(tmp_path: Path) -> None:
    ddl = "CREATE TABLE r (a INT, b DATE, PRIMARY KEY (a, b))"
    reading = ReadOptions()
    result = read(tmp_path, {"a.ddl": ddl, "r.csv": "a,b\n1,\n1,\n1,2020-01-01\n"}, reading)
    assert {fact[0] for fact in readable_facts(result)} == {"r#2", "r#3", "r:1:2020-01-01"}
    assert remarks(reading) == {
        "NULL in the key, so the row is identified by its position": ["r.csv:2", "r.csv:3"]
    }


def test_foreign_keys_compare_numbers_by_value(tmp_path: Path) -> None:
    ddl = (
        "CREATE TABLE a (k DECIMAL(10,2) PRIMARY KEY);"
        "CREATE TABLE b (id INT PRIMARY KEY, k DECIMAL(10,2) REFERENCES a(k));"
    )
    result = read(tmp_path, {"a.ddl": ddl, "a.csv": "k\n1.50\n", "b.csv": "id,k\n7.0,1.5\n"})
    assert readable_facts(result)[-1] == ("b:7", "has a", "a:1.50", 2)


def test_null_words(tmp_path: Path) -> None:
    reading = ReadOptions(values=ValueOptions(null=frozenset({"NULL"})))
    result = read(tmp_path, {"t.csv": "a,b\nNULL,1\n"}, reading)
    assert [fact[1] for fact in readable_facts(result)] == ["type", "b"]


WHOLE = "CREATE TABLE t (id INT PRIMARY KEY, n TEXT)"


@pytest.mark.parametrize(
    ("contents", "kind", "what", "where"),
    [
        ({"t.ddl": WHOLE, "t.csv": "id,n\n1,a\n1,b\n"}, MalformedLine,
         "an earlier row has the same key (id)", "t.csv:3"),
        ({"t.ddl": WHOLE, "t.csv": "id,n\nx,a\n"}, MalformedLine,
         "'x' is not a 64-bit integer, but id is defined as one", "t.csv:2"),
        ({"t.ddl": WHOLE, "t.csv": "id,n\n99999999999999999999,a\n"}, MalformedLine,
         "'99999999999999999999' is not a 64-bit integer", "t.csv:2"),
        ({"t.ddl": WHOLE, "t.csv": "id,n\n1\n"}, MalformedLine,
         "1 cell in this row, but the header has 2", "t.csv:2"),
        ({"t.ddl": "CREATE TABLE t (\n id int,\n n in in in)", "t.csv": "id\n1"}, UnreadableFile,
         "its SQL cannot be parsed", "t.ddl:3"),
        ({"t.ddl": WHOLE}, MissingFile, "table definitions without data", "t.ddl"),
        ({"a/t.csv": "id\n1", "b/T.csv": "id\n1"}, UnreadableFile,
         "a second file of the table 'T'", "a/t.csv and b/T.csv"),
        ({"t.csv": b"PK\x03\x04"}, UnreadableFile, "zip, not CSV", "t.csv"),
        ({"t.csv": ""}, UnreadableFile, "the file is empty", "t.csv"),
    ],
)  # fmt: skip
def test_rejected_files(
    tmp_path: Path,
    contents: dict[str, str | bytes],
    kind: type[TrustUQAError],
    what: str,
    where: str,
) -> None:
    with pytest.raises(kind) as caught:
        read(tmp_path, contents)
    assert caught.value.what.startswith(what)
    assert caught.value.where == where


def test_bad_lines_are_skipped(tmp_path: Path) -> None:
    reading = ReadOptions(skip_bad=2)
    result = read(tmp_path, {"t.ddl": WHOLE, "t.csv": "id,n\n1,a\n1,b\nx,c\n2,d\n"}, reading)
    assert [fact[2] for fact in readable_facts(result) if fact[1] == "n"] == ["a", "d"]
    assert [error.where for error in reading.bad] == ["t.csv:3", "t.csv:4"]


def test_a_folder(tmp_path: Path) -> None:
    written(tmp_path, {"d/a.ddl": WHOLE, "d/t.csv": "id,n\n1,a\n", "d/other.txt": "x"})
    assert EXPAND is not None
    assert [path.name for path in EXPAND(tmp_path / "d")] == ["a.ddl", "t.csv"]
    (tmp_path / "none").mkdir()
    with pytest.raises(UnreadableFile, match="no CSV file in it"):
        EXPAND(tmp_path / "none")


def test_the_order_is_stable(tmp_path: Path) -> None:
    files: list[File] = written(tmp_path, {"t.csv": "a\n3\n1\n2\n", "u.csv": "a\n1\n"})
    once = list(get_loader("sql").read(files, ReadOptions()))
    assert once == list(get_loader("sql").read(files, ReadOptions()))
    assert [fact.tail for fact in facts(once) if fact.relation == "a"] == ["3", "1", "2", "1"]
