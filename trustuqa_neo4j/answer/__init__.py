"""What a question or query leads to: Answer, with Evidence and Trace.

Plain frozen data that does no I/O; ``layout`` says what of it is shown to people. Outcomes are kept apart on
purpose: *empty* (it ran and nothing is there) must never look like *not_askable* (the data has no such
relation).
"""

from .answer import GOOD, SCHEMA_VERSION, Answer, Outcome
from .checked import Checked, line_and_column
from .proof import Evidence, Sent, Stage, Trace, Value

__all__ = [
    "GOOD",
    "SCHEMA_VERSION",
    "Answer",
    "Checked",
    "Evidence",
    "Outcome",
    "Sent",
    "Stage",
    "Trace",
    "Value",
    "line_and_column",
]
