"""Views of questions: the form, the answer with its proof, its steps and its picture.

Every view is a part for the script of the page, and a whole page for a browser without one.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlencode

from anyio import CapacityLimiter, to_thread
from pydantic import BaseModel, ValidationError
from sse_starlette import EventSourceResponse, ServerSentEvent
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from ..answer import SUCCESS_OUTCOMES, Answer, Evidence, Stage
from ..errors import TrustUQAError, UsageError, describe_invalid
from ..graph.catalog import DEMONSTRATION_STATES
from ..graph.load_journal import read_loaded_hashes
from ..language.printer import UnprintableName
from ..loading.sample import DATASET as SAMPLE
from ..loading.sample import list_sample_files
from ..mcp.answers import MAX_ANSWERS
from ..model.demonstration import KEPT_STATES, Demonstration, DemonstrationState
from ..questions.follow_up import FollowUp, read_follow_up
from ..questions.follow_up_results import RESULT_EDITS
from ..questions.past_question import PastQuestion
from ..render.markdown import table_to_markdown
from ..render.spreadsheet import rows_to_xlsx
from ..trace import Listener
from .access import require
from .answer_page import (
    MAX_FACTS,
    AnswerPage,
    count_stage,
    describe_problems,
    name_stage,
    number_facts,
)
from .bodies import AskBody, CheckBody, FeedbackBody, RunBody, TeachBody
from .endpoints import Handler
from .examples import Examples, print_search
from .file_lines import read_excerpt
from .problems import BadBody, UnknownAnswer, make_problem
from .service import Service, Work, follow_stages, run_while_connected
from .templates import Templates, is_part
from .uploads import Uploads

B = TypeVar("B", bound=BaseModel)

_XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
_DOWNLOADS: dict[str, tuple[str, Callable[[Answer], str | bytes]]] = {
    "csv": ("text/csv", lambda answer: answer.to_csv(escape_formulas=True)),
    "xlsx": (_XLSX, lambda answer: rows_to_xlsx(*answer.table)),
    "md": ("text/markdown", lambda answer: table_to_markdown(*answer.table) + "\n"),
    "json": ("application/json", lambda answer: json.dumps(answer.to_dict(), ensure_ascii=False)),
}
"""The media type and the content of an answer as a file, by the end of its name."""

_NEIGHBOURS = 50  # facts around a name


class AskViews:
    def __init__(self, service: Service, templates: Templates, uploads: Uploads) -> None:
        self._service = service
        self._templates = templates
        self._uploads = uploads
        self._examples = Examples(service)
        self._file_threads = CapacityLimiter(2)

    def routes(self) -> list[Route]:
        reading: tuple[tuple[str, str, Handler], ...] = (
            ("GET", "/", self.show_form),
            ("GET", "/examples", self.show_examples),
            ("GET", "/ask", self.ask),
            ("POST", "/check", self.check),
            ("POST", "/run", self.run),
            ("GET", "/around", self.show_neighbours),
            ("GET", "/answers/{answer}.{kind}", self.send_file),
            ("GET", "/answers/{answer}", self.show_answer),
            ("GET", "/answers/{answer}/facts/{fact:int}/lines", self.show_lines),
        )
        teaching: tuple[tuple[str, Handler], ...] = (
            ("/teach", self.teach),
            ("/unteach", self.unteach),
            ("/wrong", self.reject),
            ("/save", self.save),
        )
        show = self._templates.show_problems
        return [
            *(Route(path, show(require("ask", view)), methods=[m]) for m, path, view in reading),
            *(
                Route(path, show(require("teach", view)), methods=["POST"])
                for path, view in teaching
            ),
        ]

    async def show_form(self, request: Request) -> Response:
        return await self._show_page(request, dataset=request.query_params.get("dataset", ""))

    async def show_examples(self, request: Request) -> Response:
        dataset = request.query_params.get("dataset", "")
        examples = await self._examples.find(dataset)
        return self._show_part(
            request, "examples.html", "Examples", examples=examples, dataset=dataset
        )

    async def ask(self, request: Request) -> Response:
        query = request.query_params
        if not query.get("question", "").strip():
            return await self._show_page(request, dataset=query.get("dataset", ""))
        body = read_fields(query, AskBody, "question", "dataset", "source", "pick", "prose")
        follows = query.get("follows", "")
        alone = urlencode([pair for pair in query.multi_items() if pair[0] != "follows"])
        follow_up = _read_follow_up(follows, body.question, body.dataset) if follows else None
        if follows and follow_up is None:
            return RedirectResponse(f"/ask?{alone}", status_code=303)
        put = partial(
            self._service.ask,
            body.question, body.dataset,
            **{name: body.options[name] for name in ("source", "pick", "prose")},
            private=self._service.options.private, evidence=MAX_FACTS,
        )  # fmt: skip
        refers = follow_up is not None and _refers(follow_up)

        async def ask(*, listen: Listener | None = None) -> Answer:
            past = json.loads(follows) if follows else None
            answer = await put(follows=past, listen=listen)
            if refers or not past or answer.outcome != "not_askable" or answer.readings:
                return answer
            # Words without a sign that they follow, such as those that were taught, may be meant alone.
            other = await put(listen=listen)
            return other if other.outcome in SUCCESS_OUTCOMES else answer

        def keep(answer: Answer) -> AnswerPage:
            is_changed = refers or any(stage.stage == "follow up" for stage in answer.trace)
            if follow_up is None or not (is_changed or answer.origin in ("model", "agreed")):
                return self._keep(answer, f"/ask?{alone}")
            return self._keep(answer, f"/ask?{request.url.query}", follows)

        if is_part(request):
            return EventSourceResponse(self._stream(ask, keep), sep="\n")
        dataset = query.get("dataset", "")
        try:
            answer = await run_while_connected(request, ask())
        except TrustUQAError as error:
            problem = make_problem(error)
            return await self._show_page(
                request, problem["status"], problem=problem, question=body.question, dataset=dataset
            )
        return await self._show_page(
            request, page=keep(answer), question=body.question, dataset=dataset
        )

    async def _stream(
        self,
        work: Work,
        keep: Callable[[Answer], AnswerPage],
        template: str = "answer.html",
    ) -> AsyncIterator[ServerSentEvent]:
        yield ServerSentEvent(self._templates.render("progress.html"))
        try:
            async for item in follow_stages(work):
                if isinstance(item, Stage):
                    part = self._templates.render(
                        "stage.html", stage=item, name=name_stage(item), counts=count_stage(item)
                    )
                else:
                    page = keep(item)
                    part = self._templates.render(template, page=page, is_part=True)
                    part += self._templates.render("status.html", text=page.summary)
                yield ServerSentEvent(part)
        except TrustUQAError as error:
            problem = make_problem(error)
            part = self._templates.render("problem.html", problem=problem, is_part=True)
            yield ServerSentEvent(part + self._templates.render("status.html", text="Problem"))

    async def run(self, request: Request) -> Response:
        form = await request.form()
        body = read_fields(form, RunBody, "query", "dataset", "source")
        source = body.options["source"]
        run = partial(
            self._service.run, body.query, body.dataset, source=source, evidence=MAX_FACTS
        )
        question = form.get("question")

        def keep(answer: Answer) -> AnswerPage:
            complete = replace(
                answer,
                question=question if isinstance(question, str) and question else None,
                llm_query=body.query,
                datasets=(body.dataset,) if isinstance(body.dataset, str) else (),
                source=source,
            )
            return self._keep(complete)

        if is_part(request):
            return EventSourceResponse(self._stream(run, keep, "answer_part.html"), sep="\n")
        page = keep(await run_while_connected(request, run()))
        return RedirectResponse(f"/answers/{page.name}", status_code=303)

    async def check(self, request: Request) -> Response:
        body = read_fields(await request.form(), CheckBody, "query", "dataset", "source")
        report = await run_while_connected(
            request,
            self._service.check(body.query, body.dataset, source=body.options["source"]),
        )
        problems = describe_problems(report.problems, body.query)
        return self._show_part(request, "check.html", "Check", report=report, problems=problems)

    async def teach(self, request: Request) -> Response:
        return await self._store(request, TeachBody, self._service.teach, "Taught")

    async def unteach(self, request: Request) -> Response:
        """Forget a question that was taught or kept."""
        form = await request.form()
        dataset, question = form.get("dataset"), form.get("question")
        if not (isinstance(dataset, str) and dataset and isinstance(question, str) and question):
            raise BadBody("no dataset or no question", hint="send both, as the page does")
        kept: tuple[DemonstrationState, ...] = tuple(
            state for state in KEPT_STATES if state == form.get("state")
        )
        count = await self._service.unteach(dataset, question, kept or DEMONSTRATION_STATES)
        what = "question" if kept else "example"
        return self._show_part(request, "untaught.html", "Forgotten", count=count, what=what)

    async def reject(self, request: Request) -> Response:
        """Keep a question whose answer is wrong, for whoever looks after the data."""
        return await self._store(request, FeedbackBody, self._service.reject, "Marked as wrong")

    async def save(self, request: Request) -> Response:
        return await self._store(request, TeachBody, self._service.save, "Saved")

    async def _store(
        self,
        request: Request,
        body: type[TeachBody],
        store: Callable[[str, Demonstration], Awaitable[Demonstration]],
        title: str,
    ) -> Response:
        form = await request.form()
        given = read_fields(form, body, *body.model_fields)
        dataset = form.get("dataset")
        if not isinstance(dataset, str) or not dataset:
            raise BadBody("no dataset", hint="choose the dataset that the steps are about")
        stored = await store(dataset, given.demonstration)
        return self._show_part(request, "taught.html", title, demonstration=stored, dataset=dataset)

    async def show_answer(self, request: Request) -> Response:
        page = self._find_answer(request)
        if is_part(request):
            return self._show_part(request, "answer.html", page.title, page=page)
        question = page.answer.question or ""
        return await self._show_page(request, page=page, question=question, dataset=page.dataset)

    async def send_file(self, request: Request) -> Response:
        """Send an answer as a file: cells of a spreadsheet compute nothing, those of Markdown are escaped."""
        page, kind = self._find_answer(request), request.path_params["kind"]
        if kind not in _DOWNLOADS:
            kinds = ", ".join(_DOWNLOADS)
            raise UnknownAnswer(f"no answer as {kind[:20]!r}", hint=f"there are {kinds}")
        media_type, write = _DOWNLOADS[kind]
        content = await run_in_threadpool(write, page.answer)
        if isinstance(content, str):
            content, media_type = content.encode("utf-8", "replace"), f"{media_type}; charset=utf-8"
        return Response(
            content,
            media_type=media_type,
            headers={"Content-Disposition": f'attachment; filename="{page.name}.{kind}"'},
        )

    async def show_lines(self, request: Request) -> Response:
        page, number = self._find_answer(request), request.path_params["fact"]
        if not 1 <= number <= len(page.facts):
            raise UnknownAnswer(
                f"no fact {number:,}", where=f"answer {page.name!r}", hint="open the answer again"
            )
        fact = page.facts[number - 1].fact
        paths = [self._uploads.find(fact.dataset, fact.file), Path(fact.file)]
        if fact.dataset == SAMPLE:
            paths += [file.path for _, file in list_sample_files() if file.name == fact.file]
        connection = self._service.tuqa.connection
        hashes = await self._service.call(read_loaded_hashes, connection, fact.dataset)
        # A long file takes a while, and must not take the threads of all pages.
        shown = await to_thread.run_sync(
            read_excerpt, fact, paths, hashes, limiter=self._file_threads
        )
        return self._show_part(
            request, "lines.html", "Lines", fact=fact, excerpt=shown, number=number
        )

    async def show_neighbours(self, request: Request) -> Response:
        query = request.query_params
        name, dataset = query.get("name", ""), query.get("dataset") or None
        facts: dict[Evidence, None] = {}
        total = 0
        for end in ("head_entity", "tail_entity"):
            answer = await run_while_connected(
                request,
                self._service.run(_search_name(end, name), dataset, evidence=_NEIGHBOURS),
            )
            if any(match.how == "nearest" for match in answer.mapped):
                continue  # these are facts of another name
            # Its use in an answer is not part of a fact. A fact may have the name at both its ends.
            neighbours = {replace(f, step=None, answers=()): None for f in answer.evidence}
            total += answer.evidence_total - len(neighbours.keys() & facts.keys())
            facts |= neighbours
        rows = tuple(number_facts(tuple(facts)[:_NEIGHBOURS]))
        return self._show_part(
            request, "around.html", f"Around {name}", rows=rows, name=name, dataset=dataset,
            omitted=total - len(rows),
        )  # fmt: skip

    def _keep(self, answer: Answer, address: str = "", follows: str = "") -> AnswerPage:
        # The query of an answer has names of the data.
        query = None if self._service.options.private else answer.llm_query
        return AnswerPage(self._service.answers.add(answer, query), answer, address, follows)

    def _find_answer(self, request: Request) -> AnswerPage:
        name = request.path_params["answer"]
        kept = self._service.answers.get(name)
        if kept is None:
            raise UnknownAnswer(
                f"no answer {name!r}",
                hint=f"the last {MAX_ANSWERS} are kept while the server runs; ask again",
            )
        return AnswerPage(name, kept.answer)

    async def _show_page(
        self,
        request: Request,
        status: int = 200,
        *,
        question: str = "",
        dataset: str = "",
        page: AnswerPage | None = None,
        problem: dict[str, Any] | None = None,
    ) -> Response:
        datasets = await self._service.call(self._service.tuqa.datasets)
        return self._templates.respond(
            request, "ask.html", status, page=page, problem=problem, question=question,
            dataset=dataset, datasets=[entry for entry in datasets if entry.complete],
            can_word=self._service.can_word, is_worded="prose" in request.query_params,
        )  # fmt: skip

    def _show_part(
        self, request: Request, template: str, title: str, /, **content: Any
    ) -> Response:
        """The part for a script, or a page with nothing else."""
        return self._templates.respond(
            request, "part.html", part=template, part_title=title, **content
        )


def read_fields(fields: Any, body: type[B], *names: str) -> B:
    """Read a form or the query of an address; fields without text are left out.

    Raises:
        BadBody
    """
    # Browsers send the lines of a text area with two characters at their ends.
    values = {
        name: value.replace("\r\n", "\n")
        for name in names
        if isinstance(value := fields.get(name), str) and value.strip()
    }
    try:
        return body.model_validate(values)
    except ValidationError as error:
        message, place = describe_invalid(error)
        raise BadBody(message, where=place, hint="fill in the form of the page") from error


def _read_follow_up(follows: str, question: str, dataset: object) -> FollowUp | None:
    """Read ``question`` after the answer ``follows``, JSON; None if it stands alone or has other data.

    Raises:
        BadBody, UsageError: it is not an answer.
    """
    try:
        past = PastQuestion.read(json.loads(follows))
    except (ValueError, RecursionError) as error:
        raise BadBody("follows is not JSON", hint="open the page and ask again") from error
    is_here = not dataset or not past.datasets or past.datasets == (dataset,)
    return read_follow_up(question, past.question) if is_here else None


def _refers(follow_up: FollowUp) -> bool:
    """True for a question with a sign that it follows another, such as *and* or *them*."""
    # *list all by year* may be a question of its own.
    is_edit = follow_up.makes not in {"change", *RESULT_EDITS} or follow_up.has_others
    return bool(is_edit or follow_up.pronoun or follow_up.is_marked)


def _search_name(end: str, name: str) -> str:
    """The query for all facts that begin or end at ``name``.

    Raises:
        UsageError: no query can contain the name.
    """
    if not name.strip():
        raise UsageError("there is no name", hint="choose a name in the table of facts")
    try:
        return print_search(**{end: name})
    except UnprintableName as error:
        raise UsageError(
            "no query can contain this name", where=repr(name), hint="choose another name"
        ) from error
