"""The stages once, in order: parse, check, plan, map, execute, prove.

The engine does no I/O. It is a generator that yields the statements to run and is sent their rows, so
the synchronous and the asynchronous client drive the very same code, each in one read transaction; a
second copy with ``await`` in it was the alternative.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from time import perf_counter
from typing import Literal as Either

from .answer import Answer, Evidence
from .checking.check import check
from .compiling import Program, Read, Row, compile_search
from .dataset import Scope, incomplete
from .errors import UnknownDataset, UnknownSource
from .language.parse import parse
from .language.query import Literal, Problem, Reference
from .mapping import Candidate, Mapped, Rung, fold, rungs, suggestions
from .planning import ExecutionQuery, Search, Term, plan
from .recording import Recorder
from .triples import KEY_LENGTH

EVIDENCE = 20
"""Facts shown with an answer unless more are asked for."""


def run(text: str, scope: Scope, evidence: int = EVIDENCE) -> Program[Answer]:
    """Run the LLM query in ``text`` over ``scope``; at most ``evidence`` facts are shown.

    Raises:
        UnknownDataset, UnknownSource, IncompleteDataset: the scope cannot be asked.
    """
    recorder = Recorder(perf_counter())
    read = recorder.timed("parse", text, lambda: parse(text))
    if isinstance(read, tuple):
        return recorder.answer("failed", problems=read)
    problems = recorder.timed("check", f"{len(read.steps)} steps", lambda: check(read))
    if problems:
        return recorder.answer("rejected", problems=problems)
    planned = recorder.timed("plan", f"{len(read.steps)} steps", lambda: plan(read))
    if isinstance(planned, tuple):
        return recorder.answer("rejected", problems=planned)
    known = yield from _map(planned, scope, recorder)
    missing = yield from _missing_relations(planned, known, scope, recorder)
    if missing:
        return recorder.answer("not_askable", problems=missing)
    execution = _Execution(scope, known, recorder)
    for search in planned.searches:
        yield from execution.search(search)
    return (yield from execution.answer(evidence))


_NAMED: dict[str, Either["key", "alias"]] = {"key": "key", "alias": "alias"}
"""What a row of ``find_names`` is, other than a name."""


@dataclass(frozen=True)
class _Known:
    """What the names of a query can mean: rungs by the name as given."""

    relations: dict[str, tuple[Rung, ...]]
    names: dict[str, tuple[Rung, ...]]


def _map(planned: ExecutionQuery, scope: Scope, recorder: Recorder) -> Program[_Known]:
    """Look all names of the query up, in one round trip."""
    begun = perf_counter()
    relations = {s.relation.text for s in planned.searches}
    names = {t.text for s in planned.searches for t in s.terms if isinstance(t, Literal)}
    parameters = {
        "dataset": scope.dataset,
        "source": scope.source,
        "relations": sorted({fold(r) for r in relations}),
        "names": sorted({fold(n) for n in names}),
        "keys": sorted(n for n in names if len(n) <= KEY_LENGTH),
    }
    rows = yield from recorder.read(Read("find_names", parameters))
    yield from _enter(rows, scope)
    known = _Known(
        {given: _rungs(given, {"relation"}, rows) for given in relations},
        {given: _rungs(given, {"node", "alias", "key"}, rows) for given in names},
    )
    found = [
        f"{given!r} {rung.how} {', '.join(map(repr, rung.names[:3]))}"
        for given, steps in (known.relations | known.names).items()
        for rung in steps[:1]
    ]
    unknown = [repr(given) for given, steps in (known.relations | known.names).items() if not steps]
    if unknown:
        found.append(f"unknown: {', '.join(unknown)}")
    recorder.note("map", f"{len(relations)} relations, {len(names)} names", "; ".join(found), begun)
    return known


def _enter(rows: list[Row], scope: Scope) -> Program[None]:
    """Refuse a scope that is not there or not complete."""
    state = next((row for row in rows if row["what"] == "dataset"), None)
    if state is None:
        raise UnknownDataset(
            f"no dataset {scope.dataset!r}", hint="`tuqa datasets` lists what is loaded"
        )
    if state["folded"] is None:
        loads = yield Read("unfinished_loads", {"dataset": scope.dataset})
        raise incomplete(scope.dataset, loads)
    if scope.source is not None and state["name"] is None:
        raise UnknownSource(
            f"no source {scope.source!r}",
            where=f"dataset {scope.dataset!r}",
            hint="`tuqa datasets --json` lists its sources",
        )


def _rungs(given: str, what: set[str], rows: list[Row]) -> tuple[Rung, ...]:
    folded = fold(given)
    return rungs(
        given,
        (
            Candidate(row["name"], row["id"], _NAMED.get(row["what"], "name"))
            for row in rows
            if row["what"] in what
            and (row["name"] == given if row["what"] == "key" else row["folded"] == folded)
        ),
    )


def _missing_relations(
    planned: ExecutionQuery, known: _Known, scope: Scope, recorder: Recorder
) -> Program[list[Problem]]:
    """A problem for each relation that the dataset does not have, with the nearest it has."""
    missing = [s for s in planned.searches if not known.relations[s.relation.text]]
    if not missing:
        return []
    rows = yield from recorder.read(Read("relations", {"dataset": scope.dataset}))
    existing = [row["name"] for row in rows]
    problems = []
    for search in missing:
        given = search.relation.text
        near = suggestions(given, existing)
        nearest = ", ".join(near) if near else ", ".join(existing[:5])
        hint = f"did you mean {nearest}?" if near else f"it has {len(existing)}, such as {nearest}"
        message = f"{scope.dataset} has no relation {given!r}; {hint}"
        position = search.relation.position
        problems.append(Problem("unknown relation", message, search.step, position))
    return problems


@dataclass(frozen=True, slots=True)
class _Result:
    """What one search found: a node for each fact, and that fact's ids (one in each source)."""

    search: Search
    nodes: tuple[int, ...] = ()
    facts: tuple[tuple[int, ...], ...] = ()


@dataclass
class _Execution:
    """Runs the searches in turn and keeps each step's result."""

    scope: Scope
    known: _Known
    recorder: Recorder
    results: dict[int, _Result] = field(default_factory=dict)
    mapped: list[Mapped] = field(default_factory=list)

    def search(self, search: Search) -> Program[None]:
        """Run ``search``; where nothing is found at one rung, go on to the next."""
        begun = perf_counter()
        literals = [t for t in search.terms if isinstance(t, Literal)]
        given = [self.known.relations[search.relation.text]]
        given += [self.known.names[t.text] for t in literals]
        result = _Result(search)
        for level in range(max(len(steps) for steps in given)):
            relation, *names = [_at(steps, level) for steps in given]
            assert relation is not None  # _missing_relations
            start = self._start(search.terms, names)
            if not start:
                continue
            read = compile_search(search, relation.names, start, self.scope.source)
            row = (yield from self.recorder.read(read))[0]
            result = _Result(search, tuple(row["nodes"]), tuple(map(tuple, row["facts"])))
            if result.nodes:
                self.mapped.extend(relation.mapped(search.relation.text))
                for term, rung in zip(literals, names, strict=True):
                    self.mapped.extend(rung.mapped(term.text) if rung else ())
                break
        self.results[search.step] = result
        found = f"step {search.step}: {len(set(result.nodes))} nodes by {len(result.nodes)} facts"
        self.recorder.note("execute", str(search), found, begun)

    def _start(self, terms: Sequence[Term], names: Sequence[Rung | None]) -> tuple[int, ...]:
        """Distinct ids of the nodes that ``terms`` stand for."""
        found = iter(names)
        nodes: dict[int, None] = {}
        for term in terms:
            if isinstance(term, Reference):
                nodes.update(dict.fromkeys(self.results[term.step].nodes))
            elif rung := next(found):
                nodes.update(dict.fromkeys(rung.nodes))
        return tuple(nodes)

    def answer(self, limit: int) -> Program[Answer]:
        """Names of the last step's result, and the facts of every step that led there."""
        begun = perf_counter()
        last = list(self.results.values())[-1]
        distinct = list(dict.fromkeys(last.nodes))
        names: list[str] = []
        if distinct:
            rows = yield from self.recorder.read(Read("node_names", {"nodes": distinct}))
            names = sorted(rows[0]["names"])
        evidence, total = yield from self._evidence(limit)
        self.recorder.note("prove", f"{len(distinct)} nodes", f"{total} facts", begun)
        return self.recorder.answer(
            "answered" if names else "empty",
            values=names,
            problems=() if names else self._unknown(),
            mapped=self.mapped,
            evidence=evidence,
            evidence_total=total,
        )

    def _unknown(self) -> list[Problem]:
        """What may be why nothing was found: names that the dataset does not have."""
        return [
            Problem(
                "unknown name", f"{self.scope.dataset} has no {term.text!r}", step, term.position
            )
            for step, result in self.results.items()
            for term in result.search.terms
            if isinstance(term, Literal) and not self.known.names[term.text]
        ]

    def _evidence(self, limit: int) -> Program[tuple[list[Evidence], int]]:
        """The facts of all steps, each once, at most ``limit`` of them; and how many there are."""
        # Each fact in the first step that used it, in the order of the steps.
        steps: dict[int, int] = {}
        for number, result in self.results.items():
            for facts in result.facts:
                for fact in facts:
                    steps.setdefault(fact, number)
        shown = list(steps)[:limit]
        if not shown:
            return [], len(steps)
        rows = yield from self.recorder.read(Read("evidence", {"facts": shown}))
        rows.sort(key=lambda row: (steps[row["id"]], row["source"], row["file"], row["line"]))
        found = [Evidence(**{k: v for k, v in row.items() if k != "id"}) for row in rows]
        return found, len(steps)


def _at(steps: tuple[Rung, ...], level: int) -> Rung | None:
    return steps[min(level, len(steps) - 1)] if steps else None
