"""One load from files to a visible dataset."""

from .load import Interrupted, load
from .request import BATCH, Progress, Report, Request

__all__ = ["BATCH", "Interrupted", "Progress", "Report", "Request", "load"]
