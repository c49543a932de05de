"""``--refresh``: files of a dataset that have changed since they were loaded, and the loads that read them.

A load records the format, encoding and options, and the hash of each file. So a file is read again as it was
the first time, and one that has not changed is not read again.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ..errors import MissingFile, UsageError, format_list
from ..graph import catalog, load_journal
from ..graph.connection import Connection
from ..values import DEFAULT_VALUE_OPTIONS, ValueOptions, parse_value_options
from ..wording import CallOption
from .formats import DETECT_ENCODING, File, get_loader
from .inputs import identify_file
from .request import LoadRequest, Progress
from .table_options import parse_options

_MAX_NAMED = 5


@dataclass(frozen=True, slots=True)
class Refresh:
    """The files of a dataset that have not changed, and the requests that load the others anew."""

    unchanged: tuple[str, ...]
    requests: tuple[LoadRequest, ...]


def choose_dataset(connection: Connection, dataset: str | None) -> str:
    """The dataset to refresh: the only one, if none is given.

    Raises:
        UsageError
    """
    if dataset is not None:
        return dataset
    names = [entry.name for entry in catalog.list_datasets(connection)]
    if len(names) != 1:
        listed = format_list([*map(repr, names)], _MAX_NAMED) if names else "none"
        raise UsageError(
            f"which dataset is meant? There are {listed}" if names else "no dataset is loaded",
            hint=f"give {CallOption.DATASET.with_value('NAME')}"
            if names
            else "load one with tuqa-load",
        )
    return names[0]


def plan_refresh(connection: Connection, dataset: str, progress: Progress) -> Refresh:
    """Compare the files of a dataset with those on this machine; write nothing.

    Raises:
        UnknownDataset, IncompleteDataset
        MissingFile: a file is not where it was loaded from.
    """
    catalog.describe_complete_dataset(connection, dataset)
    (state,) = connection.read_one("get_load_state", dataset=dataset)
    load_journal.check_not_running(dataset, state["loads"])
    loads = [load for load in state["loads"] if load["state"] == "complete"]
    _check_files(dataset, loads)
    unchanged: list[str] = []
    requests: list[LoadRequest] = []
    for load in loads:
        changed = [
            name
            for name, file_hash in _list_files(load)
            if identify_file(File(Path(name), name), progress).sha256 != file_hash
        ]
        if changed and not _has_source_for_each_file(load):
            changed = [name for name, _ in _list_files(load)]
        unchanged += [name for name, _ in _list_files(load) if name not in changed]
        if changed:
            requests.append(_make_request(dataset, load, changed))
    return Refresh(tuple(unchanged), tuple(requests))


def _list_files(load: Mapping[str, Any]) -> list[tuple[str, str]]:
    files = zip(load["files"], load["hashes"], strict=True)
    return [(name, file_hash) for name, file_hash in files if name not in load["dropped"]]


def _has_source_for_each_file(load: Mapping[str, Any]) -> bool:
    # Else the files of a load are read together: one source, or a format that joins files.
    loader = get_loader(load["format"])
    return load["source"] is None and not loader.benchmark and loader.name in ("table", "kg")


def _check_files(dataset: str, loads: list[dict[str, Any]]) -> None:
    missing = [name for load in loads for name, _ in _list_files(load) if not Path(name).is_file()]
    if missing:
        raise MissingFile(
            f"{format_list([*map(repr, missing)], _MAX_NAMED)}: no such file; nothing was changed",
            where=f"dataset {dataset!r}",
            hint=f"run it in the folder of the first load, or load other files ({CallOption.REPLACE}); "
            "`tuqa drop DATASET --source NAME` removes what is gone for good",
        )


def _make_request(dataset: str, load: Mapping[str, Any], files: list[str]) -> LoadRequest:
    values, table = _read_options(load["values"] or "")
    return LoadRequest(
        loader=get_loader(load["format"]),
        paths=tuple(files),
        dataset=dataset,
        source=load["source"],
        mode="replace",
        # Files whose encoding was detected are recorded as UTF-8.
        encoding=DETECT_ENCODING if load["encoding"] == "utf-8" else load["encoding"],
        values=values,
        table=table,
    )


def _read_options(text: str) -> tuple[ValueOptions, Any]:
    table, columns = parse_options(text)
    rest = text
    if text.startswith("{"):
        _, end = json.JSONDecoder().raw_decode(text)
        rest = text[end:].removeprefix("; ")
    values = parse_value_options(rest) if rest else DEFAULT_VALUE_OPTIONS
    return replace(values, columns=columns), table
