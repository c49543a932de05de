"""A question answered with no model: demonstrations like it are followed, and what they find is voted on.

It knows no more than it was shown, and says so: below a score that was measured for the dataset the question
cannot be asked, and the questions nearest to it that could be are told.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..answer import Answer
from ..compiling import Program
from ..dataset import Scope
from ..demonstrating.deciding import THRESHOLD, Decision
from ..demonstrating.offline import Candidates, candidates
from ..demonstrating.suggesting import Candidate
from ..demonstrating.words import mark
from ..language.query import Problem
from .dialogue import Dialogue, Wish, enter, look
from .telling import Teller
from .trying import Tries, try_out

NOTHING = "nothing like it was demonstrated"


def by_demonstrations(wish: Wish) -> Dialogue[Answer]:
    """Follow the nearest demonstrations, and give what they find if it is sure enough.

    Raises:
        UnknownDataset, UnknownSource, IncompleteDataset
    """
    teller = Teller()
    found, sent = yield from look(lambda: _look(wish))
    told = "; ".join(_told(each, wish.scope) for each in found.queries)
    yield from teller.tell("retrieve", wish.question, told or NOTHING, sent)
    if not found.queries:
        return teller.finish(_not_askable(wish, found), question=wish.question)
    tries = yield from try_out(found.queries)
    decision = tries.decision
    yield from teller.tell("vote", f"{len(tries.answers)} queries", _voted(tries))
    sure = _needed(found, decision)
    if decision.place is None or decision.score < max(sure, wish.min_confidence):
        kept = _kept_back(wish, found, decision, sure)
        return teller.finish(kept, question=wish.question, datasets=_datasets(found))
    chosen = found.queries[decision.place]
    yield from teller.tell("follow", chosen.pattern.question, _followed(chosen))
    return teller.finish(
        tries.answers[decision.place],
        question=wish.question,
        llm_query=chosen.query,
        confidence=round(decision.score, 4),
        datasets=(chosen.dataset,),
        hints=tuple(_nearest(chosen)),
    )


def _look(wish: Wish) -> Program[Candidates]:
    """Queries that demonstrations suggest."""
    yield from enter(wish.scope)
    return (yield from candidates(mark(wish.question, wish.entities), wish.scope, True))


def _needed(found: Candidates, decision: Decision) -> float:
    """How sure an answer of its dataset has to be."""
    if decision.place is None:
        return 0.0
    known = found.askable.get(found.queries[decision.place].dataset)
    return THRESHOLD if known is None or known.threshold is None else known.threshold


def _told(candidate: Candidate, scope: Scope) -> str:
    """A candidate and, where several datasets are asked, in which of them it would be looked for."""
    where = f" in {candidate.dataset}" if len(scope.datasets) > 1 else ""
    return f"{candidate.score:.2f} after {candidate.pattern.question!r}{where}"


def _datasets(found: Candidates) -> tuple[str, ...]:
    return tuple(dict.fromkeys(each.dataset for each in found.queries))


def _followed(chosen: Candidate) -> str:
    """How well the demonstration fits, and what stands in the place of what."""
    changed = [f"{put!r} for {was!r}" for was, put in chosen.bindings if put != was]
    return "; ".join((f"it fits to {chosen.score:.2f}", *changed))


def _nearest(chosen: Candidate) -> Iterator[str]:
    """What may have been meant by names that the data do not have."""
    for each in chosen.unknown:
        if each.nearest:
            yield f"near {each.said!r}: {', '.join(map(repr, each.nearest))}"


def _voted(tries: Tries) -> str:
    said = "; ".join(
        f"{', '.join(map(str, answer.values[:3]))}…"
        if len(answer.values) > 3
        else ", ".join(map(str, answer.values)) or answer.outcome.replace("_", " ")
        for answer in tries.answers
    )
    place, score = tries.decision.place, tries.decision.score
    if place is None:
        return f"none of: {said}"
    return f"number {place + 1}, {score:.2f} sure, of: {said}"


def _kept_back(wish: Wish, found: Candidates, decision: Decision, sure: float) -> Answer:
    """What is said where nothing is sure enough: below the wish of the caller, or that of the data."""
    if decision.place is not None and decision.score >= sure:
        said = f"{decision.score:.2f} sure, {wish.min_confidence:.2f} was wished"
        return Answer("abstained", confidence=round(decision.score, 4), hints=(said,))
    return _not_askable(wish, found)


def _not_askable(wish: Wish, found: Candidates) -> Answer:
    asked = ", ".join(wish.scope.datasets)
    if found.nearest:
        message = "no demonstration is like the question; `--llm openai:NAME` asks a model"
    else:
        message = (
            f"{asked} has no demonstrations to go by; teach some (`tuqa demonstrations import`), "
            "or ask a model (`--llm openai:NAME`)"
        )
    return Answer(
        "not_askable",
        problems=(Problem("not demonstrated", message),),
        hints=tuple(dict.fromkeys(pattern.question for pattern in found.nearest)),
    )
