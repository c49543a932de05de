"""Labels of records without a name of their own: ``customer 9`` for the ninth of ``customers``."""

from __future__ import annotations

import re

# Where an English plural ends in -s; *status*, *analysis*, *class* and *atlas* are not plurals.
_ENDINGS = (
    (re.compile(r"(?<=[a-z]{2})ies$"), "y"),
    (re.compile(r"(?<=x)es$|(?<=ss|ch|sh)es$"), ""),
    (re.compile(r"(?<=[b-hj-rtv-z])s$"), ""),
)


def make_record_label(kind: str, *key: str) -> str:
    """The singular of ``kind``, a class or table, with the parts of its key."""
    for ending, replacement in _ENDINGS:
        singular, count = ending.subn(replacement, kind)
        if count:
            kind = singular
            break
    return " ".join(part for part in (kind, *key) if part)
