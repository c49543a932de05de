"""The statements of ``cypher/``, read by name; they are sent byte for byte as they stand in their files.

A statement begins with a comment: one sentence, then a line per parameter (``$name: type``). Its declared
and used parameters must agree, and so must the parameters that a caller passes. Most files hold one
statement. The files ``schema_v*.cypher`` hold several, parted by ``;``, each named after its constraint or
index.

Many statements test a property that every node of a label has (``WHERE node.key IS NOT NULL``). The planner
uses an index of several properties only if the statement names all of them: ``// uses the index``.

Each embedding model has a number, and its vectors have a property and an index of their own. The files have
those of model 0. ``name@1`` is the same statement for model 1: parameters cannot name an index.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

_DECLARED = re.compile(r"^//\s*\$(\w+):", re.MULTILINE)
_COMMENT = re.compile(r"//[^\n]*")
_USED = re.compile(r"\$(\w+)")
_SCHEMA_FILE = "schema_v"
_MADE_BY_SCHEMA = re.compile(r"^CREATE .*?(?:CONSTRAINT|INDEX) (\w+)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Statement:
    name: str
    text: str
    summary: str
    parameters: frozenset[str]

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
    return Statement(name, text, first[3:], declared)


_OF_MODEL = re.compile(r"(?<=\.)embedding\b|(?<=')embedding(?=')|\btuqa_(?:name|pattern)_vector\b")


@cache
def get_statement(name: str) -> Statement:
    # ``name`` is a file of ``cypher/``, or a constraint or index of the schema.
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
