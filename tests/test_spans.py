"""Spans of OpenTelemetry, as a program with the SDK gets them."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import anyio
import pytest
from opentelemetry import trace
from opentelemetry.context import Context
from opentelemetry.sdk.trace import ReadableSpan, Span, SpanProcessor, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from trustuqa_neo4j import TrustUQA
from trustuqa_neo4j.answer import Stage
from trustuqa_neo4j.errors import UnknownDataset

QUESTION = "who directed Alien?"
STARRING = "get_information(head_entity='Alien', relation='starring')"


@pytest.fixture
def spans(monkeypatch: pytest.MonkeyPatch) -> Iterator[InMemorySpanExporter]:
    """What a program that records spans exports."""
    exporter, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    monkeypatch.setattr(trace, "get_tracer", provider.get_tracer)
    yield exporter
    provider.shutdown()


def find(spans: InMemorySpanExporter, name: str) -> ReadableSpan:
    (span,) = [span for span in spans.get_finished_spans() if span.name == name]
    return span


def test_a_question_has_a_span_with_its_stages(
    films: TrustUQA, spans: InMemorySpanExporter
) -> None:
    stages: list[Stage] = []
    answer = films.ask(QUESTION, "films", listen=stages.append)
    assert answer.values == ("Ridley Scott",)
    whole = find(spans, "tuqa.ask")
    assert whole.attributes is not None
    assert dict(whole.attributes) == {
        "tuqa.outcome": "answered",
        "tuqa.origin": "read",
        "tuqa.confidence": answer.confidence,
        "tuqa.datasets": ("films",),
        "tuqa.values": 1,
        "tuqa.facts": answer.evidence_total,
    }
    parts = [span for span in spans.get_finished_spans() if span is not whole]
    # The stages of the trace are the one source, and the caller's listener hears them too.
    assert [span.name for span in parts] == [f"tuqa.{stage.stage}" for stage in stages]
    for span, stage in zip(parts, stages, strict=True):
        assert span.parent is not None
        assert span.parent.span_id == whole.context.span_id
        assert span.start_time is not None
        assert span.end_time is not None
        assert abs(span.end_time - span.start_time - stage.ms * 1e6) < 1_000
    assert any((span.attributes or {})["tuqa.rows"] for span in parts)


def test_spans_have_no_question_query_or_value(
    films: TrustUQA, spans: InMemorySpanExporter
) -> None:
    films.ask(QUESTION, "films")
    films.run(STARRING, "films")
    with pytest.raises(UnknownDataset):
        films.run(STARRING, "secret plans")
    text = json.dumps([json.loads(span.to_json()) for span in spans.get_finished_spans()])
    for secret in ("Alien", "Ridley", "Weaver", "starring", "directed", "secret plans"):
        assert secret not in text


def test_an_error_has_its_kind(films: TrustUQA, spans: InMemorySpanExporter) -> None:
    with pytest.raises(UnknownDataset):
        films.run(STARRING, "nothing")
    span = find(spans, "tuqa.run")
    assert (span.attributes or {})["error.type"] == "unknown dataset"
    assert span.status.status_code == trace.StatusCode.ERROR
    assert span.status.description is None
    assert not span.events


def test_spans_stand_in_that_of_the_caller(films: TrustUQA, spans: InMemorySpanExporter) -> None:
    async def main() -> None:
        with trace.get_tracer("program").start_as_current_span("work"):
            await films.arun(STARRING, "films")

    anyio.run(main)
    parent = find(spans, "tuqa.run").parent
    assert parent is not None
    assert parent.span_id == find(spans, "work").context.span_id


class FailingProcessor(SpanProcessor):
    """Fails at the start or the end of each span."""

    def __init__(self, event: str) -> None:
        self._event = event

    def on_start(self, span: Span, parent_context: Context | None = None) -> None:
        if self._event == "start":
            raise RuntimeError("no room for spans")

    def on_end(self, span: ReadableSpan) -> None:
        if self._event == "end":
            raise RuntimeError("no room for spans")


@pytest.mark.parametrize("event", ["start", "end"])
def test_a_processor_that_fails_ends_no_question(
    films: TrustUQA, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, event: str
) -> None:
    provider = TracerProvider()
    provider.add_span_processor(FailingProcessor(event))
    monkeypatch.setattr(trace, "get_tracer", provider.get_tracer)
    assert films.ask(QUESTION, "films").values == ("Ridley Scott",)
    with pytest.raises(UnknownDataset):
        films.run(STARRING, "nothing")
    assert "a span is not recorded" in caplog.text


def test_a_module_that_is_not_imported_to_its_end_records_nothing(
    films: TrustUQA, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "opentelemetry.trace", ModuleType("opentelemetry.trace"))
    assert films.ask(QUESTION, "films").values == ("Ridley Scott",)


def test_a_load_has_a_span(tuqa: TrustUQA, spans: InMemorySpanExporter, tmp_path: Path) -> None:
    path = tmp_path / "medals.csv"
    path.write_text("nation,gold\nFrance,16\n")
    tuqa.load(path)
    assert dict(find(spans, "tuqa.load").attributes or {}) == {
        "tuqa.datasets": ("medals",), "tuqa.facts": 2, "tuqa.sources": 1,
    }  # fmt: skip
