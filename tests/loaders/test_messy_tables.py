"""``table``: tables as people make them, each with the header, types and cells that a person reads in it."""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

import pytest
from support.tables import Shown, xlsx

from trustuqa_neo4j.errors import TrustUQAError
from trustuqa_neo4j.graph.connection import Connection
from trustuqa_neo4j.loading.formats import File, get_loader
from trustuqa_neo4j.loading.load import load
from trustuqa_neo4j.loading.preview import TablePreview
from trustuqa_neo4j.loading.request import LoadReport, LoadRequest, Progress
from trustuqa_neo4j.loading.table_options import NO_HEADER, TableOptions
from trustuqa_neo4j.values import ValueOptions


@dataclass(frozen=True)
class Messy:
    """``columns`` and ``types`` are read; ``cells`` are those of the first row, and ``rows`` their number.

    ``option`` is named by a note, if only an option makes the table right. ``missing`` cells are no facts.
    """

    content: str | bytes
    columns: str
    types: str
    cells: str
    rows: int
    option: str = ""
    missing: int = 0


def unneeded() -> AbstractContextManager[Connection]:
    raise AssertionError("a dry run of a new dataset needs no server")


def preview(
    path: Path,
    content: str | bytes,
    table: TableOptions | None = None,
    values: ValueOptions | None = None,
) -> LoadReport:
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    request = LoadRequest(
        get_loader("table"),
        (),
        "d",
        given=(File(path, path.name),),
        values=values or ValueOptions(),
        table=table or TableOptions(),
        dry_run=True,
    )
    return load(unneeded, request, Progress())


def read_parts(table: TablePreview) -> tuple[str, str, str, int]:
    return (
        " | ".join(column.name for column in table.columns),
        " ".join(column.type for column in table.columns),
        " | ".join(table.first_rows[0]),
        table.rows,
    )


TITLE = "Umsatz je Filiale\nStand: 31.12.2023\n\n"
PEOPLE = "name,city,age\nAnn,Paris,30\nBob,Rome,20\n"

CASES = {
    "title lines": Messy(
        TITLE + "Filiale;Ort;Umsatz\nA1;Köln;1.200,50\nB2;Bonn;2.000\n",
        "Filiale | Ort | Umsatz", "text text number", "A1 | Köln | 1.200,50", 2,
    ),
    "a title with delimiters, as spreadsheets save it": Messy(
        "Umsatz je Filiale;;\n;;\nFiliale;Ort;Umsatz\nA1;Köln;12,5\n",
        "Filiale | Ort | Umsatz", "text text number", "A1 | Köln | 12,5", 1,
    ),
    "a title with a comma": Messy(
        "Customers, all branches\n" + PEOPLE, "name | city | age", "text text number",
        "Ann | Paris | 30", 2,
    ),
    "words and what they say above the header": Messy(
        "Report;Sales;;\nCreated;2024-01-05;;\n;;;\nid;region;units;price\n1;North;3;2.50\n2;South;4;1.25\n",
        "id | region | units | price", "number text number number", "1 | North | 3 | 2.50", 2,
    ),
    "blank lines": Messy(
        "\n\nname,age\n\nAnn,30\n\n\nBob,20\n", "name | age", "text number", "Ann | 30", 2,
    ),
    "a total row": Messy(
        "region,sales\nNorth,3\nSouth,4\nTotal,7\n", "region | sales", "text number", "North | 3", 2,
    ),
    "semicolons and decimal commas": Messy(
        "Artikel;Preis;Menge\nSchraube;0,15;1.000\nMutter;1,5;2.000\n",
        "Artikel | Preis | Menge", "text number number", "Schraube | 0,15 | 1.000", 2,
    ),
    "German dates": Messy(
        "Name;Geburtstag\nAnna;03.04.1990\nBert;25.12.1985\n",
        "Name | Geburtstag", "text date", "Anna | 03.04.1990", 2,
    ),
    "two header rows with merged cells": Messy(
        "Region;2022;;2023;\n;Umsatz;Kosten;Umsatz;Kosten\nNord;10;8;12;9\nSüd;20;15;22;16\n",
        "Region | 2022 Umsatz | 2022 Kosten | 2023 Umsatz | 2023 Kosten",
        "text number number number number", "Nord | 10 | 8 | 12 | 9", 2,
    ),
    "a title above two header rows, in a workbook": Messy(
        xlsx({"S": [
            ["Quarterly sales", None, None, None, None],
            [None] * 5,
            ["Region", "Q1", None, "Q2", None],
            [None, "units", "EUR", "units", "EUR"],
            ["North", 3, 10.5, 4, 12],
            ["South", 1, 2.5, 2, 5],
        ]}),
        "Region | Q1 units | Q1 EUR | Q2 units | Q2 EUR", "text number number number number",
        "North | 3 | 10.5 | 4 | 12", 2,
    ),
    "a table that begins in the middle of a sheet": Messy(
        xlsx({"S": [
            [None] * 4,
            [None, "name", "city", "age"],
            [None, "Ann", "Paris", 30],
            [None, "Bob", "Rome", 20],
        ]}),
        "name | city | age", "text text number", "Ann | Paris | 30", 2,
    ),
    "percent formats": Messy(
        xlsx({"S": [["item", "share"], ["a", Shown(0.125, "0.0%")], ["b", Shown(0.07, "0%")]]}),
        "item | share", "text number", "a | 12.5%", 2,
    ),
    "currency formats": Messy(
        xlsx({"S": [
            ["item", "price"],
            ["a", Shown(1200.5, '#,##0.00\\ "€"')],
            ["b", Shown(-3, "#,##0.00 [$€-407]")],
        ]}),
        "item | price", "text number", "a | 1,200.50 €", 2,
    ),
    "postal codes by format": Messy(
        xlsx({"S": [["town", "code"], ["a", Shown(1067, "00000")], ["b", Shown(80331, "00000")]]}),
        "town | code", "text text", "a | 01067", 2,
    ),
    "dates with a time of day, in a workbook": Messy(
        xlsx({"S": [["what", "when"], ["a", 25267.5], ["b", 25268.25]]}, dated=1),
        "what | when", "text date", "a | 1969-03-05 12:00:00", 2,
    ),
    "dates with a time of day": Messy(
        "what,when\na,2024-01-05 14:30\nb,2024-01-06 09:15\n",
        "what | when", "text date", "a | 2024-01-05 14:30", 2,
    ),
    "a byte-order mark and carriage returns": Messy(
        "\ufeffname;age\r\nAnn;30\r\n", "name | age", "text number", "Ann | 30", 1,
    ),
    "an old encoding": Messy(
        "Straße;Größe\nHauptstraße;3\n".encode("cp1252"), "Straße | Größe", "text number",
        "Hauptstraße | 3", 1,
    ),
    "line breaks in quotes": Messy(
        'name,address,age\nAnn,"Main St 1\nParis",30\nBob,"Via 2\nRome",20\n',
        "name | address | age", "text text number", "Ann | Main St 1\nParis | 30", 2,
    ),
    "units in the header": Messy(
        "item,weight [kg],price (EUR)\na,1.5,3\nb,2,4.25\n",
        "item | weight [kg] | price (EUR)", "text number number", "a | 1.5 | 3", 2,
    ),
    "thousands separators": Messy(
        'town,people,area\nA,"1,234,567",1 200\nB,"2,345",3 400\n',
        "town | people | area", "text number number", "A | 1,234,567 | 1 200", 2,
    ),
    "several values in a cell": Messy(
        "name,interests\nAnn,Sport; Music\nBob,Music\nCid,Sport; Film\nDan,Film\n",
        "name | interests", "text text", "Ann | Sport | Music", 4, "split={'interests': ';'}",
    ),
    "empty columns": Messy(
        "name;age;;\nAnn;30;;\nBob;20;;\n", "name | age", "text number", "Ann | 30", 2,
    ),
    "equal headers": Messy(
        "client,total,total\nA,1,2\n", "client | total | total_2", "text number number", "A | 1 | 2", 1,
    ),
    "an index without a name": Messy(
        ",name,age\n0,Ann,30\n1,Bob,20\n", "column 1 | name | age", "number text number", "0 | Ann | 30", 2,
    ),
    "numbers of rows that the header does not name": Messy(
        '"name","age"\n"1","Ann",30\n"2","Bob",20\n', "column 1 | name | age", "number text number",
        "1 | Ann | 30", 2,
    ),
    "a delimiter at the end of each row alone": Messy(
        "name,age\nAnn,30,\nBob,20,\n", "name | age", "text number", "Ann | 30", 2,
    ),
    "footnotes": Messy(
        "land,people,year\nA,5,2020\nB,7*,2021\n\n* estimated\nSource: statistics office\n",
        "land | people | year", "text number year", "A | 5 | 2020", 2,
    ),
    "a footnote in the first of several cells": Messy(
        "land,people,year\nA,5,2020\nB,7,2021\n,,\nSource: statistics office,,\n",
        "land | people | year", "text number year", "A | 5 | 2020", 2,
    ),
    "the line that tells Excel the delimiter": Messy(
        "sep=;\nname;height\nAnn;1,70\nBob;1,85\n", "name | height", "text number", "Ann | 1,70", 2,
    ),
    "years as columns, below a title": Messy(
        "Population in millions,,\nland,2020,2021\nA,1.5,1.6\nB,2.25,2.5\n",
        "land | 2020 | 2021", "text number number", "A | 1.5 | 1.6", 2,
    ),
    "negative amounts in brackets and with a minus": Messy(
        'entry,amount\na,"(1,200.50)"\nb,−3\nc,$ 5\n', "entry | amount", "text number",
        "a | (1,200.50)", 3,
    ),
    "tabs below a title": Messy(
        "Weather stations\n\nstation\theight\tsince\nA\t12.5\t1999-05-01\nB\t7\t2001-01-31\n",
        "station | height | since", "text number date", "A | 12.5 | 1999-05-01", 2,
    ),
    "a header alone below a long title": Messy(
        "All our branches with their towns and managers\nbranch;town;manager\nA;Köln;Ann\nB;Bonn;Bob\n",
        "branch | town | manager", "text text text", "A | Köln | Ann", 2,
    ),
    "a delimiter at the end of each line": Messy(
        "name|age|\nAnn|30|\nBob|20|\n", "name | age", "text number", "Ann | 30", 2,
    ),
    "a blank after each comma": Messy(
        "name, age\nAnn, 30\nBob, 20\n", "name | age", "text number", "Ann |  30", 2,
    ),
    "quotes around everything": Messy(
        '"Sales, all branches"\n\n"id","amount"\n"1","1,200.50"\n"2","3.25"\n', "id | amount",
        "number number", "1 | 1,200.50", 2,
    ),
    "a header over two lines of a cell": Messy(
        'name,"height\n[cm]"\nAnn,170\n', "name | height [cm]", "text number", "Ann | 170", 1,
    ),
    "a title in a workbook, right above the header": Messy(
        xlsx({"S": [["Members 2024", None, None], ["name", "since", "fee"], ["Ann", "1999-05-03", 12.5]]}),
        "name | since | fee", "text date number", "Ann | 1999-05-03 | 12.5", 1,
    ),
    "labels merged over rows": Messy(
        xlsx(
            {"S": [["region", "shop", "sales"], ["North", "a", 1], [None, "b", 2], ["South", "c", 3]]},
            merged=("A2:A3",),
        ),
        "region | shop | sales", "text text number", "North | a | 1", 3,
    ),
    "names merged over two header rows": Messy(
        xlsx(
            {"S": [["Title", None, None], ["region", "sales", None], [None, "low", "high"], ["North", 1, 2]]},
            merged=("A1:C1", "A2:A3", "B2:C2"),
        ),
        "region | sales low | sales high", "text number number", "North | 1 | 2", 1,
    ),
    "footnotes in a workbook": Messy(
        xlsx({"S": [["land", "people", "area"], ["A", 1, 2], ["B", 3, 4], [None] * 3,
                    ["Source: statistics office", None, None]]}),
        "land | people | area", "text number number", "A | 1 | 2", 2,
    ),
    "accounting formats with an empty title": Messy(
        xlsx({"S": [["account", "balance"], ["a", Shown(-1200.5, '_("$"* #,##0.00_);_("$"* (#,##0.00)')]]}),
        "account | balance", "text number", "a | -$1,200.50", 1,
    ),
    "an export of a bank": Messy(
        '\ufeff"Konto:";"DE12 3456"\n"Zeitraum:";"01.01.2024 - 31.01.2024"\n"Saldo:";"1.234,56 EUR"\n\n'
        '"Tag";"Valuta";"Zweck";"Betrag (EUR)"\n"05.01.2024";"05.01.2024";"Miete";"-850,00"\n'
        '"31.01.2024";"31.01.2024";"Gehalt";"2.400,00"\n',
        "Tag | Valuta | Zweck | Betrag (EUR)", "date date text number",
        "05.01.2024 | 05.01.2024 | Miete | -850,00", 2,
    ),
    "Swiss amounts": Messy(
        "Konto;Betrag\nMiete;1'234.50\nStrom;98.05\nLohn;12’000.00\n",
        "Konto | Betrag", "text number", "Miete | 1'234.50", 3,
    ),
    "weeks": Messy(
        "week,visits\n2024W05,120\n2024-W06,98\n", "week | visits", "date number", "2024W05 | 120", 2,
    ),
    "quarters": Messy(
        "quarter,sales\nQ1 2024,120\n2024-Q2,98\n2024Q3,7\n", "quarter | sales", "date number",
        "Q1 2024 | 120", 3,
    ),
    "months": Messy(
        "month,sales\n2010-09,3\n2010-10,5\n2010-11,4\n", "month | sales", "date number", "2010-09 | 3", 3,
    ),
    "a list of SAP": Messy(
        "12.03.2024                Dynamische Liste            1\n\n---------------------\n"
        "|Werk|Material|Wert    |\n---------------------\n|AB12|M-1     |1.200,50|\n"
        "|AB12|M-2     |   15,5-|\n---------------------\n",
        "Werk | Material | Wert", "text text number", "AB12 | M-1 | 1.200,50", 2,
    ),
    "a result of psql": Messy(
        " name | age \n------+-----\n Ann  |  30\n Bob  |  20\n(2 rows)\n", "name | age", "text number",
        "Ann | 30", 2,
    ),
    "a table in Markdown": Messy(
        "| name | age |\n|:-----|----:|\n| Ann | 30 |\n| Bob | 20 |\n", "name | age", "text number",
        "Ann | 30", 2,
    ),
    "open data with title and notes": Messy(
        '"Statistics office"\n"Table 12-1: Population"\n"Area","2021","2022"\n'
        '"North","1 200 345","1 210 000"\n"South","998 000","845 000"\n""\n"Notes"\n"1. Provisional"\n',
        "Area | 2021 | 2022", "text number number", "North | 1 200 345 | 1 210 000", 2,
    ),
    "answers of a form": Messy(
        "Timestamp,Email Address,How many?\n1/5/2024 14:30:00,ann@x.org,3\n13/5/2024 9:05:01,bob@x.org,4\n",
        "Timestamp | Email Address | How many?", "date text number", "1/5/2024 14:30:00 | ann@x.org | 3", 2,
    ),
    "lines of a comment above the header": Messy(
        "# exported 2024\n# by a tool\nid,name\n1,Ann\n2,Bob\n", "id | name", "number text", "1 | Ann", 2,
    ),
    "UTF-16 between tabs, as spreadsheets save it": Messy(
        "name\tage\nÄnn\t30\n".encode("utf-16"), "name | age", "text number", "Änn | 30", 1,
    ),
    "yes and no": Messy(
        "name,active,member\nAnn,yes,x\nBob,No,\nCid,,x\n", "name | active | member",
        "text boolean boolean", "Ann | yes | x", 3,
    ),
    "subtotals": Messy(
        "region,city,sales\nNorth,A,1\nNorth,B,2\nNorth Total,,3\nSouth,C,4\n", "region | city | sales",
        "text text number", "North | A | 1", 3,
    ),
    "dates without signs": Messy(
        "day,sales\n20240105,3\n20240216,4\n", "day | sales", "date number", "20240105 | 3", 2,
    ),
    "errors of a spreadsheet": Messy(
        "id,v\nA,#N/A\nB,#N/A\nC,4\nD,5\nE,6\n", "id | v", "text number", "A | ", 5, "", 2,
    ),
    "transactions below many lines about the account": Messy(
        "Umsatzanzeige;Datei erstellt am: 05.02.2024\n\nIBAN;DE12 3456\nBank;ABC\nKunde;Ann Lee\n"
        "Saldo;1.234,56;EUR\n\nAlle Umsätze, die bis heute gebucht sind.\n\n"
        "Buchung;Zweck;Saldo;Währung;Betrag;Währung\n31.01.2024;Lohn;1.234,56;EUR;2.400,00;EUR\n"
        "15.01.2024;Miete;-1.165,44;EUR;-850,00;EUR\n",
        "Buchung | Zweck | Saldo | Währung | Betrag | Währung_2", "date text number text number text",
        "31.01.2024 | Lohn | 1.234,56 | EUR | 2.400,00 | EUR", 2,
    ),
    "units below the header": Messy(
        "Time,Temperature,Humidity,State\n,°C,%,\n2024-01-05 00:00,21.5,45,on\n"
        "2024-01-05 00:10,21.4,46,off\n",
        "Time | Temperature °C | Humidity % | State", "date number number text",
        "2024-01-05 00:00 | 21.5 | 45 | on", 2,
    ),
    "units in brackets below the header, and a title": Messy(
        "Station 7\n\ntime;temp;state\n[yyyy-mm-dd];[°C];[-]\n2024-01-05;21,5;on\n2024-01-06;20,0;off\n",
        "time [yyyy-mm-dd] | temp [°C] | state [-]", "date number text", "2024-01-05 | 21,5 | on", 2,
    ),
    "comments, the last of them the header": Messy(
        "# station: Kew\n# units: mm\n# date,rain,sun\n2024-01-05,1.5,3\n2024-01-06,0.0,5\n",
        "date | rain | sun", "date number number", "2024-01-05 | 1.5 | 3", 2,
    ),
    "comments of a program": Messy(
        "% generated by a tool\n% on 2024-01-05\nx,y\n1,2\n3,4\n", "x | y", "number number", "1 | 2", 2,
    ),
    "UTF-16 without a mark": Messy(
        "name;city;age\nÄnn;Köln;30\nBob;Rome;20\n".encode("utf-16-le"), "name | city | age",
        "text text number", "Änn | Köln | 30", 2,
    ),
    "a delimiter at the end of some rows": Messy(
        "name,city,age\nAnn,Paris,30,\nBob,Rome,20\nCid,Oslo,40,,\n", "name | city | age",
        "text text number", "Ann | Paris | 30", 3,
    ),
    "single quotes": Messy(
        "id,title,size\n1,'Pen, red',5\n2,'Pen, blue',6\n3,'Pad',7\n", "id | title | size",
        "number text number", "1 | Pen, red | 5", 3,
    ),
    "inches": Messy(
        'id;title;size\n1;12" vinyl;55\n2;7" single;12\n', "id | title | size", "number text number",
        '1 | 12" vinyl | 55', 2,
    ),
    "joined files": Messy(
        "id,name\n1,Ann\n2,Bob\nid,name\n3,Cid\n", "id | name", "number text", "1 | Ann", 3,
    ),
    "European amounts, shares and counts": Messy(
        "Artikel;Umsatz;Anteil;Stück\nSchraube;1.234,56 €;12,5 %;1.200\nMutter;12.345,00 €;7,5 %;300\n",
        "Artikel | Umsatz | Anteil | Stück", "text number number number",
        "Schraube | 1.234,56 € | 12,5 % | 1.200", 2,
    ),
    "dates in many forms": Messy(
        "name,joined\nAnn,2024-01-05\nBob,5 Jan 2024\nCid,January 7 2024\nDan,2024/01/08\nEve,08.01.2024\n",
        "name | joined", "text date", "Ann | 2024-01-05", 5,
    ),
    "dates that contradict each other": Messy(
        "name,left\nAnn,05/01/2024\nBob,25/12/2023\nCid,12/31/2023\n", "name | left", "text text",
        "Ann | 05/01/2024", 3, "columns={'left': ValueOptions(dates='dmy')}",
    ),
    "questions as names": Messy(
        'Respondent ID,"How old are you?","Which do you use? (Select all that apply)",Comments\n'
        '1,25-34,"Phone, Laptop","Great, thanks!"\n2,35-44,Phone,\n3,25-34,"Laptop, Phone",\n',
        "Respondent ID | How old are you? | Which do you use? (Select all that apply) | Comments",
        "number text text text", "1 | 25-34 | Phone | Laptop | Great, thanks!", 3,
        "split={'Which do you use? (Select all that apply)': ','}",
    ),
    "questions below their codes": Messy(
        'Date,Q1,Q2\nStart Date,"How satisfied are you, overall?",Rate: price\n'
        '"{""Id"":""d""}","{""Id"":""1""}","{""Id"":""2""}"\n2024-01-05,Very,5\n2024-01-06,Hardly,3\n',
        "Date Start Date | Q1 How satisfied are you, overall? | Q2 Rate: price", "date text number",
        "2024-01-05 | Very | 5", 2,
    ),
    "totals with taxes below a blank line": Messy(
        "No,Product,Price\n1,Pen,1.50\n2,Ink,12.00\n\n,Total,13.50\n,VAT 19%,2.57\n,Grand total,16.07\n",
        "No | Product | Price", "number text number", "1 | Pen | 1.50", 2,
    ),
    "averages below the rows": Messy(
        "Month,Rain\nJan,10\nFeb,12\nAverage,11\nMax,12\n", "Month | Rain", "text number", "Jan | 10", 2,
    ),
    "a pivoted table": Messy(
        "Sum of Sales,Quarter,,\nRegion,Q1,Q2,Grand Total\nNorth,10,12,22\nSouth,20,22,42\n",
        "Region | Q1 | Q2 | Grand Total", "text number number number", "North | 10 | 12 | 22", 2,
    ),
    "two tables below each other": Messy(
        "Region,Sales\nNorth,3\nSouth,4\n\nProduct,Units\nPen,10\nInk,7\n", "", "", "", 0,
        "put it into a file of its own",
    ),
    "quotes around lines": Messy(
        '"id,name,city"\n"1,Ann,Paris"\n"2,Bob,Rome"\n', "id | name | city",
        "number text text", "1 | Ann | Paris", 2,
    ),
    "quotes within quotes": Messy(
        'id,title,size\n1,Pad,55\n2,"The "Best" Of",12\n', "id | title | size", "number text number",
        "1 | Pad | 55", 2,
    ),
    "texts without a header": Messy(
        "Ann,Paris,manager\nBob,Rome,clerk\nCid,Paris,clerk\n", "column 1 | column 2 | column 3",
        "text text text", "Ann | Paris | manager", 3,
    ),
    "answers of a form with a time zone": Messy(
        'Timestamp,"1. How satisfied are you? [Price]","2. Would you recommend us?"\n'
        "2024/01/05 10:00:00 AM GMT+1,4,Yes\n2024/01/06 11:30:00 AM GMT+1,3,No\n",
        "Timestamp | 1. How satisfied are you? [Price] | 2. Would you recommend us?", "date number boolean",
        "2024/01/05 10:00:00 AM GMT+1 | 4 | Yes", 2,
    ),
    "names with commas between semicolons": Messy(
        "Last, First;Age\nLee, Ann;30\nRay, Bob;20\n", "Last, First | Age", "text number", "Lee, Ann | 30", 2,
    ),
    "a logger in a workbook": Messy(
        xlsx({"S": [["Logger 7", None, None], [None] * 3, ["Time", "Temp", "Hum"], [None, "°C", "%"],
                    ["2024-01-05 00:00", 21.5, 45], ["2024-01-05 00:10", 21.25, 46]]}),
        "Time | Temp °C | Hum %", "date number number", "2024-01-05 00:00 | 21.5 | 45", 2,
    ),
    "labels above empty cells": Messy(
        "Region,City,Sales\nNorth,A,1\n,B,2\n,C,3\nSouth,D,4\n", "", "", "", 0, "fill them in the file",
    ),
    "indented parts of sums": Messy(
        "Account;2023\nRevenue;100\n  Products;60\n  Services;40\nCosts;80\n", "", "", "", 0,
        "a sum counts both",
    ),
    "signs for missing values": Messy(
        "country,2019,2020\nA,1.5,-\nB,..,2.5\nC,3.5,3.0\n", "country | 2019 | 2020", "text number number",
        "A | 1.5 | ", 3, "", 2,
    ),
    "words for missing values": Messy(
        "name,height\nAnn,170\nBob,n/a\nCid,180\n", "name | height", "text number", "Ann | 170", 3, "", 1,
    ),
    "a logger of the form TOA5": Messy(
        '"TOA5","Tower","CR1000","1234","CR1000.Std.31","CPU:tower.CR1","4711","Table1"\n'
        '"TIMESTAMP","RECORD","AirT_Avg","RH","Rain_Tot"\n"TS","RN","Deg C","%","mm"\n'
        '"","","Avg","Smp","Tot"\n"2024-01-05 00:00:00",0,3.21,88.1,0\n'
        '"2024-01-05 00:10:00",1,3.25,87.6,0.2\n'
        '"2024-01-05 00:20:00",2,"NAN",87.9,0\n',
        "TIMESTAMP | RECORD | AirT_Avg Deg C | RH % | Rain_Tot mm", "date number number number number",
        "2024-01-05 00:00:00 | 0 | 3.21 | 88.1 | 0", 3, "", 1,
    ),
    "columns of a fixed width": Messy(
        "Name            City      Age\nAnn Lee         Paris      30\nBob Ray         New York   20\n"
        "Cid             Rome       41\n",
        "Name | City | Age", "text text number", "Ann Lee | Paris | 30", 3,
    ),
    "the card of one thing, in a workbook": Messy(
        xlsx({"S": [["Name", "Ann Lee"], ["City", "Paris"], ["Age", 30], ["Member since", "2019-04-01"]]}),
        "Name | City | Age | Member since", "text text number date", "Ann Lee | Paris | 30 | 2019-04-01", 1,
        "turn the table if it has, or header='none'",
    ),
    "decimal commas in quotes between commas": Messy(
        'Datum,Artikel,Preis\n03.04.2024,Schraube,"0,15"\n15.04.2024,"Mutter, klein","1.200,50"\n',
        "Datum | Artikel | Preis", "date text number", "03.04.2024 | Schraube | 0,15", 2,
    ),
    "columns between single blanks": Messy(
        "step loss accuracy\n100 1.25 0.51\n200 0.85 0.68\n300 0.61 0.77\n", "step | loss | accuracy",
        "number number number", "100 | 1.25 | 0.51", 3,
    ),
    "readings of a sensor without a header": Messy(
        "2024-01-05T00:00:00,21.5,45\n2024-01-05T00:10:00,21.25,46\n2024-01-05T00:20:00,21.0,46\n",
        "column 1 | column 2 | column 3", "date number number", "2024-01-05T00:00:00 | 21.5 | 45", 3,
    ),
    "a page of HTML that is called a workbook": Messy(
        "<html><body><table border=1>\n<tr><th>Name</th><th>Amount</th></tr>\n"
        "<tr><td>Ann &amp; Co</td><td>1,200.50</td></tr>\n<tr><td>Bob</td><td>3.25</td></tr>\n"
        "</table></body></html>\n",
        "Name | Amount", "text number", "Ann & Co | 1,200.50", 2, "save it as XLSX or CSV",
    ),
    "a sum below an empty row of a workbook": Messy(
        xlsx({"S": [["Posten", "Menge", "Preis"], ["Stift", 3, 1.5], ["Heft", 2, 2.25], [None] * 3,
                    ["Summe", 5, 3.75]]}),
        "Posten | Menge | Preis", "text number number", "Stift | 3 | 1.5", 2,
    ),
    "a table of Eurostat": Messy(
        "freq,unit,geo\\TIME_PERIOD\t2021 \t2022 \nA,PC,AT\t12.5 \t13.1 p\nA,PC,BE\t: \t9.8 \n"
        "A,PC,DE\t10.2 b\t10.4 \n",
        "freq,unit,geo\\TIME_PERIOD | 2021 | 2022", "text number number", "A,PC,AT | 12.5  | 13.1 p", 3,
        "null=frozenset({':'})",
    ),
    "what R writes": Messy(
        '"mpg" "cyl" "origin"\n"Mazda RX4" 21 6 "JP"\n"Fiat 128" 32.4 4 "IT"\n"Volvo 142E" 21.4 4 "SE"\n',
        "column 1 | mpg | cyl | origin", "text number number text", "Mazda RX4 | 21 | 6 | JP", 3,
    ),
    "codes of currencies before amounts": Messy(
        'Invoice,Total\nA-1,"USD 1,200.50"\nA-2,EUR 35.00\nA-3,USD 7.25\n', "Invoice | Total",
        "text number", "A-1 | USD 1,200.50", 3,
    ),
    "the line ends of old computers": Messy(
        "name,city,age\rAnn,Paris,30\rBob,Rome,20\r", "name | city | age", "text text number",
        "Ann | Paris | 30", 2,
    ),
}  # fmt: skip

WITH_OPTIONS = {
    "several values in a cell": TableOptions(split={"interests": ";"}),
    "questions as names": TableOptions(split={"Which do you use? (Select all that apply)": ","}),
}
VALUES = {
    "a table of Eurostat": ValueOptions(columns={"2021": ValueOptions(null=frozenset({":"}))}),
}


@pytest.mark.parametrize("name", CASES)
def test_a_messy_table(tmp_path: Path, name: str) -> None:
    case = CASES[name]
    expected = (case.columns, case.types, case.cells, case.rows)
    path = tmp_path / "messy"
    if not case.option:
        report = preview(path, case.content)
        assert read_parts(report.tables[0]) == expected
        assert report.facts == case.rows * len(report.tables[0].columns) - case.missing
        return
    try:
        notes = "\n".join(preview(path, case.content).remarks)
    except TrustUQAError as error:
        notes = str(error)
    assert case.option in notes
    if name in WITH_OPTIONS or name in VALUES:
        report = preview(path, case.content, WITH_OPTIONS.get(name), VALUES.get(name))
        assert read_parts(report.tables[0]) == expected
        assert case.option not in "\n".join(report.remarks)


def test_most_messy_tables_need_no_option() -> None:
    assert len(CASES) >= 100
    assert sum(not case.option for case in CASES.values()) >= 0.9 * len(CASES)


def test_a_cover_sheet_is_noted(tmp_path: Path) -> None:
    book = xlsx({"Cover": [["Report"], ["by Ann"]], "Data": [["k", "v"], ["a", 1], ["Total", 2]]})
    assert [note.partition("; ")[2] for note in preview(tmp_path / "b", book).remarks] == [
        "sheets=['NAME'] reads other sheets alone",
        "loaded by itself, skip_end=1 leaves it out",
    ]
    report = preview(tmp_path / "b", book, TableOptions(sheets=("Data",), skip_end=1))
    assert (report.tables[0].rows, report.remarks) == (1, {})


@pytest.mark.parametrize("word", ["n/a", "#DIV/0!", "NULL", "-"])
def test_words_for_missing_values_are_noted(tmp_path: Path, word: str) -> None:
    content = f"name,height\nAnn,170\nBob,{word}\nCid,180\n"
    (note,) = preview(tmp_path / "t", content).remarks
    assert note.startswith(f"'height': 1 cell is left out, since {word} among values means none")
    options = ValueOptions(columns={"height": ValueOptions(null=frozenset({word}))})
    report = preview(tmp_path / "t", content, values=options)
    assert (report.facts, report.remarks) == (5, {})


def test_equal_headers_can_be_renamed(tmp_path: Path) -> None:
    content = "client,total,total\nA,1,2\n"
    notes = preview(tmp_path / "t", content).remarks
    assert any("rename={'total_2': 'NAME'}" in note for note in notes)
    report = preview(tmp_path / "t", content, TableOptions(rename={"total_2": "last year"}))
    assert [column.name for column in report.tables[0].columns] == ["client", "total", "last year"]
    assert report.remarks == {}


def test_merged_cells_label_each_row(tmp_path: Path) -> None:
    rows: list[list[str | float | bool | Shown | None]] = [
        ["region", "shop", "sales"], ["North", "a", 1], [None, "b", None], ["South", "c", 3],
    ]  # fmt: skip
    book = xlsx({"S": rows}, merged=("A2:A3", "C2:C3"))
    assert preview(tmp_path / "m", book).tables[0].first_rows == [
        ["North", "a", "1"], ["North", "b", ""], ["South", "c", "3"],
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("content", "columns"),
    [
        pytest.param("a,b\n1,2\n", "a | b", id="plain"),
        pytest.param(
            "name,,city\nAnn,Lee,Paris\n", "name | column 2 | city", id="a name is missing"
        ),
        pytest.param("name;\nAnn;Paris\nBob;Rome\n", "name | column 2", id="two columns of texts"),
        pytest.param("x,y\nAnn,\nBob,\n\nCid,Rome\n", "x | y", id="cells are missing"),
        pytest.param("1,2,3\n4,5,6\n", "1 | 2 | 3", id="no header at all"),
        pytest.param("a,b,c\n,,\nx,1,2\n", "a | b | c", id="an empty row"),
    ],
)
def test_plain_tables_stay_as_they_are(tmp_path: Path, content: str, columns: str) -> None:
    table = preview(tmp_path / "plain", content).tables[0]
    assert " | ".join(column.name for column in table.columns) == columns
    assert table.rows == sum(bool(line) for line in content.splitlines()) - 1


def test_totals_in_the_middle_and_at_the_end(tmp_path: Path) -> None:
    content = "r,s\nA,1\nTotal,1\nB,2\nSubtotal:,2\nTotal,3\n"
    report = preview(tmp_path / "t", content)
    assert {note.rpartition("; ")[2]: remark.places for note, remark in report.remarks.items()} == {
        "delete it from the file": ["t:3"],
        "skip_end=2 leaves it out": ["t:5"],
        "skip_end=0 reads such rows": ["t:6"],
    }
    report = preview(tmp_path / "t", content, TableOptions(skip_end=2))
    assert [remark.places for remark in report.remarks.values()] == [["t:3"]]


def test_commas_in_every_row_are_no_missing_name(tmp_path: Path) -> None:
    with pytest.raises(TrustUQAError, match="3 cells in this row, but the header has 2"):
        preview(tmp_path / "t", "name,town\nLee, Ann,Paris\nRay, Bob,Rome\n")


def test_a_cut_line_is_no_footnote(tmp_path: Path) -> None:
    with pytest.raises(TrustUQAError, match="1 cell in this row, but the header has 3"):
        preview(tmp_path / "cut", "a,b,c\n1,2,3\n4\n")


def test_a_late_cell_keeps_its_column(tmp_path: Path) -> None:
    content = "a,b,\n" + "1,2,\n" * 500 + "3,4,late\n"
    table = preview(tmp_path / "late", content).tables[0]
    assert [column.name for column in table.columns] == ["a", "b", "column 3"]


def test_a_mostly_empty_header_is_noted(tmp_path: Path) -> None:
    content = "Sales,,,\nid,region,kind,place\nq,North,w,e\nr,South,t,z\n"
    (note,) = preview(tmp_path / "odd", content).remarks
    assert note == "3 of 4 names in the header are empty; header=N names another line, perhaps 2"
    table = preview(tmp_path / "odd", content, TableOptions(header=(2, 2))).tables[0]
    assert [column.name for column in table.columns] == ["id", "region", "kind", "place"]


def test_a_table_without_a_header(tmp_path: Path) -> None:
    content = "Sales\n\nAnn,Paris,\nBob,Rome,3\nCid,Paris,4\n"
    report = preview(tmp_path / "t", content, TableOptions(header=NO_HEADER, skip=2))
    columns = "column 1 | column 2 | column 3", "text text number", "Ann | Paris | ", 3
    assert (read_parts(report.tables[0]), report.remarks) == (columns, {})
    book = xlsx({"S": [["Ann", 3], ["Bob", 4]]})
    report = preview(
        tmp_path / "b", book, TableOptions(header=NO_HEADER, rename={"column 1": "who"})
    )
    assert read_parts(report.tables[0]) == ("who | column 2", "text number", "Ann | 3", 2)


@pytest.mark.parametrize(
    ("content", "notes"),
    [
        pytest.param(
            "7,Ann,34,Berlin\n9,Bob,41,Paris\n12,Cid,29,Rome\n",
            ["header=1 reads it as the header"],
            id="no header",
        ),
        pytest.param(
            "Ann,Paris\nBob,Rome\nCid,Paris\n",
            ["header=1 reads it as the header"],
            id="texts without a header",
        ),
        pytest.param(
            "2024-01-05,in\n2024-01-06,out\n2024-01-07,off\n",
            ["header=1 reads it as the header"],
            id="days without a header",
        ),
        pytest.param("team,1,2,3\nA,0,1,2\nB,1,0,3\n", [], id="names count columns"),
        pytest.param(
            "size,36,38\nred,3,4\nblue,5,6\n",
            ["'36' looks like data; header='none' reads it as a row"],
            id="sizes as names",
        ),
        pytest.param(
            "Year,1905,1912\nhead,Ann,Bob\nYear,1921,1926\nhead,Cid,Dan\n",
            ["'Year' looks like data; header='none' reads it as a row"],
            id="headers of further rows",
        ),
        pytest.param(
            "x,Laptop,Phone\nAnn,Laptop,\nBob,,Phone\nCid,Laptop,Phone\n",
            ["'Laptop' looks like data; header='none' reads it as a row"],
            id="answers that repeat their question",
        ),
        pytest.param("town,2020,2021\nA,5,6\nB,7,8\n", [], id="names are years"),
        pytest.param(
            "EU,US,EU\nnet,net,gross\nkEUR,kUSD,kEUR\n1,2,3\n2,3,4\n3,4,5\n",
            ["repeated column name, read as 'EU_2'; rename={'EU_2': 'NAME'} gives it a better one",
             "names above numbers; header='1-3' reads them as header"],
            id="three header rows",
        ),
        pytest.param("a,b,c\nn/a,n/a,x\n1,2,y\n2,3,z\n", 2 * ["names other words"], id="no values"),
    ],
)  # fmt: skip
def test_doubts_about_the_header_name_an_option(
    tmp_path: Path, content: str, notes: list[str]
) -> None:
    remarks = sorted(preview(tmp_path / "t", content).remarks)
    assert len(remarks) == len(notes)
    assert all(any(remark.endswith(note) for remark in remarks) for note in notes), remarks
    header = preview(tmp_path / "t", content, TableOptions(header=(1, 1)))
    assert not [note for note in header.remarks if "header" in note]


@pytest.mark.parametrize(
    ("content", "rows", "with_all"),
    [
        pytest.param("r,s\nA,1\nB,2\nTotal,3\n", 2, 3, id="a sum"),
        pytest.param("r,s\nA,1\nB,2\nTotal,4\n", 3, 3, id="no sum"),
        pytest.param("r,s,t\nA,1,5\nB,2,5\nTotal,3,5\n", 3, 3, id="one column is not a sum"),
        pytest.param("r,s\nA,1\nTotal,1\n", 2, 2, id="one row"),
        pytest.param("r;s\nA;1.200,50\nB;2.000\nSumme;3.200,50\n", 2, 3, id="decimal commas"),
        pytest.param("r,s\nA,1\nB,2\nMean,1.5\nStd. dev.,0.71\n", 2, 4, id="statistics"),
        pytest.param("r,s\nA,1\nB,2\nMean,1.7\nMax,2\n", 3, 4, id="a mean that is none"),
        pytest.param("r,s\nA,3\nB,2\nMax,3\n", 3, 3, id="a person called Max"),
        pytest.param("r,s\nA,1\nA,2\nA Total,3\nB,4\nB Total,4\n", 3, 5, id="groups"),
    ],
)  # fmt: skip
def test_rows_that_are_sums_are_not_read(
    tmp_path: Path, content: str, rows: int, with_all: int
) -> None:
    assert preview(tmp_path / "t", content).tables[0].rows == rows
    report = preview(tmp_path / "t", content, TableOptions(skip_end=0))
    assert report.tables[0].rows == with_all


@pytest.mark.parametrize(
    ("content", "columns"),
    [
        pytest.param('"id,name,city"\n"1,Ann,Paris"\n"2,Bob,Rome"\n', 1, id="quotes around lines"),
        pytest.param("x y z\n1 2 3\n4 5 6\n", 1, id="blanks"),
        pytest.param("Name       Age\nAnn Lee     30\nBob         20\n", 1, id="a fixed width"),
        pytest.param("2024-01-05,in\n2024-01-06,out\n2024-01-07,in\n", 2, id="no header"),
    ],
)
def test_a_line_of_the_header_undoes_what_is_recognized(
    tmp_path: Path, content: str, columns: int
) -> None:
    (note,) = preview(tmp_path / "t", content).remarks
    assert "; header=1 reads" in note
    table = preview(tmp_path / "t", content, TableOptions(header=(1, 1))).tables[0]
    assert len(table.columns) == columns
    assert table.columns[0].name == content.splitlines()[0].split(",")[0].strip('"') or columns == 1


@pytest.mark.parametrize(
    "content",
    [
        pytest.param("full name\nAnn Lee\nBob Ray\n", id="names of persons"),
        pytest.param("Apollo mission\nApollo 7\nApollo 8\n", id="names with numbers"),
        pytest.param("long date here\n5 Jan 2024\n6 Jan 2024\n", id="dates"),
        pytest.param('"City, State"\n"Paris, TX"\n"Rome, GA"\n', id="places with commas"),
        pytest.param('"Last, first, age"\n"Lee, Ann, 30"\n"Ray, Bob, 20"\n', id="texts in quotes"),
    ],
)
def test_texts_of_one_column_stay_so(tmp_path: Path, content: str) -> None:
    table = preview(tmp_path / "t", content).tables[0]
    assert (len(table.columns), table.rows) == (1, 2)


def test_loose_quotes_must_fit_the_header(tmp_path: Path) -> None:
    report = preview(tmp_path / "t", 'id,title,size\n1,"The "Best" Of",12\n')
    assert report.tables[0].first_rows == [["1", 'The "Best" Of', "12"]]
    with pytest.raises(TrustUQAError, match="follows a closing quote"):
        preview(tmp_path / "t", 'id,title,size\n1,"The "Best", Of",12\n')


def test_codes_and_dates_by_name_can_be_numbers(tmp_path: Path) -> None:
    book = xlsx(
        {"S": [["town", "code"], ["a", Shown(1067, "00000")], ["b", Shown(80331, "00000")]]}
    )
    numbers = ValueOptions(columns={"code": ValueOptions(kind="number")})
    report = preview(tmp_path / "b", book, values=numbers)
    assert (report.tables[0].columns[1].type, report.remarks) == ("number", {})
    report = preview(tmp_path / "t", "day,sales\n20240105,3\n20240216,4\nTotal,7\n")
    assert (report.tables[0].columns[0].type, report.tables[0].rows) == ("date", 2)
    report = preview(tmp_path / "t", "number,sales\n20240105,3\n20240216,4\n")
    assert report.tables[0].columns[0].type == "number"
    assert ["types={'number': 'date'}" in note for note in report.remarks] == [True]


def test_blanks_after_a_closing_quote_are_dropped(tmp_path: Path) -> None:
    content = '"town" ,"said","1969  " \n"Oslo"  ,"a ""b"" , c" , 5 \n"Rome","d",6\n'
    report = preview(tmp_path / "t", content)
    assert report.tables[0].first_rows == [["Oslo", 'a "b" , c', " 5 "], ["Rome", "d", "6"]]
    assert [column.name for column in report.tables[0].columns] == ["town", "said", "1969"]
    with pytest.raises(TrustUQAError, match="follows a closing quote"):
        preview(tmp_path / "t", 'a,b\n"x" y,1\n')


def test_short_lines_below_a_footnote_belong_to_it(tmp_path: Path) -> None:
    header, row = ",".join("abcdefgh"), ",".join("12345678")
    notes = '"Source: the office of figures"\n"see","https://example.org"\nMay 2020\n'
    report = preview(tmp_path / "t", f"{header}\n{row}\n{row}\n{notes}")
    assert report.tables[0].rows == 2
    with pytest.raises(TrustUQAError, match="1 cell in this row"):
        preview(tmp_path / "t", f"{header}\n{row}\n{notes}{row}\n")
