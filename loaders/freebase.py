r"""Lines of Freebase dumps: ``head⇥relation⇥tail⇥.``, as IRIs and literals or shortened to ids.

``<http://rdf.freebase.com/ns/m.0abc>`` and ``m.0abc`` are the same; other IRIs keep what stands between
``<`` and ``>``. These are not N-Triples where they are shortened, hence a reader of their own, which knows
no more than what dumps do.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from trustuqa_neo4j.loader import File, Reading

from .text import lines

HINT = "each line is head, relation, tail and a dot, with tabs; --skip-bad N passes over up to N bad lines"
NAME, ALIAS = "type.object.name", "common.topic.alias"
_SPACE = "http://rdf.freebase.com/ns/"
_LITERAL = re.compile(r'"((?:[^"\\]|\\.)*)"(?:@([A-Za-z0-9-]+)|\^\^\S+)?')
_ESCAPE = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|(.))")
_ESCAPED = {"t": "\t", "b": "\b", "n": "\n", "r": "\r", "f": "\f"}


class Line(NamedTuple):
    """One triple; ``is_text`` where its tail is a literal, ``language`` is that of the literal."""

    number: int
    head: str
    relation: str
    tail: str
    is_text: bool
    language: str


def triples(file: File, reading: Reading) -> Iterator[Line]:
    """The triples of ``file``, in its order.

    Raises:
        MissingFile, UnreadableFile, MalformedLine
    """
    with lines(file, reading) as found:
        for line in found:
            fields = line.strip().split("\t")
            if len(fields) == 4 and fields[3] == "." and all(fields):
                tail = fields[2]
                literal = _LITERAL.fullmatch(tail)
                language = (literal[2] or "") if literal else ""
                tail = _ESCAPE.sub(_unescaped, literal[1]) if literal else _id(tail)
                head, relation = _id(fields[0]), _id(fields[1])
                yield Line(found.number, head, relation, tail, literal is not None, language)
            elif fields != [""]:
                where = f"{file.name}:{found.number}"
                reading.malformed("not head, relation, tail and a dot", where, HINT)


def names(file: File, reading: Reading) -> Iterator[tuple[str, str, str]]:
    """Id, ``NAME`` or ``ALIAS``, and text of each English one that ``file`` says."""
    for _, head, relation, tail, is_text, language in triples(file, reading):
        if is_text and language == "en" and relation in (NAME, ALIAS):
            yield head, relation, tail


def _id(text: str) -> str:
    if text[0] == "<" and text[-1] == ">":
        return text[1:-1].removeprefix(_SPACE)
    return text


def _unescaped(found: re.Match[str]) -> str:
    code = found[1] or found[2]
    if not code:
        return _ESCAPED.get(found[3], found[3])
    number = int(code, 16)
    # No character has such a number: the escape stays as it is.
    return chr(number) if number < 0xD800 or 0xDFFF < number < 0x110000 else found[0]
