"""Kinds of tails: years are told from amounts."""

from __future__ import annotations

import pytest

from trustuqa_neo4j.model.dataset import TailCounts


@pytest.mark.parametrize(
    ("counts", "shares"),
    [
        (TailCounts(text=0, numbers=38, dates=0, years=62), {"number": 1.0}),
        (TailCounts(text=0, numbers=0, dates=0, years=5), {"year": 1.0}),
        (TailCounts(text=0, numbers=2, dates=0, years=98), {"year": 0.98, "number": 0.02}),
        (
            TailCounts(text=2, numbers=0, dates=1, years=1),
            {"text": 0.5, "date": 0.25, "year": 0.25},
        ),
        (TailCounts(text=0, numbers=3, dates=1, years=4), {"number": 0.875, "date": 0.125}),
        (TailCounts(text=0, numbers=0, dates=0, years=0), {}),
    ],
    ids=["amounts", "years", "years and a typing error", "texts", "amounts and a date", "no tails"],
)
def test_shares_of_kinds(counts: TailCounts, shares: dict[str, float]) -> None:
    assert counts.shares == shares
