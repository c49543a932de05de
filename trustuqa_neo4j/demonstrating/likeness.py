"""Whether words are another form of words, or stand for a name of which they are a part."""

from __future__ import annotations

from collections.abc import Sequence

from .words import initials

STEMS, PART = 2.0, 1.0
"""How sure it is that words say a name: by all of their stems, by what stands for it; less by a part."""
_PARTLY = 0.25
"""A part of a name stands for all of it from this share of its letters on (``einstein``)."""
_SHORTEST = 3
"""A part of a name has at least so many letters."""
_AKIN = 4
"""A word stands for a name of one word with which it begins for so many letters (``nigerians``)."""
_KIN = 5
"""Words that begin with as many equal letters are forms of one (``directed``, ``director``)."""
KINSHIP = 0.7
"""How much forms of one word say the same."""


def kin(one: str, other: str) -> float:
    """Whether two stems say the same: 1 they are, 0 nothing is known of it."""
    if one == other:
        return 1.0
    if len(one) < _KIN or len(other) < _KIN:
        return 0.0
    return KINSHIP if one[:_KIN] == other[:_KIN] else 0.0


def alike(run: Sequence[str], name: Sequence[str]) -> float:
    """How surely words are another form or a part of a name, both as stems; 0 where they are not."""
    run, name = tuple(run), tuple(name)
    if run == name:
        return STEMS
    if len(run) == len(name) == 1:
        shared = max(_AKIN, len(name[0]) - 2)
        return PART if run[0][:shared] == name[0][:shared] and len(run[0]) >= shared else 0.0
    if len(run) == 1 and len(name) > 1 and run[0] in initials(name):
        return PART
    if not any(name[at : at + len(run)] == run for at in range(len(name) - len(run) + 1)):
        return 0.0
    letters = sum(map(len, run))
    share = letters / sum(map(len, name))
    return share if share >= _PARTLY and letters >= _SHORTEST else 0.0
