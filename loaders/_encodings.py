"""The encoding of a text: UTF-8, UTF-16 and UTF-32 by their marks, UTF-16 by its zeros, and Windows-1252.

Programs on Windows write CSV without a mark in the encoding of their country. Statistics of letters, as of
charset-normalizer, name a wrong one for half of all short tables. So a text is Windows-1252 only if each of
its words is one of a language of Western Europe; Polish, Czech or Russian words show signs in the middle of
words, or letters that no such language has together.
"""

from __future__ import annotations

import codecs
import gzip
import re
import zlib
from collections.abc import Iterator
from typing import IO, NamedTuple

from trustuqa_neo4j.loading.file_signatures import detect_unmarked_utf16

UTF8 = "utf-8-sig"
WESTERN = "cp1252"

_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_BEGINNING_SIZE = 1 << 12
_BLOCK_SIZE = 1 << 20
_MAX_LINE_LENGTH = 1 << 24

_ALPHABETS = tuple(map(frozenset, (
    "äöüßéèêëàâçîïôùûœ",  # German, French, Dutch
    "áéíóúüñçàèïò",  # Spanish, Catalan
    "áàâãçéêíóôõúü",  # Portuguese
    "àèéìíîòóù",  # Italian
    "åäöæøéüà",  # Danish, Finnish, Norwegian, Swedish
)))  # fmt: skip
"""Letters beyond ASCII. Those that share their codes with letters of other countries are not in one set."""

_SIGNS = frozenset("\u00a0\u00ad€£¥§©®™°²³µ·«»‹›–—‘’‚“”„…•¿¡ºª½¼¾±×÷´")
_LETTER = r"[A-Za-zÀ-ÖØ-öø-ÿŠšŽžŒœŸ]"
_MISFIT = re.compile(
    # A sign between letters, as ``³`` for the Polish ``ł``, or a capital within a word.
    rf"{_LETTER}[^\x00-\x7f’·–\u00a0\u00ad](?<!{_LETTER}){_LETTER}"
    r"|[a-zß-öø-ÿ][À-ÖØ-ÞŠŽŒŸ]"
    rf"|[£¥§°µ]{_LETTER}{_LETTER}|(?<![m\d)])[¹²³]|{_LETTER}¹"
    # Hungarian, Romanian, Polish and Croatian letters at the codes of Portuguese, Spanish and Danish ones.
    r"|(?i:õ(?!e)|ã(?![oes]|\b)|ñ(?![aeiouáéíóú])|iæ)"
)
_SINGLE_LETTERS = frozenset("àáâåèéòóöøüÀÁÂÅÈÉÒÓÖØÜ")
"""Letters that are words or initials."""

_WORD = re.compile(rf"{_LETTER}+")


class DetectedEncoding(NamedTuple):
    """``example`` is a word that shows the encoding, with the number of its line; empty if none does."""

    name: str
    example: str = ""
    line: int = 0


def detect_encoding(stream: IO[bytes]) -> DetectedEncoding:
    # Reads ``stream`` from its start and goes back to it. In doubt it is UTF-8, whose reader reports errors.
    try:
        detected = _detect(stream)
        stream.seek(0)
    except (EOFError, gzip.BadGzipFile, zlib.error):
        return DetectedEncoding(UTF8)  # the reader reports the damage
    return detected


def _detect(stream: IO[bytes]) -> DetectedEncoding:
    beginning = stream.read(_BEGINNING_SIZE)
    for mark, name in _MARKS:
        if beginning.startswith(mark):
            return DetectedEncoding(name)
    if unmarked := detect_unmarked_utf16(beginning):
        return DetectedEncoding(unmarked)
    stream.seek(0)
    if _is_utf8(stream):
        return DetectedEncoding(UTF8)
    stream.seek(0)
    return _find_western(stream) or DetectedEncoding(UTF8)


def _is_utf8(stream: IO[bytes]) -> bool:
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        while block := stream.read(_BLOCK_SIZE):
            decoder.decode(block)
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return False
    return True


def _find_western(stream: IO[bytes]) -> DetectedEncoding | None:
    letters: set[str] = set()
    example = DetectedEncoding(WESTERN)
    for number, line in _non_ascii_lines(stream):
        try:
            text = line.decode(WESTERN)
        except UnicodeDecodeError:
            return None
        words = [word for word in _WORD.findall(text) if not word.isascii()]
        letters.update(letter for word in words for letter in word.lower() if letter > "\x7f")
        if _is_utf8_line(line) or not _is_western(text, words, letters):
            return None
        words = [word for word in words if len(word) > 1] or ([] if words else [text.strip()[:40]])
        if words and not example.example:
            example = DetectedEncoding(WESTERN, words[0], number)
    return example if example.example else None


def _non_ascii_lines(stream: IO[bytes]) -> Iterator[tuple[int, bytes]]:
    number = 0
    while line := stream.readline(_MAX_LINE_LENGTH):
        number += 1
        if not line.isascii():
            yield number, line


def _is_utf8_line(line: bytes) -> bool:
    # Some lines are UTF-8 and others are not: the file is damaged, or was put together from two.
    try:
        line.decode()
    except UnicodeDecodeError:
        return False
    return True


def _is_western(text: str, words: list[str], letters: set[str]) -> bool:
    # ``letters`` are those beyond ASCII of all lines so far.
    signs = {sign for sign in text if sign > "\x7f"} - set("".join(words))
    if not signs <= _SIGNS or not any(letters <= alphabet for alphabet in _ALPHABETS):
        return False
    # Other alphabets have no ASCII letter in a word.
    is_mixed = all(any(map(str.isascii, word)) or word in _SINGLE_LETTERS for word in words)
    return is_mixed and _MISFIT.search(text) is None
