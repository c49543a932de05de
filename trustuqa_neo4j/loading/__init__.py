"""One load from files to a visible dataset."""

from ..graph.batch import FACTS as BATCH
from .bulk import Bulk
from .load import Interrupted, Job, by_batches, load
from .request import Progress, Report, Request

__all__ = [
    "BATCH",
    "Bulk",
    "Interrupted",
    "Job",
    "Progress",
    "Report",
    "Request",
    "by_batches",
    "load",
]
