"""The statements of ``cypher/``, read by name; they are sent byte for byte as they stand in their files.

A statement begins with a comment: one sentence, then a line per parameter (``$name: type``). Its declared
and used parameters must agree, and so must the parameters that a caller passes. Most files hold one
statement. The files ``schema_v*.cypher`` hold several, parted by ``;``, each named after its constraint or
index.

Many statements test a property that every node of a label has (``WHERE node.key IS NOT NULL``). The planner
uses an index of several properties only if the statement names all of them: ``// uses the index``.

Each embedding model has a number, and its vectors have a property and an index of their own. The files have
those of model 0. ``name@1`` is the same statement for model 1: parameters cannot name an index.

A parameter that is a ``stored dataset`` is the name under which the data of a dataset stand
(``versions``); ``$public`` maps such names to those of the datasets. ``name+hiding``
is the same statement during a load that adds to a dataset.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any, Literal

_DECLARED = re.compile(r"^//\s*\$(\w+):", re.MULTILINE)
_COMMENT = re.compile(r"//[^\n]*")
_STORED = re.compile(r"^//\s*\$(\w+): [^\n]*?(search(?:es)? of )?stored datasets?\b", re.MULTILINE)
_USED = re.compile(r"\$(\w+)")
_SCHEMA_FILE = "schema_v"
_MADE_BY_SCHEMA = re.compile(r"^CREATE .*?(?:CONSTRAINT|INDEX) (\w+)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Statement:
    name: str
    text: str
    summary: str
    parameters: frozenset[str]
    stored: Mapping[str, Literal["name", "search"]] = field(default_factory=dict)

    def check(self, parameters: Mapping[str, Any]) -> None:
        if parameters.keys() != self.parameters:
            missing = ", ".join(sorted(self.parameters - parameters.keys())) or "none"
            extra = ", ".join(sorted(parameters.keys() - self.parameters)) or "none"
            raise TypeError(f"statement {self.name}: missing {missing}; not declared {extra}")


def parse_statement(name: str, text: str) -> Statement:
    declared = frozenset(_DECLARED.findall(text))
    occurring = frozenset(_USED.findall(_COMMENT.sub("", text)))
    if declared != occurring:
        raise ValueError(f"{name}: declares {sorted(declared)}, uses {sorted(occurring)}")
    first = text.split("\n", 1)[0]
    if not first.startswith("// ") or not first.endswith("."):
        raise ValueError(f"{name}: begins with no comment that is a sentence")
    stored: dict[str, Literal["name", "search"]] = {
        parameter: "search" if is_search else "name"
        for parameter, is_search in _STORED.findall(text)
        if parameter != PUBLIC
    }
    return Statement(name, text, first[3:], declared, stored)


HIDING = "+hiding"
"""End of the names of statements that see nothing of the loads that add to datasets now."""

PENDING = "+pending"
"""End of the names of writing statements that mark what they create as not visible yet."""

NEW = "+new"
"""End of the names of writing statements whose nodes are certainly new, so that none is searched for."""

ADDING = "adding"
"""Their parameter: stored name of each such dataset → the first number of its hidden facts."""

PUBLIC = "public"
"""The parameter that maps stored names to the names of datasets."""

_NODE = re.compile(
    r"\((\w*):(Node|Name|Row|Alias|Source|Relation|Class|Property)(\s*\{[^{}]*\})?\)"
)
_CREATED = re.compile(r"ON CREATE SET (?!has\b)(\w+)")
_MERGED = re.compile(
    r"MERGE \(node:Node \{([^}]*)\}\)\nON CREATE SET node((?::\w+)+)((?:,\s+node\.\w+ = row\[\d+\])*)\n"
)
_LINK = re.compile(r"\[(\w*):(FACT|HAS)\]")
_SEARCHED = re.compile(r"(YIELD node AS (\w+)[^\n]*\n)(WHERE )?")


def _hide_pending(text: str) -> str:
    """Rewrite a reading statement so that it sees nothing of the loads that add to datasets now.

    Readers need it only during such a load: at other times the statements have no further condition.
    """
    count = 0

    def name(variable: str) -> str:
        nonlocal count
        count += 1
        return variable or f"hidden{count}"

    def is_hidden(variable: str) -> str:
        return f"NOT ({variable}:Pending AND ${ADDING}[{variable}.dataset] IS NOT NULL)"

    def node(match: re.Match[str]) -> str:
        variable = name(match[1])
        return f"({variable}:{match[2]}{match[3] or ''} WHERE {is_hidden(variable)})"

    def link(match: re.Match[str]) -> str:
        variable = name(match[1])
        first = f"coalesce(${ADDING}[startNode({variable}).dataset], 9007199254740991)"
        return f"[{variable}:{match[2]} WHERE coalesce({variable}.number, 0) < {first}]"

    def searched(match: re.Match[str]) -> str:
        return f"{match[1]}WHERE {is_hidden(match[2])}{' AND ' if match[3] else chr(10)}"

    body = text
    return _SEARCHED.sub(searched, _LINK.sub(link, _NODE.sub(node, body)))


def _create_merged(match: re.Match[str]) -> str:
    # A MERGE takes twice the time: it searches, and sets one property after the other.
    properties = re.sub(r"node\.(\w+) = ", r"\1: ", match[3])
    return f"CREATE (node:Node{match[2]} {{{match[1]}{properties}}})\n"


@cache
def is_hiding(name: str) -> bool:
    """Whether the statement has to be rewritten to see nothing of a load that adds to a dataset."""
    text = _COMMENT.sub("", get_statement(name).text)
    if "VECTOR INDEX" in text:  # names get vectors when they are visible
        return False
    return any(pattern.search(text) for pattern in (_NODE, _LINK, _SEARCHED))


_OF_MODEL = re.compile(r"(?<=\.)embedding\b|(?<=')embedding(?=')|\btuqa_(?:name|pattern)_vector\b")


@cache
def get_statement(name: str) -> Statement:
    # ``name`` is a file of ``cypher/``, or a constraint or index of the schema.
    if name.endswith(HIDING):
        statement = get_statement(name.removesuffix(HIDING))
        declared = f"// ${ADDING}: map of stored names to the first number of hidden facts\n"
        head, _, body = statement.text.partition("\n")
        return parse_statement(name, f"{head}\n{declared}{_hide_pending(body)}")
    if name.endswith(PENDING):
        statement = get_statement(name.removesuffix(PENDING))
        text = _CREATED.sub(r"ON CREATE SET \1:Pending, \1", statement.text)
        return parse_statement(name, text)
    if name.endswith(NEW):
        statement = get_statement(name.removesuffix(NEW))
        return parse_statement(name, _MERGED.sub(_create_merged, statement.text))
    base, _, number = name.partition("@")
    if number:
        text = _OF_MODEL.sub(rf"\g<0>_{int(number)}", get_statement(base).text)
        return parse_statement(name, text)
    for file in _files():
        if file.startswith(_SCHEMA_FILE) and name in schema_statements(file):
            return schema_statements(file)[name]
    return parse_statement(name, _text(name))


@cache
def schema_statements(file: str) -> dict[str, Statement]:
    # By the name of the constraint or index that each statement makes.
    parts = [part.strip() + "\n" for part in _text(file).split(";\n") if part.strip()]
    return {
        name: parse_statement(name, part)
        for part in parts
        for name in _MADE_BY_SCHEMA.findall(part)
    }


_NO_NAME = "No Name"  # normalized names have no capitals
_NO_ID = -1
_FOR_EMPTY: Mapping[str, Mapping[str, list[Any]]] = {
    "resolve_names": {
        "relations": [_NO_NAME],
        "names": [_NO_NAME],
        "keys": ["\0"],
        "steps": [["", _NO_NAME, _NO_NAME]],
    },
    "start_question": {"keys": ["\0"], "names": [_NO_NAME]},
    "get_evidence": {"nodes": [_NO_ID], "facts": [_NO_ID]},
}


def fill_empty_lists(name: str, parameters: dict[str, Any]) -> dict[str, Any]:
    """Put what names nothing into the empty lists of statements that all questions send.

    The server plans a statement anew for parameters of other types, and an empty list has another type than
    one of texts. A plan of the longest takes a new server half a second.
    """
    fillings = _FOR_EMPTY.get(name.removesuffix(HIDING))
    if fillings is None:
        return parameters
    return {key: value or fillings.get(key, value) for key, value in parameters.items()}


def list_statements() -> list[str]:
    schema_files = {file for file in _files() if file.startswith(_SCHEMA_FILE)}
    in_schema = {name for file in schema_files for name in schema_statements(file)}
    return sorted((_files() - schema_files) | in_schema)


@cache
def _files() -> frozenset[str]:
    folder = files("trustuqa_neo4j.cypher").iterdir()
    return frozenset(
        file.name.removesuffix(".cypher") for file in folder if file.name.endswith(".cypher")
    )


def _text(file: str) -> str:
    path = files("trustuqa_neo4j.cypher").joinpath(f"{file}.cypher")
    return path.read_text(encoding="utf-8")
