"""What the server and the process that reads files tell each other: settings, errors and reports as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, fields, replace
from pathlib import Path
from typing import Any

from .. import errors
from ..errors import DataError, MalformedLine, TrustUQAError
from ..loading.formats import DetectedFormat, Remark
from ..loading.preview import ColumnPreview, TablePreview
from ..loading.request import LoadReport
from ..loading.unpacking import format_size
from ..settings import Settings
from .options import ReadLimits

LOAD_HINT = "load the files with tuqa-load, which has no limits"


def make_memory_error(limits: ReadLimits) -> TrustUQAError:
    memory = format_size(limits.memory)
    return DataError(f"the files need more than {memory} of memory", hint=LOAD_HINT)


def dump_settings(settings: Settings) -> dict[str, str | None]:
    values = {f.name: getattr(settings, f.name) for f in fields(settings) if f.name != "withheld"}
    return {name: None if value is None else str(value) for name, value in values.items()}


def parse_settings(values: Mapping[str, Any]) -> Settings:
    paths = {name: Path(values[name]) for name in ("home", "data_folder") if values[name]}
    return Settings(**{**values, **paths})


def dump_error(error: TrustUQAError) -> dict[str, str]:
    kind = type(error).__name__
    return {"kind": kind, "what": error.what, "where": error.where, "hint": error.hint}


def parse_error(values: Mapping[str, str]) -> TrustUQAError:
    kind: type[TrustUQAError] = getattr(errors, values["kind"], DataError)
    return kind(values["what"], where=values["where"], hint=values["hint"])


def dump_report(report: LoadReport) -> dict[str, Any]:
    values = asdict(replace(report, bad=[], embedding_error=None))
    values["bad"] = [dump_error(error) for error in report.bad]
    error = report.embedding_error
    values["embedding_error"] = None if error is None else dump_error(error)
    return values


def parse_report(values: Mapping[str, Any]) -> LoadReport:
    error = values["embedding_error"]
    tables = [
        TablePreview(**{**table, "columns": [ColumnPreview(**c) for c in table["columns"]]})
        for table in values["tables"]
    ]
    own = {
        "bad": [
            MalformedLine(bad["what"], where=bad["where"], hint=bad["hint"])
            for bad in values["bad"]
        ],
        "embedding_error": None if error is None else parse_error(error),
        "remarks": {text: Remark(**remark) for text, remark in values["remarks"].items()},
        "detected": [DetectedFormat(**detected) for detected in values["detected"]],
        "tables": tables,
    }
    return LoadReport(**{**values, **own})
