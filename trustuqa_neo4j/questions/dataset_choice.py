"""Lets a model select the dataset of a question if several know its words nearly as well.

The choice is one call more, counted in usage and limits. Without a usable reply, or if a limit leaves no call
for the query after it, the datasets are asked in the order of their words.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..errors import LimitReached, PromptTooLong, UnusableReply
from ..prompts.dataset_catalogue import CatalogueEntry, catalogue_prompt, read_choice
from ..prompts.prompt import Prompt
from ..reads.reader import Reader
from .context import QuestionContext
from .options import AskRequest
from .routing import ASKED, Candidate, find_near

MAX_DATASETS = 8  # of a catalogue

Turns = tuple[tuple[str, ...], ...]


def choose_with_model(
    context: QuestionContext, candidates: Sequence[Candidate], by_words: Turns
) -> Turns:
    """The datasets to ask in turn: first those of the model's reply, then those of ``by_words``."""
    if not _has_call_for_query(context):
        return by_words
    near = find_near(candidates)[:MAX_DATASETS]
    prompt = build_choice_prompt(context, near, by_words)
    if prompt is None:
        return by_words
    try:
        reply = context.complete(prompt, 1, 0.0).texts[0]
    except (LimitReached, PromptTooLong, UnusableReply) as error:
        _add_stage(context, near, error.summary)
        return by_words
    chosen = read_choice(reply, [candidate.dataset for candidate in near])
    turns = ", then ".join(" with ".join(turn) for turn in chosen) or "no dataset of these"
    _add_stage(context, near, f"the model selects {turns}")
    names = {name for turn in chosen for name in turn}
    rest = (tuple(name for name in turn if name not in names) for turn in by_words)
    return (*chosen, *filter(None, rest))[:ASKED]


def build_choice_prompt(
    context: QuestionContext, candidates: Sequence[Candidate], by_words: Turns
) -> Prompt | None:
    """The prompt that lets a model select; None if no dataset rivals those that are asked first."""
    if len(by_words) < 2:
        return None
    request = context.request
    entries, _ = context.read(lambda reader: _read_entries(reader, request, candidates))
    return catalogue_prompt(
        request.question, entries, request.prompt_tokens, private=request.private
    )


def _read_entries(
    reader: Reader, request: AskRequest, candidates: Sequence[Candidate]
) -> list[CatalogueEntry]:
    entries = []
    for candidate in candidates:
        datasets = reader.run("describe_dataset", dataset=candidate.dataset)
        rows = reader.run(
            "list_relations", datasets=[candidate.dataset], source=request.scope.source
        )
        for dataset in datasets:  # none, if it was dropped meanwhile
            names = tuple(row["name"] for row in rows)
            # Which words occur in a dataset says something of its values.
            words = () if request.private else tuple(candidate.credits)
            entries.append(CatalogueEntry(candidate.dataset, dataset["kind"], names, words))
    return entries


def _has_call_for_query(context: QuestionContext) -> bool:
    limit = context.meter.limits.max_calls
    return limit is None or context.meter.used.calls + 2 <= limit


def _add_stage(context: QuestionContext, near: Sequence[Candidate], result: str) -> None:
    names = ", ".join(candidate.dataset for candidate in near)
    context.trace.add("choose", f"the model selects among {names}", result)
