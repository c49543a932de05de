"""One load from files to a visible dataset."""

from ..graph.batch import FACTS as BATCH
from .load import Interrupted, load
from .request import Progress, Report, Request

__all__ = ["BATCH", "Interrupted", "Progress", "Report", "Request", "load"]
