"""The API under ``/api/v1``: a table of endpoints, from which the routes and the description are made.

Bodies of responses are what the commands print with ``--json``.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping
from dataclasses import asdict
from functools import partial
from typing import Any, TypeVar, get_args

from pydantic import BaseModel, TypeAdapter, ValidationError
from sse_starlette import EventSourceResponse, ServerSentEvent
from starlette.datastructures import FormData, UploadFile
from starlette.formparsers import MultiPartException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from ..answer import Stage
from ..errors import TrustUQAError, describe_invalid
from ..graph.load_journal import LOAD_MODES, LoadMode
from ..matching import ask_for_nearest
from ..model.demonstration import DemonstrationState
from ..values.dates import DateOrder
from .access import require
from .bodies import AskBody, CheckBody, FeedbackBody, RenameBody, RunBody, TeachBody
from .endpoints import Endpoint
from .loads import Loads
from .openapi import LOAD_PARTS, describe_api
from .problems import BadBody, describe_problem, make_problem, problem_response
from .service import Service, Work, follow_stages, run_while_connected

PREFIX = "/api/v1"
MAX_FILES = 100

_TEXT_OPTIONS = {
    "format": 50,
    "source": 1_000,
    "header": 20,
    "encoding": 50,
    "delimiter": 20,
    "dates": 5,
    "null": 1_000,
    "sheets": 1_000,
}
_MAX_DIGITS = 9

B = TypeVar("B", bound=BaseModel)


class Api:
    def __init__(self, service: Service, loads: Loads) -> None:
        self._service = service
        self._loads = loads
        self.endpoints: tuple[Endpoint, ...] = self._list_endpoints()

    def routes(self) -> list[Route]:
        description = describe_api(self.endpoints)
        documented = [
            # The name of a dataset may have a slash.
            Route(
                PREFIX + e.path.replace("{dataset}", "{dataset:path}"),
                require(e.needs, e.handler),
                methods=[e.method],
                name=e.name,
            )
            for e in self.endpoints
        ]

        async def send_description(_: Request) -> Response:
            return json_response(description)

        return [*documented, Route(f"{PREFIX}/openapi.json", send_description)]

    def _list_endpoints(self) -> tuple[Endpoint, ...]:
        dataset = "/datasets/{dataset}"
        return (
            Endpoint("POST", "/ask", "ask", "Ask a question in plain words", self.ask, "Answer",
                     body=AskBody, streams=True),
            Endpoint("POST", "/run", "run", "Run a query", self.run, "Answer", body=RunBody,
                     streams=True),
            Endpoint("POST", "/check", "check", "Check a query without running it", self.check,
                     "CheckReport", body=CheckBody),
            Endpoint("GET", "/datasets", "list_datasets", "List the datasets", self.list_datasets,
                     "Dataset", is_list=True),
            # Before the datasets, whose names may end so.
            Endpoint("DELETE", f"{dataset}/questions", "drop_question", "Delete a saved question",
                     self.drop_question, "Deleted", query=("question",), needs="teach"),
            Endpoint("DELETE", dataset, "drop_dataset", "Delete a dataset with its uploaded files",
                     self.drop_dataset, "Dropped", needs="manage"),
            Endpoint("PATCH", dataset, "rename_dataset", "Give a dataset another name",
                     self.rename_dataset, "Renamed", body=RenameBody, needs="manage"),
            Endpoint("GET", f"{dataset}/schema", "get_schema",
                     "Describe the relations or columns of a dataset", self.get_schema, "Schema",
                     query=("source",)),
            Endpoint("GET", f"{dataset}/demonstrations", "list_demonstrations",
                     "List the demonstrations of a dataset", self.list_demonstrations,
                     "Demonstration", is_list=True),
            Endpoint("POST", f"{dataset}/demonstrations", "teach",
                     "Store a question with its query, which must answer", self.teach,
                     "Demonstration", body=TeachBody, status=201, needs="teach"),
            Endpoint("GET", f"{dataset}/feedback", "list_feedback",
                     "List the questions of a dataset whose answers are wrong", self.list_feedback,
                     "Demonstration", is_list=True, needs="teach"),
            Endpoint("POST", f"{dataset}/feedback", "give_feedback",
                     "Keep a question with a query that does not answer it", self.give_feedback,
                     "Demonstration", body=FeedbackBody, status=201, needs="teach"),
            Endpoint("GET", f"{dataset}/questions", "list_questions",
                     "List the saved questions of a dataset", self.list_questions,
                     "Demonstration", is_list=True, needs="teach"),
            Endpoint("POST", f"{dataset}/questions", "save_question",
                     "Save a question with its query", self.save_question,
                     "Demonstration", body=TeachBody, status=201, needs="teach"),
            Endpoint("GET", "/loads", "list_loads", "List the loads of this server",
                     self.list_loads, "Load", is_list=True, needs="load"),
            Endpoint("POST", "/loads", "start_load", "Load files as a dataset, or preview the load",
                     self.start_load, "Load", takes_files=True, status=202, needs="load"),
            Endpoint("GET", "/loads/{load}", "get_load", "Get the progress of a load",
                     self.get_load, "Load", streams=True, needs="load"),
            Endpoint("DELETE", "/loads/{load}", "cancel_load", "Cancel a load", self.cancel_load,
                     "Load", status=202, needs="load"),
        )  # fmt: skip

    async def ask(self, request: Request) -> Response:
        body = await read_body(request, AskBody)
        private = self._service.options.private
        ask = partial(
            self._service.ask, body.question, body.dataset, private=private, **body.options
        )
        return await _send_answer(request, ask)

    async def run(self, request: Request) -> Response:
        body = await read_body(request, RunBody)
        return await _send_answer(
            request, partial(self._service.run, body.query, body.dataset, **body.options)
        )

    async def check(self, request: Request) -> Response:
        body = await read_body(request, CheckBody)
        report = self._service.check(
            body.query, body.dataset, question=body.question, **body.options
        )
        return json_response((await run_while_connected(request, report)).to_dict(body.query))

    async def list_datasets(self, _: Request) -> Response:
        datasets = await self._service.call(self._service.tuqa.datasets)
        return json_response([dataset.to_dict() for dataset in datasets])

    async def drop_dataset(self, request: Request) -> Response:
        dropped = await self._loads.drop(request.path_params["dataset"])
        return json_response(asdict(dropped))

    async def rename_dataset(self, request: Request) -> Response:
        body = await read_body(request, RenameBody)
        await self._loads.rename(request.path_params["dataset"], body.name)
        return json_response({"name": body.name})

    async def get_schema(self, request: Request) -> Response:
        dataset, source = request.path_params["dataset"], request.query_params.get("source")
        schema = await self._service.call(self._service.tuqa.schema, dataset, source)
        return json_response(schema.to_dict())

    async def list_demonstrations(self, request: Request) -> Response:
        dataset = request.path_params["dataset"]
        await self._service.call(self._service.tuqa.schema, dataset)  # an unknown one is an error
        listed = self._service.tuqa.demonstrations.listed
        demonstrations = await self._service.call(listed, dataset)
        return json_response([asdict(demonstration) for demonstration in demonstrations])

    async def teach(self, request: Request) -> Response:
        body = await read_body(request, TeachBody)
        stored = await self._service.teach(request.path_params["dataset"], body.demonstration)
        return json_response(asdict(stored), 201)

    async def list_feedback(self, request: Request) -> Response:
        return await self._list_kept(request, "wrong")

    async def list_questions(self, request: Request) -> Response:
        return await self._list_kept(request, "saved")

    async def _list_kept(self, request: Request, state: DemonstrationState) -> Response:
        kept = await self._service.list_kept(request.path_params["dataset"], state)
        return json_response([asdict(demonstration) for demonstration in kept])

    async def save_question(self, request: Request) -> Response:
        body = await read_body(request, TeachBody)
        saved = await self._service.save(request.path_params["dataset"], body.demonstration)
        return json_response(asdict(saved), 201)

    async def drop_question(self, request: Request) -> Response:
        dataset, question = request.path_params["dataset"], request.query_params.get("question")
        if not question:
            raise BadBody("no question", hint="name the saved question: ?question=…")
        return json_response(
            {"deleted": await self._service.unteach(dataset, question, ("saved",))}
        )

    async def give_feedback(self, request: Request) -> Response:
        body = await read_body(request, FeedbackBody)
        stored = await self._service.reject(request.path_params["dataset"], body.demonstration)
        return json_response(asdict(stored), 201)

    async def list_loads(self, _: Request) -> Response:
        return json_response([job.to_dict() for job in await self._loads.jobs()])

    async def start_load(self, request: Request) -> Response:
        async with read_form(request) as form:
            files = [value for value in form.getlist("file") if isinstance(value, UploadFile)]
            if not files:
                raise BadBody(
                    "no file", hint="send at least one part called file, with filename=NAME"
                )
            fields = read_texts(form)
            _check_parts(form)
            mode, options = read_load_options(fields)
            dataset = fields.get("dataset", "").strip()
            if _read_flag(fields, "preview"):
                work = self._loads.preview(files, dataset, mode=mode, **options)
                report = await run_while_connected(request, work)
                return json_response(report.to_dict())
            if not dataset:
                raise BadBody("no dataset", hint="send a part called dataset with its name")
            job = await self._loads.start(files, dataset, mode=mode, **options)
        location = f"{PREFIX}/loads/{job.id}"
        return json_response(job.to_dict(), 202, {"Location": location})

    async def get_load(self, request: Request) -> Response:
        job = await self._loads.get(request.path_params["load"])
        if accepts_events(request):
            return EventSourceResponse(self._stream_load(job.id))
        return json_response(job.to_dict())

    async def cancel_load(self, request: Request) -> Response:
        job = await self._loads.cancel(request.path_params["load"])
        return json_response(job.to_dict(), 202)

    async def _stream_load(self, name: str) -> AsyncIterator[ServerSentEvent]:
        async for state in self._loads.follow(name):
            yield make_event("load", state.to_dict())


def read_texts(form: FormData) -> dict[str, str]:
    """The parts of a form that are not files."""
    return {name: value for name, value in form.items() if isinstance(value, str)}


def read_load_options(fields: Mapping[str, str]) -> tuple[LoadMode, dict[str, Any]]:
    """The mode and the other options of a load among the fields of a form.

    Raises:
        BadBody
    """
    options: dict[str, Any] = {}
    for name, length in _TEXT_OPTIONS.items():
        if value := fields.get(name, "").strip():
            if len(value) > length:
                what = f"{name} has {len(value):,} characters, and {length:,} are allowed"
                raise BadBody(what, hint="shorten it")
            options[name] = value
    _check_dates(options.get("dates"))
    for name in ("skip", "skip_end"):
        if skip := fields.get(name, "").strip():
            if not (skip.isdecimal() and len(skip) <= _MAX_DIGITS):
                what = f"{name}={skip[:20]!r} is not a number of lines"
                raise BadBody(what, hint="give a number from 0")
            options[name] = int(skip)
    for name in ("types", "rename", "split"):
        if text := fields.get(name, "").strip():
            options[name] = _read_names(name, text)
    name = fields.get("mode", "").strip() or "new"
    mode: LoadMode | None = next((mode for mode in LOAD_MODES if mode == name), None)
    if mode is None:
        raise BadBody(f"no mode {name!r}", hint=f"there are {', '.join(LOAD_MODES)}")
    return mode, options


def _check_dates(order: str | None) -> None:
    orders = get_args(DateOrder)
    if order not in (None, *orders):
        raise BadBody(f"no dates {order!r}", hint=f"there are {', '.join(orders)}")


def _read_names(name: str, text: str) -> dict[str, str]:
    """A part that maps names of columns to texts, as a JSON object."""
    try:
        return TypeAdapter(dict[str, str]).validate_json(text, strict=True)
    except ValidationError as error:
        example = {"types": "text", "rename": "Cost", "split": ";"}[name]
        hint = f'send a JSON object: {name}={{"Price": "{example}"}}'
        raise BadBody(f"{name} is not a JSON object of texts", hint=hint) from error


def _check_parts(form: FormData) -> None:
    # A misspelt option would be ignored in silence.
    for name in form:
        if name not in LOAD_PARTS:
            parts = ", ".join(LOAD_PARTS)
            raise BadBody(f"no part is called {name[:100]!r}", hint=f"there are {parts}")


def _read_flag(fields: Mapping[str, str], name: str) -> bool:
    value = fields.get(name, "").strip().lower()
    if value not in ("", "true", "false"):
        raise BadBody(f"{name}={value[:100]!r} is neither true nor false", hint=f"send {name}=true")
    return value == "true"


def read_form(request: Request) -> Any:
    """The parts of a form; files are on disk."""
    if not request.headers.get("content-type", "").startswith("multipart/form-data"):
        raise BadBody("the body is not a form", hint="send Content-Type: multipart/form-data")
    return request.form(max_files=MAX_FILES, max_fields=50)


async def read_body(request: Request, body: type[B]) -> B:
    """Read the JSON of a request.

    Raises:
        BadBody
    """
    kind = request.headers.get("content-type", "application/json").partition(";")[0].strip().lower()
    if kind != "application/json" and not kind.endswith("+json"):
        raise BadBody(f"the body is {kind[:100]!r}", hint="send Content-Type: application/json")
    try:
        return body.model_validate_json(await request.body())
    except ValidationError as error:
        message, place = describe_invalid(error)
        names = ", ".join(body.model_fields)
        unknown = () if place in body.model_fields else body.model_fields
        raise BadBody(
            f"the body is wrong: {message}",
            where=place,
            hint=f"{ask_for_nearest(place, unknown)}its fields are {names}",
        ) from error


def accepts_events(request: Request) -> bool:
    """True if the client prefers a stream of events to JSON."""
    return "text/event-stream" in request.headers.get("accept", "")


def json_response(
    content: object, status: int = 200, headers: dict[str, str] | None = None
) -> Response:
    text = json.dumps(content, ensure_ascii=False, allow_nan=False)
    # A name of the data may have half of a surrogate pair.
    data = text.encode("utf-8", "backslashreplace")
    return Response(data, status, headers, media_type="application/json")


def make_event(name: str, content: object) -> ServerSentEvent:
    return ServerSentEvent(json.dumps(content), event=name)


async def _send_answer(request: Request, work: Work) -> Response:
    """Send the answer as JSON, or its stages as events and the answer last."""
    if accepts_events(request):
        return EventSourceResponse(_stream_answer(work))
    return json_response((await run_while_connected(request, work())).to_dict())


async def _stream_answer(work: Work) -> AsyncIterator[ServerSentEvent]:
    try:
        async for item in follow_stages(work):
            if isinstance(item, Stage):
                fields = {
                    "given": item.given,
                    "result": item.found,
                    "ms": item.ms,
                    "step": item.step,
                }
                yield make_event("stage", {"stage": item.stage, **fields})
            else:
                yield make_event("answer", item.to_dict())
    except TrustUQAError as error:
        yield make_event("problem", make_problem(error))


async def handle_error(_: Request, error: Exception) -> Response:
    """The response to an error of the package."""
    assert isinstance(error, TrustUQAError)
    return problem_response(make_problem(error))


async def handle_bad_form(_: Request, error: Exception) -> Response:
    assert isinstance(error, MultiPartException)
    return problem_response(
        describe_problem(400, "bad body", error.message, "send multipart/form-data")
    )
