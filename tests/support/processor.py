"""A limit on processor time, for texts on which quadratic code would work for hours."""

from collections.abc import Iterator
from contextlib import contextmanager
from time import process_time


@contextmanager
def a_minute_at_most() -> Iterator[None]:
    """Fail if the body takes more than a minute of processor time; linear code takes seconds."""
    start = process_time()
    yield
    assert process_time() - start < 60
