"""``webqsp``: the part of Freebase that WebQSP's questions are about: facts of ids, and their names.

Files have roles by their names: ``kb`` facts, ``names``, ``aliases``. Ids are keys, since names repeat;
what has no name (the nodes that hold an n-ary fact together) stays without one. Names are held in memory:
they stand in no order, and each must be known before the first fact of what it names.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path, PurePath

from trustuqa_neo4j.errors import UsageError
from trustuqa_neo4j.loader import File, Loader, Reading
from trustuqa_neo4j.triples import Fact, Item, Thing

from . import freebase, kg
from .columns import no_fact
from .layouts import nothing_in, plain_or_gzip
from .names import texts

_ROLES = ("kb", "names", "aliases")
_DUMP = ".nt"
_KBS = ("kb.tsv", f"kb{_DUMP}")
_FORM = replace(kg.FORM, delimiters="\t")
_ID = re.compile(r"[mg]\.[0-9a-z_]+|cvt\.\d+")
_HINT = "call them kb.tsv or kb.nt, names.tsv, aliases.tsv (each also .gz), or give their folder"


class _Freebase:
    """What ids are called, and which have been given."""

    def __init__(self, files: dict[str, list[File]], reading: Reading) -> None:
        self._names = texts(files["names"], reading)
        self._aliases = texts(files["aliases"], reading)
        self._given: set[str] = set()
        # Bad lines are noted when the facts are read, and only then.
        quiet = replace(reading, skip_bad=1 << 62, bad=[], progress=lambda _file, _done: None)
        for file in files["kb"]:
            if _is_dump(file):
                for key, relation, text in freebase.names(file, quiet):
                    into = self._names if relation == freebase.NAME else self._aliases
                    into.setdefault(key, []).append(text)

    def new(self, key: str) -> Iterator[Thing]:
        """The thing ``key`` if it is one, and new; what is neither id nor named is a text."""
        if key in self._given or not (key in self._names or _ID.fullmatch(key)):
            return
        self._given.add(key)
        names = self._names.get(key, [])
        name = names[0] if names else None
        aliases = dict.fromkeys([*names, *self._aliases.get(key, ())])
        yield Thing(key, name, tuple(alias for alias in aliases if alias != name))


def read(files: Sequence[File], reading: Reading) -> Iterator[Item]:
    """The facts of each kb file, each thing before the first that has it.

    Raises:
        MissingFile, UnreadableFile, MalformedLine
        UsageError: what a file is cannot be told from its name, or no file has facts.
    """
    by_role = _by_role(files)
    things = _Freebase(by_role, reading)
    for file in by_role["kb"]:
        yield reading.part(file.name, file.name, "kg")
        facts = _of_dump(file, reading) if _is_dump(file) else kg.facts(file, reading, _FORM)
        for fact in facts:
            yield from things.new(fact.head)
            yield from things.new(fact.tail)
            yield fact


def _of_dump(file: File, reading: Reading) -> Iterator[Fact]:
    """The facts of a dump: all triples that are no names."""
    facts = 0
    for number, head, relation, tail, is_text, _ in freebase.triples(file, reading):
        if is_text and (relation in (freebase.NAME, freebase.ALIAS) or not tail.strip()):
            continue
        facts += 1
        yield Fact(head, relation, tail, number)
    if not facts:
        raise no_fact(file)


def _by_role(files: Sequence[File]) -> dict[str, list[File]]:
    by_role: dict[str, list[File]] = {role: [] for role in _ROLES}
    for file in files:
        role = PurePath(file.name).name.partition(".")[0]
        if role not in by_role:
            raise UsageError("what is in it cannot be told", where=file.name, hint=_HINT)
        by_role[role].append(file)
    if files and not by_role["kb"]:
        raise UsageError("no file of facts", where=files[0].name, hint=_HINT)
    return by_role


def _is_dump(file: File) -> bool:
    return PurePath(file.name.removesuffix(".gz")).suffix == _DUMP


def expand(folder: Path) -> Sequence[Path]:
    """The facts in a folder, with their names and aliases where they are there.

    Raises:
        UnreadableFile: there are no facts.
    """
    kb = next((path for name in _KBS if (path := plain_or_gzip(folder, name))), None)
    if kb is None:
        raise nothing_in(folder, _KBS)
    beside = (plain_or_gzip(folder, f"{role}.tsv") for role in _ROLES[1:])
    return [kb, *(path for path in beside if path is not None)]


LOADER = Loader(
    name="webqsp",
    summary="Freebase as WebQSP uses it: kb.tsv, names.tsv, aliases.tsv or their folder",
    kind="kg",
    read=read,
    expand=expand,
)
