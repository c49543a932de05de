"""The chat API of OpenAI under ``/v1``: each dataset is a model, so that chat programs can be pointed at it.

The last message of the user is the question. If it follows another, the user's messages before it are asked
again, from the last one that stands alone. A message that is only a number picks a reading of the one before.
"""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator, Sequence
from time import time
from typing import Any, Literal
from uuid import uuid4

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from sse_starlette import EventSourceResponse, ServerSentEvent
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from ..answer import SUCCESS_OUTCOMES, Answer
from ..errors import TrustUQAError, describe_invalid
from ..questions.follow_up import read_follow_up
from .access import require
from .api import json_response
from .endpoints import Handler
from .problems import make_problem
from .service import Service, run_while_connected

MAX_QUESTIONS = 10
"""Questions that are asked for one message, at most."""
_CHOOSE = "reply with its number"
_PICK = re.compile(r"[1-9]\.?")


class _Part(BaseModel):
    model_config = ConfigDict(extra="ignore")
    type: str
    text: str = ""


class _ChatMessage(BaseModel):
    model_config = ConfigDict(extra="ignore")
    role: str
    content: str | list[_Part] | None = None

    @property
    def text(self) -> str:
        if isinstance(self.content, str):
            return self.content
        return "\n".join(part.text for part in self.content or () if part.type == "text")


class _StreamOptions(BaseModel):
    model_config = ConfigDict(extra="ignore")
    include_usage: bool = False


class _ChatBody(BaseModel):
    # Programs send temperatures and much else, which means nothing here.
    model_config = ConfigDict(extra="ignore")
    model: str
    messages: list[_ChatMessage] = Field(min_length=1)
    stream: bool | None = None
    stream_options: _StreamOptions | None = None
    n: Literal[1] | None = None


class Chat:
    def __init__(self, service: Service) -> None:
        self._service = service

    def routes(self) -> list[Route]:
        return [
            Route("/v1/models", _answer_errors(self.list_models)),
            Route("/v1/models/{model:path}", _answer_errors(self.show_model)),
            Route("/v1/chat/completions", _answer_errors(self.complete), methods=["POST"]),
        ]

    async def list_models(self, _: Request) -> Response:
        datasets = await self._service.call(self._service.tuqa.datasets)
        models = [_describe_model(dataset.name) for dataset in datasets if dataset.complete]
        return json_response({"object": "list", "data": models})

    async def show_model(self, request: Request) -> Response:
        name = request.path_params["model"]
        datasets = await self._service.call(self._service.tuqa.datasets)
        if not any(dataset.name == name and dataset.complete for dataset in datasets):
            message = f"no model {name!r}; the models are the datasets that /v1/models lists"
            return _refuse(404, message, "invalid_request_error", "model_not_found")
        return json_response(_describe_model(name))

    async def complete(self, request: Request) -> Response:
        try:
            body = _ChatBody.model_validate_json(await request.body())
        except ValidationError as error:
            reason, place = describe_invalid(error)
            text = f"{place}: {reason}" if place else reason
            return _refuse(400, text, "invalid_request_error")
        questions = [message.text for message in body.messages if message.role == "user"]
        if not questions or not questions[-1].strip():
            return _refuse(400, "there is no message of the user", "invalid_request_error")
        head = {"id": f"chatcmpl-{uuid4().hex}", "created": int(time()), "model": body.model}
        ask = self._ask(_read_questions(questions), body.model)
        # The answer is there as a whole or not at all, so a stream has it in one piece.
        answer = await run_while_connected(request, ask)
        if body.stream:
            with_usage = body.stream_options is not None and body.stream_options.include_usage
            return EventSourceResponse(_stream_chunks(head, answer, with_usage))
        message = {"role": "assistant", "content": answer.to_markdown(choose=_CHOOSE)}
        choice = {"index": 0, "message": message, "finish_reason": "stop", "logprobs": None}
        return json_response(
            {**head, "object": "chat.completion", "choices": [choice], "usage": _usage(answer)}
        )

    async def _ask(self, questions: list[tuple[str, int | None]], dataset: str) -> Answer:
        """Ask the last of the questions after those that it follows.

        The last one may name nothing, as *what is the price*; an earlier one that stands alone begins.
        """
        asked: list[tuple[str, int | None]] = []
        for question, pick in reversed(questions[-MAX_QUESTIONS:]):
            follow_up = read_follow_up(question)
            is_first = follow_up is None or (follow_up.stands_alone and bool(asked))
            asked.insert(0, (question, pick))
            if is_first:
                break
        private = self._service.options.private
        past: list[Answer] = []
        for question, pick in asked:
            answer = await self._service.ask(
                question, dataset, private=private, follows=past or None, pick=pick
            )
            if answer.outcome in SUCCESS_OUTCOMES:
                past.append(answer)
        return answer


def _read_questions(messages: Sequence[str]) -> list[tuple[str, int | None]]:
    """The questions among the messages, each with the number of the reading that was picked, if any."""
    questions: list[tuple[str, int | None]] = []
    for text in messages:
        if questions and _PICK.fullmatch(text.strip()):
            questions[-1] = questions[-1][0], int(text.strip().rstrip("."))
        else:
            questions.append((text, None))
    return questions


def _describe_model(dataset: str) -> dict[str, Any]:
    return {"id": dataset, "object": "model", "created": 0, "owned_by": "trustuqa_neo4j"}


async def _stream_chunks(
    head: dict[str, Any], answer: Answer, with_usage: bool
) -> AsyncIterator[ServerSentEvent]:
    head = {**head, "object": "chat.completion.chunk"}
    deltas: tuple[dict[str, str], ...] = (
        {"role": "assistant", "content": ""},
        {"content": answer.to_markdown(choose=_CHOOSE)},
        {},
    )
    for delta in deltas:
        choice = {"index": 0, "delta": delta, "finish_reason": None if delta else "stop"}
        yield ServerSentEvent(json.dumps({**head, "choices": [choice]}))
    if with_usage:
        yield ServerSentEvent(json.dumps({**head, "choices": [], "usage": _usage(answer)}))
    yield ServerSentEvent("[DONE]")


def _usage(answer: Answer) -> dict[str, int]:
    sent = int(answer.usage.get("input_tokens") or 0)
    received = int(answer.usage.get("output_tokens") or 0)
    return {"prompt_tokens": sent, "completion_tokens": received, "total_tokens": sent + received}


def _answer_errors(view: Handler) -> Handler:
    """Wrap ``view``: errors of the package have the form of the chat API."""
    allowed = require("ask", view)

    async def respond(request: Request) -> Response:
        try:
            return await allowed(request)
        except TrustUQAError as error:
            return _error_response(error)

    return respond


def _error_response(error: TrustUQAError) -> Response:
    problem = make_problem(error)
    kind = "invalid_request_error" if problem["status"] < 500 else "server_error"
    return _refuse(problem["status"], error.summary, kind)


def _refuse(status: int, message: str, kind: str, code: str | None = None) -> Response:
    error = {"message": message, "type": kind, "param": None, "code": code}
    return json_response({"error": error}, status)
