"""The written forms of RDF, by the suffix of a file, or by the beginning of its content.

Turtle, TriG and N-Triples are recognized by their first statement; a comment may come before it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import PurePath

RDF_FORMS: Mapping[str, str] = {
    ".nt": "N-Triples", ".nq": "N-Quads", ".ttl": "Turtle", ".trig": "TriG", ".rdf": "RDF/XML",
    ".owl": "RDF/XML", ".xml": "RDF/XML", ".jsonld": "JSON-LD", ".r2rml": "Turtle",
}  # fmt: skip
"""Suffixes with the form that they stand for."""

RDF_IRI = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"

_COMMENTS = re.compile(r"(?:\s*#[^\n]*(?:\n|$))+")
_SUBJECT = r"(?:<[^<>\s]*>|_:\S+)"
_END = r"\.[ \t]*(?:#.*)?$"
_DIRECTIVE = re.compile(r"@(?:prefix|base)\s|(?i:PREFIX)\s+[^\s:]*:\s*<|(?i:BASE)\s+<[^<>\s]*>\s")
_STATEMENT = re.compile(
    rf"{_SUBJECT}\s+(?:<[^<>\s]*>|a)\s+\S.*?(?:[;,][ \t]*(?:#.*)?$|{_END})", re.MULTILINE
)
_GRAPH_START = re.compile(
    r"^\s*(?:(?i:GRAPH)\s+)?(?:<[^<>\s]*>|[\w.-]*:[\w.-]*)?\s*\{", re.MULTILINE
)
_TERM = r'(?:<[^<>\s]*>|_:\S+|"(?:[^"\\]|\\.)*"(?:@[\w-]+|\^\^<[^<>\s]*>)?)'
_TRIPLE = re.compile(rf"{_SUBJECT}\s+<[^<>\s]*>\s+{_TERM}\s*{_END}")
_QUAD = re.compile(rf"{_SUBJECT}\s+<[^<>\s]*>\s+{_TERM}\s+{_SUBJECT}\s*{_END}")
_XML_START = re.compile(r"<(?:\?xml|!doctype|(?:[\w.-]+:)?RDF)\b", re.IGNORECASE)
_CONTEXT = re.compile(r'[{\[][^"]*"@(?:context|graph|id|type)"\s*:')


def plain_suffix(name: str) -> str:
    """The suffix of a file in lower case, without ``.gz``."""
    return PurePath(name.lower().removesuffix(".gz")).suffix


def detect_rdf_form(text: str) -> str | None:
    """The suffix of the form in which ``text``, the beginning of a file, is RDF; None: it is not RDF."""
    start = text.lstrip()
    if _XML_START.match(start):
        return ".rdf" if RDF_IRI in text else None
    if _CONTEXT.match(start):
        return ".jsonld"
    comments = _COMMENTS.match(start)
    start = start[comments.end() :].lstrip() if comments else start
    if _DIRECTIVE.match(start):
        return ".trig" if _GRAPH_START.search(start) else ".ttl"
    if not _STATEMENT.match(start):
        return None
    lines = [line.strip() for line in start.splitlines()]
    lines = [line for line in lines if line and not line.startswith("#")]
    quads = sum(_QUAD.fullmatch(line) is not None for line in lines)
    others = [line for line in lines if not (_TRIPLE.fullmatch(line) or _QUAD.fullmatch(line))]
    if len(lines) > 1 and others == lines[-1:]:
        others = []  # it is cut off
    if others:
        return ".trig" if _GRAPH_START.search(start) else ".ttl"
    return ".nq" if quads else ".nt"
