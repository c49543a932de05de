"""Encodings: texts of Windows-1252 are recognized, and those of other countries are not taken for it."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.tables import one

from trustuqa_neo4j.errors import UnreadableFile
from trustuqa_neo4j.loading.formats import ReadOptions

WESTERN_TEXTS = {
    "German": "Straße;Größe in m²\nHauptstraße;3\nMÜLLER;5 km²\n",
    "money": "Kunde;Umsatz\nBäcker;1.200,50 €\nKöhl;£ 3\n",
    "French": "nom;ville\nHélène Lefèvre;Besançon\nl’Étoile;Où «là»\n",
    "Spanish": "nombre;ciudad\nMuñoz;León\nPeña;¿Cádiz?\n",
    "Portuguese": "nome;cidade\nJoão;São Paulo\nLeões;Évora\nMaçã;3.º\n",
    "Italian": "città;perché\nForlì;è\n",
    "Danish": "navn;by\nSøren;Århus\nKær;Æbeltoft\n",
    "Swedish": "namn;ort\nÅke;Malmö\nGöran;Växjö\n",
    "typography": "item;price\nTea – green;3\nCoffee “dark”…;4\n",
    "one word": "name;city\n" + "Ann;Paris\n" * 2000 + "Bob;Zürich\n",
}
OTHER_TEXTS = {
    "Polish": ("imię;miasto\nŁukasz;Łódź\nMałgorzata;Kraków\n", "cp1250"),
    "one Polish word": ("a;b\nbył;1\n", "cp1250"),
    "a Polish town": ("a;b\nGdańsk;1\n", "cp1250"),
    "Czech": ("jméno;město\nDvořák;Plzeň\n", "cp1250"),
    "Hungarian": ("név;város\nSzőke;Győr\n", "cp1250"),
    "Croatian": ("ime;grad\nPetrović;Čakovec\n", "cp1250"),
    "Romanian": ("nume;oraș\nIonuţ;Braşov\n".replace("ș", "ş"), "cp1250"),
    "Russian": ("имя;город\nИван;Москва\n", "cp1251"),
    "one Russian word": ("a;b\nДа;1\n", "cp1251"),
    "Greek": ("όνομα;πόλη\nΓιώργος;Αθήνα\n", "cp1253"),
    "Turkish": ("ad;şehir\nAyşe;İzmir\n", "cp1254"),
    "Lithuanian": ("vardas;miestas\nŠarūnas;Šiauliai\n", "cp1257"),
    "German of a Macintosh": ("Straße;Größe\nMüller;Köln\n", "mac_roman"),
    "German of DOS": ("Straße;Größe\nMüller;Köln\n", "cp850"),
    "Japanese": ("名前;都市\n田中;東京\n", "shift_jis"),
    "Chinese": ("名字;城市\n王伟;北京\n", "gb18030"),
}


def read_text(path: Path, content: bytes) -> tuple[str, list[str]]:
    options = ReadOptions()
    table = one(path, content, options)
    lines = [";".join(cells) for cells in (table.columns, *table.rows)]
    return "\n".join(lines) + "\n", [*options.remarks]


@pytest.mark.parametrize("text", WESTERN_TEXTS.values(), ids=WESTERN_TEXTS)
def test_western_texts(tmp_path: Path, text: str) -> None:
    result, (note,) = read_text(tmp_path / "t.csv", text.encode("cp1252"))
    assert result == text
    assert note.startswith("not UTF-8, read as Windows-1252 (")
    assert read_text(tmp_path / "t.csv", text.encode()) == (text, [])


@pytest.mark.parametrize(("text", "encoding"), OTHER_TEXTS.values(), ids=OTHER_TEXTS)
def test_other_texts(tmp_path: Path, text: str, encoding: str) -> None:
    with pytest.raises(UnreadableFile, match="encoding"):
        read_text(tmp_path / "t.csv", text.encode(encoding))


def test_two_encodings_in_one_file(tmp_path: Path) -> None:
    content = "name;city\nMüller;".encode() + "Köln\n".encode("cp1252")
    with pytest.raises(UnreadableFile, match="not UTF-8 text"):
        read_text(tmp_path / "t.csv", content)
