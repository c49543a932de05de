"""Lets a model word an answer in a sentence, beside the answer and never in its place."""

from __future__ import annotations

from dataclasses import asdict, replace
from time import perf_counter

from ..answer import Answer
from ..errors import LimitReached, ModelError, PromptTooLong, TimedOut
from ..prompts.prose import MAX_LENGTH, MAX_VALUES, find_fault, prose_prompt, read_sentence
from ..reasoning.notes import Note, NoteKind
from ..trace import TraceBuilder
from ..values import read_truth_word
from .context import QuestionContext


def add_prose(context: QuestionContext, answer: Answer) -> Answer:
    """Return ``answer`` with a sentence of the model, or with a note that says why there is none."""
    if answer.outcome != "answered":
        return answer
    begun = perf_counter()
    sentence, fault = _word_answer(context, answer)
    trace = TraceBuilder(context.listen)
    shown = ": ".join(filter(None, (fault, sentence)))
    trace.add("word", context.request.question, shown, begun)
    if fault:
        message = f"the model has not worded the answer: {fault}"
        note = Note(NoteKind.NOT_WORDED, message, 1, 1, ())
        answer = replace(answer, notes=(*answer.notes, note))
    (stage,) = trace.stages
    total = round(answer.ms.get("total", 0.0) + stage.ms, 3)
    ms = {**answer.ms, "word": stage.ms, "total": total}
    return replace(
        answer,
        prose=None if fault else sentence,
        trace=(*answer.trace, stage),
        ms=ms,
        usage=asdict(context.meter.used),
        sent=context.sent_kinds,
    )


def _word_answer(context: QuestionContext, answer: Answer) -> tuple[str, str]:
    """The sentence of the model, and why it cannot be shown; empty if it can."""
    is_table = answer.columns is not None and len(answer.columns) > 1
    columns = answer.columns or () if is_table else ()
    rows = answer.shown_rows if is_table else tuple((value,) for value in answer.shown_values)
    values = [cell for row in rows for cell in row]
    size = sum(len(row) for row in rows)
    if size > MAX_VALUES:
        return "", f"it has more than {MAX_VALUES} values"
    if answer.truncated is not None:
        return "", "some of its values are missing"
    if any(len(value) > MAX_LENGTH for value in values):
        return "", f"it has a value of more than {MAX_LENGTH} characters"
    if any(read_truth_word(value) is not None for value in values):
        return "", "it says yes or no, which a sentence can have without saying it"
    request = context.request
    prompt = prose_prompt(request.question, columns, rows, request.prompt_tokens)
    try:
        sentence = read_sentence(context.complete(prompt, 1, 0.0).texts[0])
    except (ModelError, LimitReached, PromptTooLong, TimedOut) as error:
        return "", error.summary
    return sentence, find_fault(sentence, request.question, rows)
