"""Tables in Parquet files, read a batch of rows at a time by pyarrow, which is an extra.

A line is the row as counted in the file, from 1.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, BinaryIO

from trustuqa_neo4j.errors import UnreadableFile, importing

from .cells import text_of
from .content import Content
from .rows import Table

_BATCH = 4096


def tables(content: Content) -> Iterator[Table]:
    """The one table of a Parquet file.

    Raises:
        MissingExtra: pyarrow is not installed.
        MissingFile, UnreadableFile: also when it is damaged or encrypted.
    """
    with importing("parquet", "Parquet is read with"):
        # Here, since no other format needs it.
        import pyarrow
        from pyarrow import parquet
    with content.opened() as raw:
        try:
            file = parquet.ParquetFile(raw)
            header = file.schema_arrow.names
        except (pyarrow.ArrowException, OSError, UnicodeDecodeError) as error:
            raise _damaged(content.place, error) from error
        yield Table(content.name, content.place, header, _rows(file, content, raw))


def _rows(file: Any, content: Content, raw: BinaryIO) -> Iterator[tuple[int, tuple[str, ...]]]:
    import pyarrow

    line = 0
    batches = file.iter_batches(_BATCH)
    while True:
        try:
            batch = next(batches, None)
        except (pyarrow.ArrowException, OSError, UnicodeDecodeError) as error:
            raise _damaged(content.place, error) from error
        if batch is None:
            return
        texts = [
            _texts(column, f"{content.place}, column {field.name!r}")
            for column, field in zip(batch.columns, batch.schema, strict=True)
        ]
        for line, cells in enumerate(zip(*texts, strict=True), line + 1):  # noqa: B020 # counts on
            yield line, cells
        content.told(raw)


def _texts(column: Any, place: str) -> list[str]:
    """The cells of a column."""
    import pyarrow
    from pyarrow import types

    kind = column.type
    try:
        if types.is_float32(kind):
            # As doubles they would show digits that a float has not.
            values = [text and float(text) for text in column.cast(pyarrow.string()).to_pylist()]
        else:
            values = _in_micros(column).to_pylist()
        return [text_of(value) for value in values]
    except (pyarrow.ArrowException, ValueError, OverflowError) as error:
        raise UnreadableFile(
            f"values of the type {kind} that cannot be shown as text ({error})",
            where=place,
            hint="leave this column out, or write it as text",
        ) from error


def _in_micros(column: Any) -> Any:
    """Moments in nanoseconds as Python knows them; what is below a microsecond is left out."""
    import pyarrow
    from pyarrow import types

    kind = column.type
    if types.is_timestamp(kind) and kind.unit == "ns":
        return column.cast(pyarrow.timestamp("us", tz=kind.tz), safe=False)
    if types.is_time64(kind) and kind.unit == "ns":
        return column.cast(pyarrow.time64("us"), safe=False)
    if types.is_duration(kind) and kind.unit == "ns":
        return column.cast(pyarrow.duration("us"), safe=False)
    return column


def _damaged(place: str, error: Exception) -> UnreadableFile:
    reason = str(error).strip().splitlines()[0]
    return UnreadableFile(
        f"the Parquet file cannot be read ({reason})", where=place, hint="write the file again"
    )
