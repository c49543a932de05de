"""What a model is told: instruction, schema, demonstrations, question; and what was wrong with its reply."""

from .asked import Asked, Link, Linked, shown_tables
from .likeness import likeness
from .linking import linked
from .prompt import Part, Prompt, prompt
from .repair import again
from .sampling import SampleRow, sample_rows

__all__ = [
    "Asked",
    "Link",
    "Linked",
    "Part",
    "Prompt",
    "SampleRow",
    "again",
    "likeness",
    "linked",
    "prompt",
    "sample_rows",
    "shown_tables",
]
