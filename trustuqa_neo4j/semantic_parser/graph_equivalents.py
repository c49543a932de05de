"""Relations of one meaning in a graph, such as *owns* and *owned by*: a step follows all that there are."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, fields, is_dataclass, replace
from typing import Any, TypeVar, cast

from .graph_plans import (
    ComparedTimes,
    EitherMembers,
    FactCount,
    FactDuration,
    FactTimes,
    Follow,
    FrequentMembers,
    HeadsOf,
    NodePlan,
    RelativeMembers,
    RepeatedMembers,
    SimultaneousMembers,
    TailsOf,
    TimedEnds,
)
from .graph_view import Hop

Plan = TypeVar("Plan")
_SINGLE = (
    ComparedTimes, FactCount, FactDuration, FactTimes, FrequentMembers, RelativeMembers, RepeatedMembers,
    SimultaneousMembers, TimedEnds,
)  # fmt: skip
"""Plans that count or order the facts of one relation."""


@dataclass
class EquivalentHops:
    """The hops that mean the same as another, by that hop; plans are widened to all of them.

    ``whole`` are the relations of which all facts were read.
    """

    hops: Mapping[Hop, tuple[Hop, ...]] = field(default_factory=dict)
    whole: Collection[str] = ()
    _joined: set[EitherMembers] = field(default_factory=set)

    def widen(self, plan: Plan) -> Plan:
        """Return ``plan`` with each step over a relation led over all that mean the same."""
        if not self.hops or plan in self._joined:
            return plan
        changed = {
            name: part for name, old in _find_parts(plan) if (part := self.widen(old)) is not old
        }
        if changed:
            plan = replace(plan, **changed)  # type: ignore[type-var]
        joined: Any = plan
        for other in self._find_others(plan):
            joined = EitherMembers(joined, other)
            self._joined.add(joined)
        return cast("Plan", joined)

    def _find_others(self, plan: Any) -> Iterator[NodePlan]:
        """Yield what the plan selects by the other relations."""
        if isinstance(plan, Follow) and _can_join(plan):
            yield from (replace(plan, hop=hop) for hop in self.hops.get(plan.hop, ()))
        elif isinstance(plan, HeadsOf | TailsOf):
            for hop in self._find_other_ends(plan):
                if hop.relation in self.whole:
                    yield TailsOf(hop.relation) if hop.forward else HeadsOf(hop.relation)

    def _find_other_ends(self, plan: HeadsOf | TailsOf) -> tuple[Hop, ...]:
        return self.hops.get(Hop(plan.relation, isinstance(plan, TailsOf)), ())

    def leaves_out(self, plan: Any) -> bool:
        """True if a part of a widened plan takes the facts of one relation of several alone."""
        if not self.hops:
            return False
        if isinstance(plan, _SINGLE) or (isinstance(plan, Follow) and not _can_join(plan)):
            hops = [value for _, value in _find_fields(plan) if isinstance(value, Hop)]
            if any(hop in self.hops for hop in hops):
                return True
        if isinstance(plan, HeadsOf | TailsOf):
            return any(hop.relation not in self.whole for hop in self._find_other_ends(plan))
        return any(self.leaves_out(part) for _, part in _find_parts(plan))


def _find_fields(plan: Any) -> Iterator[tuple[str, Any]]:
    return ((field.name, getattr(plan, field.name)) for field in fields(plan))


def _find_parts(plan: Any) -> Iterator[tuple[str, Any]]:
    return ((name, value) for name, value in _find_fields(plan) if is_dataclass(value))


def _can_join(plan: Follow) -> bool:
    """True if facts are chosen one by one, and not the first or the longest of all."""
    return plan.when is None or not isinstance(plan.when.moment, str)
