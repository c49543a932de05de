"""Reads the start of a question in one round trip: state of the dataset, calibration, sources, and names.

`read_start` returns a reader that has the rows of these statements already. So who asks need not know, and
runs the statement itself if it asks for something else.
"""

from __future__ import annotations

from ..model.dataset import Scope
from ..model.demonstration import Demonstration
from ..reads.reader import MemoReader, Reader
from .retrieval import FIRST_SOURCES
from .slots import list_possible_names
from .words import split_question


def read_start(reader: Reader, question: str, scope: Scope) -> MemoReader:
    """Read what the offline writer needs to know of a dataset before it looks for patterns."""
    memo = MemoReader(reader)
    if len(scope.datasets) != 1:
        return memo
    (dataset,) = scope.datasets
    datasets = [dataset]
    keys = sorted({Demonstration(question, "", source=s).key for s in (None, scope.source)})
    # Names in a table are looked up together with its columns.
    names = list_possible_names(split_question(question)) if scope.source is None else []
    rows = reader.run("start_question", dataset=dataset, keys=keys, names=names)
    if not rows:
        return memo
    (row,) = rows
    calibration, sources = row["calibration"], row["sources"]
    memo.add([calibration], "get_calibration", datasets=datasets)
    memo.add(sources, "list_first_sources", datasets=datasets, limit=FIRST_SOURCES)
    memo.add(row["demonstrations"], "find_demonstrations", datasets=datasets, keys=keys)
    is_table = len(sources) == 1 and sources[0]["kind"] == "table"
    if scope.source is not None or is_table:
        return memo
    scope_parameters = {"datasets": datasets, "source": None}
    no_names: dict[str, list[str]] = {"relations": [], "names": [], "keys": [], "steps": []}
    memo.add([row["state"]], "resolve_names", **scope_parameters, **no_names)
    if calibration["any"]:
        memo.add(row["mentions"], "find_mentions", **scope_parameters, names=names, columns=[])
    return memo
