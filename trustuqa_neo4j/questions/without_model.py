"""Answers a question without a model: after a demonstration, or as the semantic parser reads it.

A demonstration that is certain is followed without the parser. Else the surer of both is the answer.
"""

from __future__ import annotations

from ..answer import Answer
from .context import QuestionContext, enter_scope
from .with_demonstrations import answer_with_demonstrations


def answer_without_model(context: QuestionContext) -> Answer:
    if context.request.follows is not None:
        from .with_follow_up import answer_follow_up

        answer = answer_follow_up(context, answer_without_model)
        if answer is not None:
            return answer
    if not context.request.needs_routing:
        return _answer_in_scope(context)
    from .with_routing import answer_with_routing

    return answer_with_routing(context, _answer_in_scope)


def _answer_in_scope(context: QuestionContext) -> Answer:
    request = context.request
    demonstrated: Answer | None = None
    if request.pick is None and request.demonstrations:
        followed = answer_with_demonstrations(context)
        if not request.reader or followed.is_certain:
            return followed.answer
        demonstrated = followed.answer
    else:
        context.read(lambda reader: enter_scope(reader, request.scope))
    # Its imports would be a tenth of the time of a command whose question is demonstrated.
    from .with_semantic_parser import answer_with_semantic_parser

    return answer_with_semantic_parser(context, demonstrated)
