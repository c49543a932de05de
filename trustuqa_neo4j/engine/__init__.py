"""The stages once, in order: parse, check, map, plan, execute, prove.

The engine does no I/O. It is a generator that yields the statements to run and is sent their rows, so
the synchronous and the asynchronous client drive the very same code, each in one read transaction; a
second copy with ``await`` in it was the alternative.
"""

from .checks import check, check_alone
from .running import EVIDENCE, run

__all__ = ["EVIDENCE", "check", "check_alone", "run"]
