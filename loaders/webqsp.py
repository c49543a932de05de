"""``webqsp``: the part of Freebase that WebQSP asks about: facts between ids, and their names.

The name of a file contains its role: ``kb`` facts, ``names``, ``aliases``. Ids are keys, since names
repeat; the node of an n-ary fact has no name. Names come in any order and the loader needs them before the
first fact, so it holds them in memory.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path, PurePath
from typing import NamedTuple

from trustuqa_neo4j.errors import UsageError
from trustuqa_neo4j.loading.formats import File, Loader, ReadOptions
from trustuqa_neo4j.model.facts import Fact, Item, NodeDeclared

from . import kg
from ._inputs import find_plain_or_gzip, missing_file_error
from ._text import SKIP_BAD_LINES, open_lines, without_reports
from ._triples import no_fact_error, read_names

# Lines of Freebase dumps: ``head⇥relation⇥tail⇥.``, as IRIs and literals or shortened to ids.
#
# ``<http://rdf.freebase.com/ns/m.0abc>`` and ``m.0abc`` are the same. Shortened lines are not N-Triples, so
# this reader accepts what dumps contain and no more.

_LINE_HINT = f"each line is head, relation, tail and a dot, with tabs; {SKIP_BAD_LINES}"
_NAME, _ALIAS = "type.object.name", "common.topic.alias"
_NAMESPACE = "http://rdf.freebase.com/ns/"
_LITERAL = re.compile(r'"((?:[^"\\]|\\.)*)"(?:@([A-Za-z0-9-]+)|\^\^\S+)?')
_ESCAPE = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|(.))")
_ESCAPED_CHARACTERS = {"t": "\t", "b": "\b", "n": "\n", "r": "\r", "f": "\f"}


class FreebaseTriple(NamedTuple):
    line: int
    head: str
    relation: str
    tail: str
    is_text: bool
    language: str


def _read_triples(file: File, options: ReadOptions) -> Iterator[FreebaseTriple]:
    with open_lines(file, options) as lines:
        for line in lines:
            fields = line.strip().split("\t")
            if len(fields) == 4 and fields[3] == "." and all(fields):
                tail = fields[2]
                literal = _LITERAL.fullmatch(tail)
                language = (literal[2] or "") if literal else ""
                tail = _ESCAPE.sub(_unescape, literal[1]) if literal else _shorten_iri(tail)
                head, relation = _shorten_iri(fields[0]), _shorten_iri(fields[1])
                is_text = literal is not None
                yield FreebaseTriple(lines.number, head, relation, tail, is_text, language)
            elif fields != [""]:
                where = f"{file.name}:{lines.number}"
                options.malformed("not head, relation, tail and a dot", where, _LINE_HINT)


def _shorten_iri(text: str) -> str:
    if text[0] == "<" and text[-1] == ">":
        return text[1:-1].removeprefix(_NAMESPACE)
    return text


def _unescape(escape: re.Match[str]) -> str:
    code = escape[1] or escape[2]
    if not code:
        return _ESCAPED_CHARACTERS.get(escape[3], escape[3])
    number = int(code, 16)
    is_character = number < 0xD800 or 0xDFFF < number < 0x110000
    return chr(number) if is_character else escape[0]


_ROLES = ("kb", "names", "aliases")
_DUMP_SUFFIX = ".nt"
_KB_FILES = ("kb.tsv", f"kb{_DUMP_SUFFIX}")
_COLUMNS = replace(kg.COLUMNS, delimiters="\t")
_ID = re.compile(r"[mg]\.[0-9a-z_]+|cvt\.\d+")
_FILE_HINT = (
    "call them kb.tsv or kb.nt, names.tsv, aliases.tsv (each also .gz), or give their folder"
)


class _NodeNames:
    def __init__(self, files: dict[str, list[File]], options: ReadOptions) -> None:
        self._names = read_names(files["names"], options)
        self._aliases = read_names(files["aliases"], options)
        self._declared: set[str] = set()
        for file in files["kb"]:
            if _is_dump(file):
                self._read_dump_names(file, options)

    def _read_dump_names(self, file: File, options: ReadOptions) -> None:
        for triple in _read_triples(file, without_reports(options)):
            is_name = triple.relation in (_NAME, _ALIAS)
            if triple.is_text and triple.language == "en" and is_name:
                names = self._names if triple.relation == _NAME else self._aliases
                names.setdefault(triple.head, []).append(triple.tail)

    def declare_new(self, key: str) -> Iterator[NodeDeclared]:
        # A text is not an id and has no name; it is not declared.
        if key in self._declared or not (key in self._names or _ID.fullmatch(key)):
            return
        self._declared.add(key)
        names = self._names.get(key, [])
        name = names[0] if names else None
        aliases = dict.fromkeys([*names, *self._aliases.get(key, ())])
        yield NodeDeclared(key, name, tuple(alias for alias in aliases if alias != name))


def read_items(files: Sequence[File], options: ReadOptions) -> Iterator[Item]:
    by_role = _group_by_role(files)
    nodes = _NodeNames(by_role, options)
    for file in by_role["kb"]:
        yield options.part(file.name, file.name, "kg")
        is_dump = _is_dump(file)
        facts = _dump_facts(file, options) if is_dump else kg.read_facts(file, options, _COLUMNS)
        for fact in facts:
            yield from nodes.declare_new(fact.head)
            yield from nodes.declare_new(fact.tail)
            yield fact


def _dump_facts(file: File, options: ReadOptions) -> Iterator[Fact]:
    is_empty = True
    for line, head, relation, tail, is_text, _ in _read_triples(file, options):
        if is_text and (relation in (_NAME, _ALIAS) or not tail.strip()):
            continue
        is_empty = False
        yield Fact(head, relation, tail, line)
    if is_empty:
        raise no_fact_error(file)


def _group_by_role(files: Sequence[File]) -> dict[str, list[File]]:
    by_role: dict[str, list[File]] = {role: [] for role in _ROLES}
    for file in files:
        role = PurePath(file.name).name.partition(".")[0]
        if role not in by_role:
            what = "the name of the file does not say what is in it"
            raise UsageError(what, where=file.name, hint=_FILE_HINT)
        by_role[role].append(file)
    if files and not by_role["kb"]:
        raise UsageError("no file of facts", where=files[0].name, hint=_FILE_HINT)
    return by_role


def _is_dump(file: File) -> bool:
    return PurePath(file.name.removesuffix(".gz")).suffix == _DUMP_SUFFIX


def expand_folder(folder: Path) -> Sequence[Path]:
    kb = next((path for name in _KB_FILES if (path := find_plain_or_gzip(folder, name))), None)
    if kb is None:
        raise missing_file_error(folder, _KB_FILES)
    side_files = (find_plain_or_gzip(folder, f"{role}.tsv") for role in _ROLES[1:])
    return [kb, *(path for path in side_files if path is not None)]


LOADER = Loader(
    name="webqsp",
    summary="Freebase as WebQSP uses it: kb.tsv, names.tsv, aliases.tsv or their folder",
    kind="kg",
    read=read_items,
    expand=expand_folder,
    benchmark=True,
    reads=frozenset({"kg", "rdf"}),
)
